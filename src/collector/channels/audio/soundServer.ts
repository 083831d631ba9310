import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { monotonicNs } from '../../../base/clock.ts';
import { pause, within } from '../../../base/deadline.ts';
import { LastOf } from '../../../model/channels/lastOf.ts';
import { startDetached, type DetachedProcess } from '../../../base/process.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { Device } from '../channel.ts';
import { mostEvents, type ClockedEvent } from '../clockedEvent.ts';
import { SoundEvents, soundChannels, soundRate } from './soundEvents.ts';

const START_MS = 10_000;
const RETRY_MS = 10;
/** Without a program that plays and without us it ends by itself. */
const IDLE_SECONDS = 5;
const FRAME_BYTES = 4 * soundChannels;
/** A null sink renders 50 ms of sound at a time (`norewinds`: NOREWINDS_MAX_LATENCY_USEC), before it plays them. */
const AHEAD_NS = 50e6;
/** The parts come a little late; the clock of the sound is where they came soonest. It may lag by this much more. */
const CREEP_NS = 1e6;

/**
 * A sound server that plays into nothing, and what it plays. It serves programs of PulseAudio and ALSA that are launched
 * with its `environment`, and outlives us for as long as one of them plays.
 */
export class SoundServer implements Device {
  readonly address: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What was heard. */
  readonly events = new LastOf<ClockedEvent>(mostEvents);
  /** Of its sockets. */
  readonly folder: string;
  readonly #process: DetachedProcess;
  readonly #heard = new SoundEvents(({ frame, text }) => this.#keep(frame, text));
  #frames = 0;
  /** When frame 0 was played, as far as is known. */
  #beganNs = Number.MAX_SAFE_INTEGER;
  #unread: Buffer = Buffer.alloc(0);
  #record: Socket | null = null;

  private constructor(folder: string, process: DetachedProcess) {
    this.folder = folder;
    this.#process = process;
    this.address = `unix:${join(folder, 'native')}`;
    this.environment = {
      PULSE_SERVER: this.address,
      ALSA_CONFIG_PATH: `/usr/share/alsa/alsa.conf:${join(folder, 'asound.conf')}`,
    };
  }

  /** `program`: pulseaudio. `parent`: where its folder is made. Throws CHANNEL_UNAVAILABLE when it does not start. */
  static async start(program: string, parent: string): Promise<SoundServer> {
    const folder = await mkdtemp(join(parent, 'sound-'));
    await writeFile(join(folder, 'asound.conf'), alsa);
    const format = `format=float32le rate=${soundRate} channels=${soundChannels}`;
    const modules = [
      `module-null-sink sink_name=strobe norewinds=1 ${format}`,
      `module-native-protocol-unix auth-anonymous=1 auth-cookie-enabled=0 socket=${folder}/native`,
      `module-simple-protocol-unix socket=${folder}/record playback=false record=true source=strobe.monitor ${format}`,
    ];
    const process = await startDetached(
      () => ({
        command: program,
        args: [
          '-n',
          '--daemonize=no',
          '--use-pid-file=no',
          '--disable-shm=yes',
          `--exit-idle-time=${IDLE_SECONDS}`,
          `--log-target=file:${folder}/log`,
          ...modules.flatMap((one) => ['-L', one]),
        ],
        env: {
          HOME: folder,
          PULSE_RUNTIME_PATH: folder,
          PULSE_STATE_PATH: folder,
          XDG_RUNTIME_DIR: folder,
        },
      }),
      { pipes: 0 },
    );
    const server = new SoundServer(folder, process);
    void process.ended.then(async () => rm(folder, { recursive: true, force: true }));
    try {
      await within(START_MS, server.#listen(), () => notStarted(`not heard in ${START_MS} ms`));
      return server;
    } catch (error) {
      server.close();
      throw error;
    }
  }

  /** What it is and did, in one line. */
  get text(): string {
    const seconds = (this.#frames / soundRate).toFixed(0);
    const last = this.events.all.at(-1)?.text ?? 'no sound yet';
    return `${this.address} (listened for ${seconds} s): ${last}`;
  }

  /** Programs that play there go on: it ends when the last has left. */
  close(): void {
    this.#record?.destroy();
  }

  /** Returns when the first samples have come. */
  async #listen(): Promise<void> {
    let hasEnded = false;
    void this.#process.ended.then(() => (hasEnded = true));
    for (;;) {
      const record = await connected(join(this.folder, 'record'));
      if (record !== null) {
        this.#record = record;
        record.unref();
        record.on('data', (chunk: Buffer) => this.#took(chunk));
        await new Promise<void>((resolve) => {
          record.once('data', () => resolve());
          record.once('close', () => resolve());
        });
        if (this.#frames > 0) return;
      }
      if (hasEnded) throw notStarted('it ended at once');
      await pause(RETRY_MS);
    }
  }

  #took(chunk: Buffer): void {
    const bytes = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    const frames = Math.floor(bytes.length / FRAME_BYTES);
    this.#unread = bytes.subarray(frames * FRAME_BYTES);
    const samples = Float32Array.from({ length: frames * soundChannels }, (_, at) =>
      bytes.readFloatLE(at * 4),
    );
    this.#frames += frames;
    const began = Number(monotonicNs()) + AHEAD_NS - (this.#frames / soundRate) * 1e9;
    this.#beganNs = Math.min(this.#beganNs + CREEP_NS, began);
    this.#heard.push(samples);
  }

  #keep(frame: number, text: string): void {
    const playedNs = Math.round(this.#beganNs + (frame / soundRate) * 1e9);
    const atNs = Math.min(playedNs, Number(monotonicNs()));
    this.events.add({ atNs, direction: 'out', text });
  }
}

/** Programs of ALSA play there where its plug-in for PulseAudio is installed. */
const alsa = 'pcm.!default { type pulse }\nctl.!default { type pulse }\n';

/** Null: nothing listens there. */
async function connected(path: string): Promise<Socket | null> {
  return await new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(null));
  });
}

function notStarted(why: string): StrobeError {
  return new StrobeError(
    'CHANNEL_UNAVAILABLE',
    `The sound server did not start: ${why}.`,
    'pulseaudio -n -vv --daemonize=no says more.',
  );
}
