import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pause, within } from '../../../base/deadline.ts';
import {
  startDetached,
  startOwned,
  type DetachedProcess,
  type OwnedProcess,
} from '../../../base/process.ts';
import { StrobeError } from '../../../model/errors.ts';
import { LastOf } from '../../../model/channels/lastOf.ts';
import type { Device } from '../channel.ts';
import { mostEvents, type ClockedEvent } from '../clockedEvent.ts';
import { DeviceRecords } from '../deviceRecords.ts';
import { messageText } from './midiWords.ts';

const START_MS = 10_000;
const RETRY_MS = 50;
const TAKE_MS = 2000;
/** What native/midi says first, and its exit status where the library of JACK is not installed. */
const READY = 'ready\n';
const WITHOUT_LIBRARY = 3;

/**
 * A JACK server without sound hardware, and the MIDI of the programs that use it. They are launched with its `environment`;
 * it ends when the last of them and we have left.
 */
export class MidiServer implements Device {
  readonly address: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What was played, and sent. */
  readonly events = new LastOf<ClockedEvent>(mostEvents);
  /** Ports of programs. */
  connected: readonly string[] = [];
  readonly #client: OwnedProcess;
  readonly #records = new DeviceRecords((...record) => this.#record(...record));
  #lost = 0;
  #played = 0;
  #sent = 0;

  constructor(name: string, client: OwnedProcess) {
    this.address = name;
    this.environment = { JACK_DEFAULT_SERVER: name };
    this.#client = client;
    client.stdout.on('data', (chunk: Buffer) => this.#records.push(chunk));
    client.stderr.resume();
  }

  /** `client`: native/midi. `run`: where the server works. Throws CHANNEL_UNAVAILABLE when it does not start. */
  static async start(
    programs: { readonly jackd: string; readonly client: string },
    run: string,
  ): Promise<MidiServer> {
    const name = `strobe-${randomBytes(3).toString('hex')}`;
    const server = await startDetached(
      () => ({
        command: programs.jackd,
        // Temporary: it ends with its last client.
        args: ['-n', name, '-T', '-r', '-d', 'dummy', '-r', '48000', '-p', '256'],
        env: { HOME: run, JACK_NO_AUDIO_RESERVATION: '1' },
      }),
      { pipes: 0 },
    );
    void server.ended.then(async () => removeLeft(name));
    const starting = joined(programs.client, name, server);
    try {
      return await within(START_MS, starting, () =>
        notStarted(`nothing came within ${START_MS} ms`),
      );
    } catch (error) {
      process.kill(server.pid, 'SIGTERM');
      throw error;
    }
  }

  /** What it is and did, in one line. */
  get text(): string {
    const lost = this.#lost === 0 ? '' : `; ${this.#lost} messages lost, they came too fast`;
    const ports = this.connected.length === 0 ? 'no program' : this.connected.join(', ');
    return `${this.address} (${ports}): programs played ${this.#played} messages and were sent ${this.#sent}${lost}`;
  }

  /** Whole messages, one after the other. */
  async send(messages: Buffer): Promise<void> {
    const { stdin } = this.#client;
    const taken = new Promise<void>((resolve, reject) => {
      stdin.write(messages, (error) => (error ? reject(error) : resolve()));
    });
    const late = (): StrobeError =>
      new StrobeError(
        'TIMED_OUT',
        `The JACK server took nothing within ${TAKE_MS} ms.`,
        'Close the channel, and open it again.',
      );
    await within(TAKE_MS, taken, late);
  }

  close(): void {
    this.#client.stdin.end();
  }

  #record(kind: string, atNs: number, bytes: Buffer): void {
    if (kind === 'l') this.#lost = Number(bytes.toString());
    else if (kind === 'p') {
      this.#connect(bytes.toString().split('\n').filter(Boolean), atNs);
    } else {
      if (kind === 'o') this.#played += 1;
      else this.#sent += 1;
      this.events.add({ atNs, direction: kind === 'i' ? 'in' : 'out', text: messageText(bytes) });
    }
  }

  #connect(now: readonly string[], atNs: number): void {
    const before = this.connected;
    this.connected = now;
    for (const port of now)
      if (!before.includes(port))
        this.events.add({ atNs, direction: 'out', text: `port ${port} is connected` });
    for (const port of before)
      if (!now.includes(port))
        this.events.add({ atNs, direction: 'out', text: `port ${port} has gone` });
  }
}

/** As soon as the server listens. */
async function joined(program: string, name: string, server: DetachedProcess): Promise<MidiServer> {
  let hasEnded = false;
  void server.ended.then(() => (hasEnded = true));
  for (;;) {
    const client = await startOwned({ command: program, args: [name] });
    const isReady = once(client.stdout, 'readable').then(() => true);
    await Promise.race([isReady, client.ended]);
    if (client.stdout.read(READY.length) !== null) return new MidiServer(name, client);
    if ((await client.ended).code === WITHOUT_LIBRARY)
      throw notStarted('libjack.so.0 is not there');
    if (hasEnded) throw notStarted('it ended at once');
    await pause(RETRY_MS);
  }
}

function notStarted(why: string): StrobeError {
  return new StrobeError(
    'CHANNEL_UNAVAILABLE',
    `The JACK server did not start: ${why}.`,
    'jackd -v -r -d dummy says more.',
  );
}

/** Semaphores that JACK leaves. */
async function removeLeft(name: string): Promise<void> {
  for (const file of await readdir('/dev/shm'))
    if (file.startsWith('jack') && file.includes(`_${name}_`))
      await rm(join('/dev/shm', file), { recursive: true, force: true });
}
