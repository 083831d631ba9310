import { monotonicNs } from '../../../base/clock.ts';
import { LastOf } from '../../../model/channels/lastOf.ts';
import {
  BusConnection,
  busItself,
  type BusCall,
  type BusMessage,
  type BusReply,
} from '../../ui/bus/busConnection.ts';
import { numberOf } from '../../ui/bus/busValue.ts';
import { mostEvents, type ClockedEvent } from '../clockedEvent.ts';
import { busText } from './busText.ts';

const MOST_CALLS = 10_000;
const ASK_MS = 5000;

/** A message on the bus. */
export interface BusEvent extends Omit<ClockedEvent, 'direction'> {
  /** The connection that sent it. */
  readonly sender: string;
}

/** Sees each message on the bus of a session, and asks its programs. */
export class BusMonitor {
  readonly events = new LastOf<BusEvent>(mostEvents);
  /** Processes of connections, as far as they are known. */
  readonly pids = new Map<string, number>();
  readonly #seeing: BusConnection;
  readonly #asking: BusConnection;
  /** What was called, by the caller and the number of its message. */
  readonly #calls = new Map<string, string>();

  private constructor(seeing: BusConnection, asking: BusConnection) {
    this.#seeing = seeing;
    this.#asking = asking;
  }

  /** Throws NO_STAGE when the bus is not there. */
  static async open(address: string): Promise<BusMonitor> {
    const opened: BusConnection[] = [];
    const connect = async (): Promise<BusConnection> => {
      const connection = await BusConnection.open(address, () => undefined);
      opened.push(connection);
      return connection;
    };
    try {
      const seeing = await connect();
      const monitor = new BusMonitor(seeing, await connect());
      await seeing.monitor((message) => monitor.#took(message));
      return monitor;
    } catch (error) {
      for (const one of opened) one.close();
      throw error;
    }
  }

  async ask(call: BusCall): Promise<BusReply> {
    return await this.#asking.ask(call, ASK_MS);
  }

  close(): void {
    this.#seeing.close();
    this.#asking.close();
  }

  #took(message: BusMessage): void {
    const own = [this.#seeing.name, this.#asking.name];
    const isOfBus = [message.sender, message.destination].includes('org.freedesktop.DBus');
    if (isOfBus && own.some((name) => [message.sender, message.destination].includes(name))) return;
    this.#knowProcess(message.sender);
    const { sender } = message;
    this.events.add({ atNs: Number(monotonicNs()), sender, text: this.#textOf(message) });
  }

  #textOf(message: BusMessage): string {
    const { kind, path, member, destination, answers, errorName, serial, sender } = message;
    const name = `${message.interface}.${member}`;
    const values = message.values === null ? '(values not read)' : busText(message.values);
    if (kind === 'signal') return `signal ${name} ${path} ${values}`;
    if (kind === 'call') {
      this.#calls.set(`${sender} ${serial}`, name);
      const [oldest] = this.#calls.keys();
      if (this.#calls.size > MOST_CALLS && oldest !== undefined) this.#calls.delete(oldest);
      return `call ${name} to ${destination} ${path} ${values}`;
    }
    const key = `${destination} ${answers}`;
    const asked = this.#calls.get(key) ?? 'a call that was not seen';
    this.#calls.delete(key);
    return kind === 'return' ? `reply to ${asked} ${values}` : `${errorName} to ${asked} ${values}`;
  }

  /** Before it is gone. */
  #knowProcess(sender: string): void {
    if (this.pids.has(sender) || !sender.startsWith(':')) return;
    this.pids.set(sender, 0);
    this.ask(busItself('GetConnectionUnixProcessID', sender)).then(
      ({ values }) => this.pids.set(sender, numberOf(values[0])),
      () => undefined, // It has left the bus.
    );
  }
}
