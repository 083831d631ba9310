import type { StackFrame } from '../../model/endings/crashReport.ts';
import type { ExceptionEnd, RaisedException } from '../../model/endings/exception.ts';
import { goPanicOf, type GoPanic } from '../../model/endings/goPanic.ts';
import { parsePattern } from '../../model/names/pattern.ts';
import { processorNamed } from '../../model/processors.ts';
import { depthOf } from '../../model/values/shape.ts';
import type { Parameter, ValueType } from '../../model/values/valueType.ts';
import type { NativeParts } from '../native/nativeParts.ts';
import { withoutSecrets } from '../native/secretShapes.ts';
import type { TracedSession } from '../tracer.ts';
import { stackAddressOf, type SeenException } from './readExceptionFile.ts';

type Tree = Extract<ValueType, { kind: 'tree' }>;

/** Between what panics and runtime.gopanic. */
export const raisersOfGo = /^(?:internal\/)?runtime[./]/;
/** Pointers that are followed: an error that wraps another. */
const LEVELS = 3;
/** Panics that may be recovered yet. */
const MOST_KEPT = 1000;
const TYPES_CAME_LATER =
  'Panics of the first moments have no value here: they began before the types of the program were read. A further launch has them.';
const unknown: GoPanic = { type: null, message: null, isMessageFound: false };
const processor = processorNamed(process.arch);

/** One that began. Its frames have the addresses they had then: a stack may have been copied since. */
interface Raised {
  readonly value: Buffer;
  readonly stackPointer: bigint;
  /** Where that is in the stack of its goroutine, in words; further in it is smaller. */
  readonly place: bigint;
}

interface Recovered {
  /** The function that asked for it. */
  readonly by: string | null;
  readonly value: Buffer;
}

type PanickingSession = Pick<TracedSession, 'startNs'> & {
  readonly limits: Pick<TracedSession['limits'], 'secretNames'>;
};

interface PanicParts extends Pick<NativeParts, 'values' | 'warn'> {
  /** Of functions their parameters' types alone. */
  readonly code: {
    find(...asked: Parameters<NativeParts['code']['find']>): Promise<{
      readonly value: {
        readonly functions: readonly { readonly parameters: readonly Pick<Parameter, 'type'>[] }[];
      };
    }>;
  };
}

/** What panics of Go were passed, and how they end. */
export class GoPanics {
  readonly #session: PanickingSession;
  readonly #parts: PanicParts;
  readonly #onNote: (text: string) => void;
  /** By process and place, and what goroutines recovered last. */
  readonly #raised = new Map<string, Raised>();
  readonly #recovered = new Map<string, Recovered>();
  readonly #types = new Map<string, Promise<Tree | null>>();

  constructor(session: PanickingSession, parts: PanicParts, onNote: (text: string) => void) {
    this.#session = session;
    this.#parts = parts;
    this.#onNote = onNote;
  }

  /** Of the value that runtime.gopanic is passed; null: it is not described. Never rejects. */
  typeIn(image: string): Promise<Tree | null> {
    const known = this.#types.get(image) ?? this.#readType(image);
    this.#types.set(image, known);
    return known;
  }

  async panicOf(seen: SeenException): Promise<GoPanic> {
    const { registers, mappings, message, messageIs } = seen;
    const stackPointer = stackAddressOf(seen);
    keep(this.#raised, placeOf(seen), { value: message, stackPointer, place: seen.exception });
    const pc = registers[processor.registers.length - 1] ?? 0n;
    const image = mappings.find(({ start, end }) => pc >= start && pc < end)?.path;
    const type = image ? await this.typeIn(image) : null;
    if (type === null) return unknown;
    if (messageIs !== 'walked') {
      this.#onNote(TYPES_CAME_LATER);
      return unknown;
    }
    const { decode, text } = this.#parts.values;
    return goPanicOf(decode(type, message), text);
  }

  /** What the stack says where it was recovered, or where the program ends. */
  endOf(raised: RaisedException, stack: readonly StackFrame[], seen: SeenException): ExceptionEnd {
    const [asked, by] = stack;
    if (asked?.function === 'runtime.fatalpanic') return { kind: 'uncaught', what: 'main' };
    const began = this.#raised.get(placeOf(seen));
    if (by && began)
      keep(this.#recovered, `${seen.pid} ${seen.tid}`, { by: by.function, value: began.value });
    const continues = continuesAt(seen);
    const passed = raised.frames
      .filter((frame) => began && frame.frameAddress !== null && placeIn(began, frame) < continues)
      .flatMap(({ isOwn, function: name }) =>
        isOwn && name !== null && !raisersOfGo.test(name) ? [name] : [],
      );
    const time = Number(seen.monotonicNs - this.#session.startNs);
    return { kind: 'caught', time, frame: by ?? null, passed };
  }

  /** Whether the function that recovered a panic of the goroutine panics with the same value. */
  isAgain({ pid, tid, message }: SeenException, stack: readonly StackFrame[]): boolean {
    const last = this.#recovered.get(`${pid} ${tid}`);
    if (message.length === 0 || !last?.value.equals(message)) return false;
    return stack.some((frame) => frame.function === last.by);
  }

  /** Whether a panic that has not ended began in what another left, which is recovered or ends the program. */
  isLeftBy(
    { language, end, frames, pid }: RaisedException,
    exception: string,
    other: SeenException,
  ): boolean {
    if (language !== 'Go' || end.kind !== 'open') return false;
    const began = this.#raised.get(`${pid} ${exception}`);
    const [first] = frames;
    if (other.messageIs !== 'frame' || !first || !began) return true;
    return placeIn(began, first) <= continuesAt(other);
  }

  async #readType(image: string): Promise<Tree | null> {
    try {
      const { value } = await this.#parts.code.find([image], parsePattern('runtime.gopanic'), {
        projectRoot: '/',
        depth: depthOf(LEVELS),
      });
      const type = value.functions[0]?.parameters[0]?.type;
      return type?.kind === 'tree' ? withoutSecrets(type, this.#session.limits).type : null;
    } catch (error) {
      this.#parts.warn('values of panics are not read', { image, error: String(error) });
      return null;
    }
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_KEPT && oldest !== undefined) map.delete(oldest);
}

function placeOf({ pid, exception }: SeenException): string {
  return `${pid} ${exception}`;
}

/** Where a frame of it ends. */
function placeIn({ place, stackPointer }: Raised, { frameAddress }: StackFrame): bigint {
  return place + (BigInt(frameAddress ?? 0) - stackPointer) / 8n;
}

function continuesAt({ message, messageIs }: SeenException): bigint {
  return messageIs === 'frame' && message.length >= 8 ? message.readBigUInt64LE(0) : 0n;
}
