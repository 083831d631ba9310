import type { CallId, SessionNs } from '../ids.ts';
import type { CallFilter, Value } from '../questions/query.ts';
import type { CallChannel } from './channelFunctions.ts';

/** Something that went in or out of the program. */
export interface ChannelEvent {
  /** The call that it is; of folded ones the first. */
  readonly call: CallId;
  /** The call in which the program made the request, where its bytes went later; null: not known to be another. */
  readonly asked?: CallId | null;
  /** Of a request that came in: the call by which its answer began. */
  readonly answered?: CallId;
  /** What arrived: when it was there. */
  readonly time: SessionNs;
  readonly durationNs: number | null;
  readonly pid: number;
  readonly tid: number;
  readonly threadName: string;
  readonly channel: CallChannel;
  /** `in` and `out` carry bytes; `act`: anything else, which `verb` says. */
  readonly direction: 'in' | 'out' | 'act';
  /** `connect`, `accept`, `close`, `rename`; of bytes the function. */
  readonly verb: string;
  /** Number of the connection or open file; null: of none. */
  readonly connection: number | null;
  /** An address or path; of bytes that of the connection. */
  readonly peer: string | null;
  /** Null: nothing was carried. */
  readonly bytes: number | null;
  readonly data: Value | null;
  /** `ECONNREFUSED`; null: it did not fail. */
  readonly failure: string | null;
  /** How often the same failed in the same way, and until when. */
  readonly times: number;
  readonly until: SessionNs;
  /** The library that encrypted what is shown plain. */
  readonly tls: string | null;
  /** It is a request with its answer, found in the bytes of a connection. */
  readonly http?: HttpExchange;
  /** Messages of PostgreSQL that begin in these bytes; empty: they continue one. */
  readonly messages?: readonly string[];
  /** The traced call that did this; null: none is known. */
  readonly cause: { readonly call: CallId; readonly function: string } | null;
}

/** A request of HTTP; secrets are left out of path, headers and bodies. */
export interface HttpExchange {
  readonly method: string;
  readonly path: string;
  /** Null: no answer was seen. */
  readonly status: number | null;
  /** Bytes of bodies. */
  readonly sent: number;
  readonly received: number;
  readonly contentType: string | null;
  /** `name: value`. */
  readonly headers: readonly string[];
  readonly answerHeaders: readonly string[];
  /** Their beginnings, where they are text. */
  readonly body: string;
  readonly answerBody: string;
}

/** A socket or a file while it was open. */
export interface Connection {
  readonly number: number;
  readonly pid: number;
  readonly fd: number | null;
  readonly kind: 'socket' | 'file';
  readonly peer: string | null;
  readonly local: string | null;
  readonly isAccepted: boolean;
  readonly tls: string | null;
  readonly sent: number;
  readonly received: number;
  readonly isClosed: boolean;
  /** What was found in its bytes. */
  readonly protocol: 'HTTP/1' | 'HTTP/2' | 'PostgreSQL' | null;
  /** Bytes of it that were not understood. */
  readonly undecoded: number;
  /** Its beginning was not seen. */
  readonly isJoined: boolean;
  /** Bytes as they went, of a connection whose plain text is not seen. */
  readonly encrypted: Carried;
}

/** Bytes in each direction. */
export interface Carried {
  sent: number;
  received: number;
}

export interface ChannelQuery {
  readonly channel: CallChannel;
  /** Which calls count (besides time, which is that of events). */
  readonly calls: CallFilter;
  readonly timeFrom: SessionNs;
  readonly timeTo: SessionNs;
  readonly pid: number | null;
  readonly connection: number | null;
  readonly direction: 'in' | 'out' | null;
  /** Bytes as they went, not as requests. */
  readonly raw: boolean;
  /** In the peer, the data, the verb or the cause. */
  readonly text: string | null;
  /** Where the part of the calls begins that the page is of. */
  readonly part: SessionNs;
  /** How many of its events come before the page. */
  readonly from: number;
  readonly limit: number;
  readonly until: SessionNs;
  readonly deadlineMs: number;
}

export interface ChannelPage {
  readonly events: readonly ChannelEvent[];
  /** Of these events. */
  readonly connections: readonly Connection[];
  /** Whether the connection that was asked for is one of this channel. */
  readonly isKnown: boolean;
  /** Of the part of the calls that was read. */
  readonly total: number;
  /** Reads and writes of descriptors whose opening was not recorded. */
  readonly unknown: { readonly calls: number; readonly fds: readonly number[] };
  /** Functions of this channel alone that were hooked at some time; 0: it was not open. */
  readonly functions: number;
  /** Where that part begins. */
  readonly part: SessionNs;
  /** There are more calls than are read at once: what follows these events. */
  readonly next: Pick<ChannelQuery, 'part' | 'from'> | null;
}
