import type { Value } from '../../model/query.ts';
import { elementsLeft, partsOf } from '../../model/valueParts.ts';
import { plainArguments, plainValue, plainWatched } from '../reader/values/plainValues.ts';
import { callFields, snapshotFields } from './callFields.ts';
import {
  aboutFacts,
  type ExportAbout,
  type ExportedCall,
  type ExportedEvent,
  type ExportFormat,
  type ExportTotals,
  type ExportWriter,
} from './port.ts';

/**
 * An event a line, in order of time, with the fields of the `events` view; before them a line
 * `session` that says what the file is, after them a line `end` with what it holds: without it
 * the file is not whole.
 */
export const jsonLines: ExportFormat = {
  name: 'jsonl',
  extension: 'jsonl',
  mediaType: 'application/jsonl',
  order: 'time',
  holdsEvents: true,
  holdsWatched: true,
  begins: /^\{"eventType":"session","sessionId":/,
  shownBy: 'jq, DuckDB, pandas',
  open: (about) => new JsonLines(about),
};

class JsonLines implements ExportWriter {
  readonly #about: ExportAbout;

  constructor(about: ExportAbout) {
    this.#about = about;
  }

  begin(): string {
    return line({ eventType: 'session', ...aboutFacts(this.#about) });
  }

  call(call: ExportedCall): string {
    const { arguments: values, returns, parent, depth } = call.view();
    const watched = call.watched().filter(({ isWritten }) => !isWritten);
    const told = [
      ...values,
      ...(call.end === 'returned' ? [{ name: 'return', value: returns }] : []),
    ];
    const missing = told.flatMap(({ name, value }) =>
      value.kind === 'notCaptured' ? [[name, value.reason] as const] : [],
    );
    const cut = told
      .filter(({ value }) => value.kind !== 'notCaptured' && isCut(value))
      .map(({ name }) => name);
    return line({
      eventType: 'call',
      ...callFields(call),
      parentEventId: parent,
      depth,
      arguments: plainArguments(values),
      returnValue: call.end === 'returned' ? plainValue(returns) : undefined,
      ...(watched.length > 0 ? { watchValues: watched.map((one) => plainWatched(one)) } : {}),
      ...(cut.length > 0 ? { truncated: cut } : {}),
      ...(missing.length > 0 ? { notCaptured: Object.fromEntries(missing) } : {}),
    });
  }

  event(event: ExportedEvent): string {
    if (event.type === 'variable_snapshot') return line(snapshotFields(event));
    const { type, time, ...rest } = event;
    return line({ eventType: type, timestampNs: time, ...rest });
  }

  end(totals: ExportTotals): string {
    return line({ eventType: 'end', ...totals });
  }
}

/** Not all of it was captured, or it does not fit together. */
function isCut(value: Value): boolean {
  if (value.kind === 'notCaptured') return true;
  if (value.kind === 'string') return value.truncated;
  const isTorn = 'torn' in value && value.torn;
  const isShort = value.kind === 'object' ? value.object.left > 0 : elementsLeft(value) > 0;
  return isTorn || isShort || partsOf(value).some(isCut);
}

function line(members: object): string {
  return `${JSON.stringify(members)}\n`;
}
