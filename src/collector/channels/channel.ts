import type { CallChannel } from '../../model/channels/channelFunctions.ts';
import type { KeptEvent } from '../../model/channels/keptEvent.ts';
import type { SessionView } from '../../model/session.ts';
import type { Proxies } from './proxy/proxies.ts';

/** Whether a channel works for this program. */
export type ChannelState =
  | { readonly kind: 'open' | 'available'; readonly text: string }
  /** `next`: what to do, or to install; null: nothing helps. */
  | { readonly kind: 'unavailable'; readonly text: string; readonly next: string | null };

/** What is put into a program. */
export interface ChannelMessage {
  readonly bytes: Uint8Array;
  /** Nothing follows. */
  readonly eof: boolean;
  /** An address, where the channel has several. */
  readonly to: string | null;
}

/** The program that a channel belongs to. */
export interface ChannelTarget {
  readonly view: SessionView;
  /** Of the session's files. */
  readonly directory: string;
  /** Writes to its stdin. */
  write(bytes: Uint8Array, eof: boolean): Promise<void>;
}

/** What came of a message: a sentence, and what was answered at once. */
export interface Sent {
  readonly text: string;
  readonly reply: Uint8Array | null;
}

/** A way into the program. */
export interface InputChannel {
  readonly takesAddress: boolean;
  /** Throws StrobeError when it cannot be sent. */
  send(message: ChannelMessage, target: ChannelTarget, signal: AbortSignal): Promise<Sent>;
}

/** What comes out of the program: its events are on the session's timeline. */
export type OutputChannel =
  /** What is recorded without being asked for, by the view of debug_query that shows it. */
  | { readonly kind: 'recorded'; readonly view: 'output' | 'events' }
  /** Calls of library functions, which `pattern` hooks. */
  | { readonly kind: 'calls'; readonly channel: CallChannel; readonly pattern: string }
  /** What the channel keeps by itself, in the order of time. */
  | {
      readonly kind: 'kept';
      events(target: ChannelTarget, signal: AbortSignal): Promise<readonly KeptEvent[]>;
      /** Keeps them from now on, and no longer; absent: they are kept always. */
      open?(target: ChannelTarget): Promise<void>;
      close?(target: ChannelTarget): void;
      /** How many are no longer kept. */
      dropped?(target: ChannelTarget): number;
    };

/** What programs open by an address, like hardware: it is there before they run and after. */
export interface Device {
  readonly address: string;
  /** What it is and did, in one line. */
  readonly text: string;
  /** A program finds it by these variables; absent: by its address alone. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Devices that a channel makes. */
export interface Devices {
  /** "serial port". */
  readonly what: string;
  open(): Promise<Device>;
  /** Null: the last that was opened. Throws BAD_PARAMETER where there is none. */
  close(address: string | null): Device;
}

/** One way in or out of a program: a row of `ChannelList`. */
export interface Channel {
  readonly name: string;
  state(view: SessionView): ChannelState;
  readonly input?: InputChannel;
  readonly output?: OutputChannel;
  /** Stand between programs and servers, and do harm to answers when asked to. */
  readonly proxies?: Proxies;
  readonly devices?: Devices;
}
