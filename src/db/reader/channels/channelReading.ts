import type { ChannelEvent } from '../../../model/channels/channelEvent.ts';
import type { SessionNs } from '../../../model/ids.ts';
import type { CallView } from '../../../model/questions/query.ts';
import type { SessionTables } from '../sessionTables.ts';
import { endOfCall } from './callValues.ts';
import { channelCalls } from './channelCalls.ts';
import { ChannelFold } from './channelFold.ts';
import { ChannelRequests } from './channelRequests.ts';

/** What a part of a session's calls means. */
export interface ChannelPart {
  /** Of the calls that took effect from then on. */
  readonly from: SessionNs;
  /** And before then. */
  readonly before: SessionNs;
  /** False: there are later calls. */
  readonly complete: boolean;
  /** When the first of its calls began. */
  readonly firstCall: SessionNs;
  /** By time. */
  readonly events: readonly ChannelEvent[];
}

export interface ReadingOf {
  readonly functions: Uint8Array;
  /** Requests in place of the bytes that they were made of. */
  readonly ofRequests: boolean;
  readonly until: SessionNs;
}

/** Reads the calls of channels part by part: what a call means depends on all that took effect before. */
export class ChannelReading {
  readonly fold = new ChannelFold();
  readonly #of: ReadingOf;
  readonly #requests: ChannelRequests | null;
  /** They began before the next part, and take effect in it or later. */
  #late: readonly Effect[] = [];
  #from: SessionNs = 0;
  #last: ChannelPart | null = null;

  constructor(of: ReadingOf) {
    this.#of = of;
    this.#requests = of.ofRequests
      ? new ChannelRequests(this.fold.descriptors, this.fold.asked)
      : null;
  }

  /** Where the next part begins. */
  get from(): SessionNs {
    return this.#from;
  }

  /** What was read last. */
  get last(): ChannelPart | null {
    return this.#last;
  }

  /** `before`: where the part ends; null: it is as long as can be read at once, until `deadline`. Inside a snapshot. */
  next(tables: SessionTables, before: SessionNs | null, deadline: number): ChannelPart {
    const from = this.#from;
    const read = channelCalls(tables, { ...this.#of, filter: {}, from, before, deadline });
    const { complete } = read;
    this.fold.know(read.calls);
    const effects = [
      ...this.#late,
      ...read.calls.map((call) => ({ call, effect: effectOf(call) })),
    ].toSorted((a, b) => a.effect - b.effect);
    const now = complete ? effects : effects.filter(({ effect }) => effect < read.before);
    this.#late = complete ? [] : effects.filter(({ effect }) => effect >= read.before);
    const all = this.fold.take(
      now.map(({ call }) => call),
      complete,
    );
    const events = this.#requests?.take(all, complete) ?? all;
    this.#from = read.before;
    this.#last = {
      from,
      before: read.before,
      complete,
      firstCall: now.reduce((first, { call }) => Math.min(first, call.time), read.before),
      events: events.toSorted((a, b) => a.time - b.time),
    };
    return this.#last;
  }
}

interface Effect {
  readonly call: CallView;
  readonly effect: SessionNs;
}

/** What makes something exist counts when it is done, what ends it when it begins. */
function effectOf(call: CallView): SessionNs {
  return endsSomething(call.function) ? call.time : endOfCall(call);
}

const known = new Map<string, boolean>();

function endsSomething(name: string): boolean {
  let ends = known.get(name);
  if (ends === undefined) {
    ends =
      /^(?:(?:uv__)?close|send|write|pwrite|SSL_write|gnutls_record_send)|\)\.(?:[Ww]rite\w*|Close)$/.test(
        name,
      );
    known.set(name, ends);
  }
  return ends;
}
