import type { Value } from '../../../model/questions/query.ts';
import { partsOf } from '../../../model/values/valueParts.ts';
import type { CallRecord, Clue } from './callRecord.ts';

/** Levels of a value in which a container is looked for. */
const MOST_LEVELS = 3;
/** Results, and later values, that are compared. */
const MOST_COMPARED = 200;

/** A container whose parts are containers with the same content. */
interface Alike {
  /** Its keys, or how many parts it has. */
  readonly shape: string;
  readonly content: string;
  readonly isFilled: boolean;
}

/** All parts of what it returned were changed alike later on: they are one object. */
export function sharedParts(record: CallRecord): Clue[] {
  const later = record.calls
    .flatMap((call) =>
      call.arguments
        .flatMap(({ value }) => containersIn(value, MOST_LEVELS))
        .flatMap((value) => alike(record, value) ?? [])
        .map((found) => ({ ...found, time: call.time })),
    )
    .filter(({ isFilled }) => isFilled)
    .slice(-MOST_COMPARED);
  return record.calls.slice(0, MOST_COMPARED).flatMap((call) => {
    const made = isContainer(call.returns) ? alike(record, call.returns) : null;
    if (made === null) return [];
    const isShared = later.some(
      ({ time, shape, content }) =>
        time > call.time && shape === made.shape && content !== made.content,
    );
    return isShared
      ? [{ call, why: 'all parts of its result changed together later: they are one', weight: 5 }]
      : [];
  });
}

function containersIn(value: Value, levels: number): Value[] {
  if (levels === 0) return [];
  const inner = partsOf(value).flatMap((part) => containersIn(part, levels - 1));
  return isContainer(value) ? [value, ...inner] : inner;
}

function isContainer({ kind }: Value): boolean {
  return kind === 'list' || kind === 'map';
}

/** Null where its parts are not alike, or no containers or objects. */
function alike(record: CallRecord, value: Value): Alike | null {
  const parts = value.kind === 'map' ? value.entries.map((entry) => entry.value) : partsOf(value);
  const [first] = parts;
  if (first === undefined || parts.length < 2) return null;
  if (!isContainer(first) && first.kind !== 'object') return null;
  const content = record.text(first);
  if (!parts.every((part) => record.text(part) === content)) return null;
  const keys = value.kind === 'map' ? value.entries.map(({ key }) => record.text(key)) : [];
  const isFilled = first.kind === 'object' || partsOf(first).length > 0;
  return { shape: `${value.kind} ${parts.length} ${keys.join(' ')}`, content, isFilled };
}
