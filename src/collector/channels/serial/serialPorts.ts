import { StrobeError } from '../../../model/errors.ts';
import type { Devices } from '../channel.ts';
import { SerialPort } from './serialPort.ts';

const MOST = 8;

/** The serial ports of a daemon. They outlive sessions: a program that is started again finds its port. */
export class SerialPorts implements Devices {
  readonly what = 'serial port';
  readonly #programPath: string;
  readonly #all: SerialPort[] = [];

  /** `programPath`: of native/serial. */
  constructor(programPath: string) {
    this.#programPath = programPath;
  }

  get all(): readonly SerialPort[] {
    return this.#all;
  }

  async open(): Promise<SerialPort> {
    if (this.#all.length >= MOST)
      throw new StrobeError(
        'BAD_PARAMETER',
        `There are ${MOST} serial ports, and no more are opened.`,
        `Close one: debug_channel {"action":"close","channel":"serial","to":"${this.#all[0]?.address}"}.`,
      );
    const port = await SerialPort.start(this.#programPath);
    this.#all.push(port);
    return port;
  }

  close(address: string | null): SerialPort {
    const port = this.at(address);
    this.#all.splice(this.#all.indexOf(port), 1);
    port.close();
    return port;
  }

  /** Null: the last that was opened. Throws BAD_PARAMETER where there is none. */
  at(address: string | null): SerialPort {
    const port =
      address === null ? this.#all.at(-1) : this.#all.find((one) => one.address === address);
    if (port !== undefined) return port;
    const known = this.#all.map((one) => one.address).join(', ');
    throw new StrobeError(
      'BAD_PARAMETER',
      address === null ? 'No serial port is open.' : `There is no serial port "${address}".`,
      known === ''
        ? 'debug_channel {"action":"open","channel":"serial"} opens one.'
        : `Use one of: ${known}.`,
    );
  }
}
