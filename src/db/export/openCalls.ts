import type { SessionNs } from '../../model/ids.ts';
import type { ExportedCall } from './port.ts';

interface OpenCall<Kept> {
  readonly call: ExportedCall;
  readonly kept: Kept;
}

/** Told when a call ends; `isKnown`: false for the end of all, when the call had not ended. */
export type OnEnd<Kept> = (kept: Kept, at: SessionNs, isKnown: boolean) => void;

/** Lanes that are looked at for one that is free; beyond it there is always another. */
const MOST_TRIED = 256;

/**
 * The calls of one thread that are open where its export stands, in lanes: the calls of a lane lie in each other, or one
 * after the other. All are in lane 0, the thread's own, but those that were suspended, or run on a stack of
 * their own: each has a lane while it is open, with what it calls.
 *
 * Ends of a lane come in order, innermost first, and never before what was told of it already: a call whose own end
 * is not known ends when the next one begins that is not below it.
 */
export class OpenCalls<Kept> {
  readonly #lanes: OpenCall<Kept>[][] = [[]];
  readonly #times: number[] = [0];
  /** Lanes of open calls that are not in lane 0. */
  readonly #laneOf = new Map<number, number>();
  readonly #onEnd: OnEnd<Kept>;
  #lane = 0;
  #above: OpenCall<Kept> | null = null;
  #tried = 0;
  /** From the first activation of the thread on, or the first call whose end is not known, calls may overlap. */
  #mayOverlap = false;

  constructor(onEnd: OnEnd<Kept>) {
    this.#onEnd = onEnd;
  }

  /** The innermost exported caller of the call that is entered next. */
  get innermost(): Kept | null {
    return this.#above?.kept ?? null;
  }

  /** Ends what is no caller of the call, and answers which lane it belongs to. */
  leave(call: ExportedCall): number {
    this.#mayOverlap ||= call.isActivation || call.durationNs === null;
    this.#lane = 0;
    if (this.#mayOverlap) this.#place(call);
    else {
      const own = this.#lanes[0] ?? [];
      while (own.length > call.level) this.#end(0, call.time, true);
      this.#above = own.at(-1) ?? null;
    }
    return this.#lane;
  }

  /** After `leave`. */
  enter(call: ExportedCall, kept: Kept): void {
    const lane = this.#lane;
    this.#times[lane] = Math.max(this.#times[lane] ?? 0, call.time);
    this.#lanes[lane]?.push({ call, kept });
    if (lane > 0) this.#laneOf.set(call.ordinal, lane);
  }

  /** No further call comes; what is not known to have ended lasted until `until`. */
  finish(until: SessionNs): void {
    for (const lane of this.#lanes.keys())
      while ((this.#lanes[lane]?.length ?? 0) > 0) this.#end(lane, until, false);
    this.#lanes.length = this.#times.length = 1;
    this.#times[0] = 0;
    this.#laneOf.clear();
    this.#above = null;
    this.#mayOverlap = false;
  }

  #place(call: ExportedCall): void {
    const parent = call.parent?.ordinal ?? -1;
    const lane = this.#laneOf.get(parent) ?? 0;
    const calls = this.#lanes[lane] ?? [];
    const at = calls.findLastIndex((open) => open.call.ordinal === parent);
    this.#above = calls[at] ?? null;
    const isOver = calls.slice(at + 1).every((open) => hasEnded(open.call, call.time));
    const isFound = at >= 0 || parent < 0;
    const fits = isOver && isFound && liesIn(call, calls, at);
    if (fits) while (calls.length > at + 1) this.#end(lane, call.time, true);
    this.#lane = fits && !call.isSuspended ? lane : this.#freeLane(call.time);
  }

  #freeLane(time: number): number {
    for (let i = 1; i < Math.min(this.#lanes.length, MOST_TRIED); i++) {
      const lane = 1 + ((this.#tried + i) % (this.#lanes.length - 1));
      const outermost = this.#lanes[lane]?.[0];
      if (outermost && !hasEnded(outermost.call, time)) continue;
      this.#tried = lane;
      while ((this.#lanes[lane]?.length ?? 0) > 0) this.#end(lane, time, true);
      return lane;
    }
    this.#lanes.push([]);
    this.#times.push(0);
    return this.#lanes.length - 1;
  }

  #end(lane: number, latest: SessionNs, isFollowed: boolean): void {
    const ended = this.#lanes[lane]?.pop();
    if (!ended) return;
    const { time, durationNs, end, ordinal } = ended.call;
    const at = durationNs === null ? latest : time + durationNs;
    const last = Math.max(this.#times[lane] ?? 0, at);
    this.#times[lane] = last;
    if (lane > 0) this.#laneOf.delete(ordinal);
    this.#onEnd(ended.kept, last, isFollowed || durationNs !== null || end !== 'open');
  }
}

/** Whether it ends no later than its callers; one left behind on another stack may. Ends that are not known forbid nothing. */
function liesIn<Kept>(
  { time, durationNs }: ExportedCall,
  callers: readonly OpenCall<Kept>[],
  innermost: number,
): boolean {
  for (let i = innermost; i >= 0; i--) {
    const outer = callers[i]?.call;
    if (outer && outer.durationNs !== null)
      return durationNs !== null && time + durationNs <= outer.time + outer.durationNs;
  }
  return true;
}

/** A call whose end was lost has ended when another begins. */
function hasEnded({ time, durationNs, end }: ExportedCall, now: number): boolean {
  return durationNs === null ? end !== 'open' : time + durationNs <= now;
}
