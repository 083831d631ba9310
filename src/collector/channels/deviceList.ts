import { StrobeError } from '../../model/errors.ts';
import type { ChannelName } from '../../model/channels/channelNames.ts';
import type { LastOf } from '../../model/channels/lastOf.ts';
import type { Device, Devices, OutputChannel } from './channel.ts';
import { onTimeline, type ClockedEvent } from './clockedEvent.ts';

interface OwnDevice extends Device {
  readonly events: LastOf<ClockedEvent>;
  close(): void;
}

/** The devices of a daemon. They outlive sessions: a program that is started again finds its own. */
export abstract class DeviceList<Own extends OwnDevice> implements Devices {
  abstract readonly what: string;
  protected abstract readonly channel: ChannelName;
  protected abstract readonly most: number;
  readonly #all: Own[] = [];

  get all(): readonly Own[] {
    return this.#all;
  }

  /** What went through all of them; of several with the address of each. */
  readonly output: OutputChannel = {
    kind: 'kept',
    events: ({ view }) => {
      const isOne = this.#all.length === 1;
      const events = this.#all.flatMap(({ address, events: { all } }) =>
        isOne ? all : all.map((one) => ({ ...one, text: `${address} ${one.text}` })),
      );
      return Promise.resolve(onTimeline(events, view));
    },
    dropped: () => this.#all.reduce((sum, { events }) => sum + events.dropped, 0),
  };

  protected abstract start(): Promise<Own>;

  async open(): Promise<Own> {
    const { what, most, channel } = this;
    if (this.#all.length >= most)
      throw new StrobeError(
        'BAD_PARAMETER',
        `There are ${most} ${what}s, and no more are opened.`,
        `Close one: debug_channel {"action":"close","channel":"${channel}","to":"${this.#all[0]?.address}"}.`,
      );
    const device = await this.start();
    this.#all.push(device);
    return device;
  }

  close(address: string | null): Own {
    const device = this.at(address);
    this.#all.splice(this.#all.indexOf(device), 1);
    device.close();
    return device;
  }

  /** Null: the last that was opened. Throws BAD_PARAMETER where there is none. */
  at(address: string | null): Own {
    const { what, channel } = this;
    const device =
      address === null ? this.#all.at(-1) : this.#all.find((one) => one.address === address);
    if (device !== undefined) return device;
    const known = this.#all.map((one) => one.address).join(', ');
    throw new StrobeError(
      'BAD_PARAMETER',
      address === null ? `No ${what} is open.` : `There is no ${what} "${address}".`,
      known === ''
        ? `debug_channel {"action":"open","channel":"${channel}"} opens one.`
        : `Use one of: ${known}.`,
    );
  }
}
