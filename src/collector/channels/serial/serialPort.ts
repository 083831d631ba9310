import { within } from '../../../base/deadline.ts';
import { LastOf } from '../../../model/channels/lastOf.ts';
import { startOwned, type OwnedProcess } from '../../../base/process.ts';
import { StrobeError } from '../../../model/errors.ts';
import { carriedText } from '../carriedText.ts';
import { mostEvents, type ClockedEvent } from '../clockedEvent.ts';
import { DeviceRecords } from '../deviceRecords.ts';

const START_MS = 5000;
const TAKE_MS = 2000;

/** A serial port that programs open by its path; the other end is ours. */
export class SerialPort {
  readonly address: string;
  /** What went through it. */
  readonly events = new LastOf<ClockedEvent>(mostEvents);
  #sent = 0;
  #received = 0;
  /** As the program set it. */
  #baud = '9600';
  readonly #records = new DeviceRecords((...record) => this.#record(...record));
  readonly #process: OwnedProcess;

  private constructor(address: string, process: OwnedProcess) {
    this.address = address;
    this.#process = process;
  }

  /** `programPath`: of native/serial. */
  static async start(programPath: string): Promise<SerialPort> {
    const process = await startOwned({ command: programPath, args: [] });
    const opening = new Promise<SerialPort>((resolve, reject) => {
      let head = Buffer.alloc(0);
      const begin = (chunk: Buffer): void => {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\n');
        if (end < 0) return;
        process.stdout.off('data', begin);
        const port = new SerialPort(head.toString('utf8', 0, end), process);
        process.stdout.on('data', (more: Buffer) => port.#records.push(more));
        port.#records.push(head.subarray(end + 1));
        resolve(port);
      };
      process.stdout.on('data', begin);
      process.stderr.resume();
      void process.ended.then(() => reject(notOpened('the system gives no pseudo-terminal')));
    });
    try {
      return await within(START_MS, opening, () => notOpened(`nothing came within ${START_MS} ms`));
    } catch (error) {
      process.kill('SIGKILL');
      throw error;
    }
  }

  /** Throws where the program does not read. */
  async send(bytes: Buffer): Promise<void> {
    const { stdin } = this.#process;
    const taken = new Promise<void>((resolve, reject) => {
      stdin.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    await within(
      TAKE_MS,
      taken,
      () =>
        new StrobeError(
          'TIMED_OUT',
          `Not all bytes were taken within ${TAKE_MS} ms: no program reads ${this.address}.`,
          `Have the program open ${this.address} and read from it.`,
        ),
    );
  }

  /** What it is and did, in one line. */
  get text(): string {
    return `${this.address} (${this.#baud} baud): the program wrote ${this.#sent} bytes and was sent ${this.#received}`;
  }

  close(): void {
    this.#process.stdin.end();
  }

  #record(kind: string, atNs: number, bytes: Buffer): void {
    if (kind === 's') {
      this.#baud = bytes.toString();
      this.events.add({ atNs, direction: 'out', text: `set to ${this.#baud} baud` });
    } else if (kind === 'i') {
      this.#received += bytes.length;
      this.events.add({ atNs, direction: 'in', text: carriedText(bytes) });
    } else {
      this.#sent += bytes.length;
      this.events.add({ atNs, direction: 'out', text: carriedText(bytes) });
    }
  }
}

function notOpened(why: string): StrobeError {
  return new StrobeError('INTERNAL', `No serial port could be opened: ${why}.`);
}
