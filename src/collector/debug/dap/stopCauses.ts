import type { z } from 'zod';
import type { StackFrame } from '../../../model/endings/crashReport.ts';
import { steppedBy, type StepKind, type StopCause } from '../../../model/debug/stop.ts';
import type { DebugAdapter } from '../adapters/debugAdapter.ts';
import type { stop } from './dapAnswers.ts';
import type { DapExpressions } from './dapExpressions.ts';
import type { DapLink } from './dapLink.ts';
import type { DapOwner } from './dapOwner.ts';
import type { DapStacks } from './dapStacks.ts';
import type { DapStrands, StrandAt } from './dapStrands.ts';
import { raisedAt } from './raisedAt.ts';
import type { Holds } from './sharedPlaces.ts';

/** What an adapter says of a stop. */
export type ToldStop = z.output<typeof stop>;

/** A strand that stopped, and why. */
export interface StoppedStrand {
  readonly tid: number;
  readonly cause: StopCause;
}

/** What was asked for as the program stopped. */
export interface AskedFor {
  /** Null: none is under way. */
  readonly step: StepKind | null;
  readonly isPause: boolean;
}

/** What is asked of a process that stands still. */
interface Standing {
  readonly adapter: DebugAdapter;
  readonly owner: Pick<DapOwner<unknown>, 'causeAt' | 'failedAt' | 'placesAt' | 'missed'>;
  readonly link: DapLink;
  readonly strands: DapStrands;
  readonly stacks: DapStacks;
  readonly expressions: DapExpressions;
}

/** Why strands of a program that stands still have stopped. */
export class StopCauses {
  readonly #of: Standing;

  constructor(of: Standing) {
    this.#of = of;
  }

  /** Why a strand that the adapter reports stops; null: it is to run on, as one with a signal is. Throws DapError. */
  async reported(tid: number, told: ToldStop, asked: AskedFor): Promise<StopCause | null> {
    const { adapter, owner } = this.#of;
    const { reason, text = '', description } = told;
    // lldb's word for a strand that stands in the midst of its step, as another one stopped: its step continues.
    if (description === 'trace') return null;
    const isThrown = reason === 'exception' && adapter.inSource;
    const raised = isThrown ? await this.#raised(tid) : null;
    const hit = raised === null ? await this.#placesIn(tid, told) : [raised.place];
    if (hit.length === 0)
      return (await this.#failure(reason, tid, text)) ?? otherCause(reason, asked);
    const holds = async (one: string): Promise<Holds> => this.#holds(tid, one);
    return await owner.causeAt(hit, tid, { holds, raised, isDecided: true });
  }

  /** Strands beside those `known` that came to breakpoints at the same moment, and that the adapter says nothing of. Throws DapError. */
  async beside(
    known: ReadonlySet<number>,
    isFirstThere: boolean,
  ): Promise<readonly StoppedStrand[]> {
    const hit: StoppedStrand[] = [];
    for (const { tid, places } of await this.#silent(known, isFirstThere)) {
      const holds = async (one: string): Promise<Holds> => this.#holds(tid, one);
      const at = { holds, raised: null, isDecided: false };
      const cause = await this.#of.owner.causeAt(places, tid, at);
      if (cause !== null) hit.push({ tid, cause });
    }
    return hit;
  }

  async #silent(known: ReadonlySet<number>, isFirstThere: boolean): Promise<readonly StrandAt[]> {
    const { adapter, owner, strands } = this.#of;
    if (!adapter.inSource) {
      const { listed, unlisted } = await strands.at(
        (address) => owner.placesAt(`0x${address.toString(16)}`),
        isFirstThere,
      );
      owner.missed(unlisted);
      return listed.filter(({ tid }) => !known.has(tid));
    }
    const came: StrandAt[] = [];
    for (const tid of strands.takeCame())
      if (!known.has(tid)) came.push({ tid, places: await this.#placesAt(tid) });
    return came;
  }

  /** The adapter's numbers of the places that a strand came to. Some adapters only say that there is one. */
  async #placesIn(
    tid: number,
    { reason, hitBreakpointIds = [] }: ToldStop,
  ): Promise<readonly number[]> {
    if (hitBreakpointIds.length > 0 || !reason.endsWith('breakpoint')) return hitBreakpointIds;
    return await this.#placesAt(tid);
  }

  async #placesAt(tid: number): Promise<readonly number[]> {
    const [newest] = (await this.#read(tid)).frames;
    return newest ? this.#of.owner.placesAt(placeOf(newest, this.#of.adapter)) : [];
  }

  /** Decides a condition where a strand stands. */
  async #holds(tid: number, condition: string): Promise<Holds> {
    return await this.#of.expressions.holds((await this.#read(tid)).ids[0], condition);
  }

  async #raised(tid: number): ReturnType<typeof raisedAt> {
    const threadId = this.#of.strands.numberOf(tid);
    const [frameId] = (await this.#read(tid)).ids;
    return await raisedAt(this.#of.link, this.#of.adapter, { threadId, frameId });
  }

  /** Delve says no breakpoint where it cannot work its condition out. Null: that is not why. */
  async #failure(reason: string, tid: number, why: string): Promise<StopCause | null> {
    if (reason !== 'exception') return null;
    const [newest] = (await this.#read(tid)).frames;
    return newest ? this.#of.owner.failedAt(placeOf(newest, this.#of.adapter), why) : null;
  }

  async #read(tid: number): ReturnType<DapStacks['read']> {
    return await this.#of.stacks.read(this.#of.strands.numberOf(tid));
  }
}

/** Null: none of ours, as a signal is; the program runs on with it. */
function otherCause(reason: string, { step, isPause }: AskedFor): StopCause | null {
  if (reason === 'step' || step !== null) return steppedBy(step ?? undefined);
  return isPause ? { kind: 'pause' } : null;
}

/** A frame's place as `DapPlace` has it. */
function placeOf({ pc, file, line }: StackFrame, { inSource }: DebugAdapter): string {
  return inSource ? `${file}:${line}` : `0x${BigInt(pc).toString(16)}`;
}
