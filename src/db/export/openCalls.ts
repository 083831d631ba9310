import type { SessionNs } from '../../model/ids.ts';
import type { ExportedCall } from './port.ts';

interface OpenCall<Kept> {
  readonly call: ExportedCall;
  readonly kept: Kept;
}

/** Told when a call ends; `isKnown`: false for the end of all, when the call had not ended. */
export type OnEnd<Kept> = (kept: Kept, at: SessionNs, isKnown: boolean) => void;

/**
 * The calls of one thread that are open where its export stands. Ends come in order, innermost
 * first, and never before what was told already: a call whose own end is not known ends when the
 * next one begins that is not below it.
 */
export class OpenCalls<Kept> {
  readonly #open: OpenCall<Kept>[] = [];
  readonly #onEnd: OnEnd<Kept>;
  #time = 0;

  constructor(onEnd: OnEnd<Kept>) {
    this.#onEnd = onEnd;
  }

  /** The innermost exported caller of the last call that was entered, or that call. */
  get innermost(): Kept | null {
    return this.#open.at(-1)?.kept ?? null;
  }

  /** Ends what is no caller of the call. */
  leave({ level, time }: ExportedCall): void {
    while (this.#open.length > level) this.#end(time, true);
  }

  /** After `leave`. */
  enter(call: ExportedCall, kept: Kept): void {
    this.#time = Math.max(this.#time, call.time);
    this.#open.push({ call, kept });
  }

  /** No further call comes; what is not known to have ended lasted until `until`. */
  finish(until: SessionNs): void {
    while (this.#open.length > 0) this.#end(until, false);
    this.#time = 0;
  }

  #end(latest: SessionNs, isFollowed: boolean): void {
    const ended = this.#open.pop();
    if (!ended) return;
    const { time, durationNs, end } = ended.call;
    const at = durationNs === null ? latest : time + durationNs;
    this.#time = Math.max(this.#time, at);
    this.#onEnd(ended.kept, this.#time, isFollowed || durationNs !== null || end !== 'open');
  }
}
