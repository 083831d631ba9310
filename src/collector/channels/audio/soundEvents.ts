import { pitchOf } from './pitch.ts';

/** A window: 100 ms. */
const WINDOW = 4800;
/** -60 dB: less is silence. */
const AUDIBLE = 0.001;
/** A sample of this size is at full scale; `CUT` of them in a row are cut off. */
const FULL = 0.999;
const CUT = 3;
/** What makes another sound of it: more than half a semitone, or double. */
const OTHER_PITCH = 0.03;
const OTHER_LEVEL_DB = 6;

export const soundRate = 48_000;
export const soundChannels = 2;

/** Something that was heard. */
export interface SoundEvent {
  /** Frames since the beginning. */
  readonly frame: number;
  readonly text: string;
}

interface Window {
  readonly frame: number;
  /** Of the first and last audible frame in it; null: silent. */
  readonly first: number | null;
  readonly last: number;
  readonly levelDb: number;
  readonly peak: number;
  readonly cut: number;
  readonly hz: number | null;
}

/** What is heard in samples: sounds with pitch and level, silence, and what is cut off at full scale. */
export class SoundEvents {
  readonly #on: (event: SoundEvent) => void;
  readonly #samples = new Float32Array(WINDOW * soundChannels);
  #filled = 0;
  /** Of the window that is being filled. */
  #frame = 0;
  /** What sounds now, as it was said; null: silence. */
  #sound: Window | null = null;
  #beganFrame = 0;
  #lastFrame = 0;
  #cut = 0;
  /** Another sound that is said when the next window confirms it. */
  #next: Window | null = null;

  constructor(on: (event: SoundEvent) => void) {
    this.#on = on;
  }

  /** Interleaved samples; 1 is full scale. */
  push(samples: Float32Array): void {
    for (const sample of samples) {
      this.#samples[this.#filled++] = sample;
      if (this.#filled < this.#samples.length) continue;
      this.#heard(windowOf(this.#samples, this.#frame));
      this.#filled = 0;
      this.#frame += WINDOW;
    }
  }

  #heard(window: Window): void {
    if (window.first === null) {
      this.#silence();
      return;
    }
    this.#lastFrame = window.last;
    const now = this.#sound ?? this.#next;
    if (now === null) {
      // It may begin in the middle of the window: the next one says what it is.
      this.#next = window;
      this.#beganFrame = window.first;
    } else if (this.#sound === null) this.#say(window, this.#beganFrame);
    else if (!isOther(window, this.#sound)) this.#next = null;
    else if (this.#next === null || isOther(window, this.#next)) this.#next = window;
    else this.#say(window, this.#next.frame);
    this.#count(window);
  }

  #say(window: Window, frame: number): void {
    this.#sound = window;
    this.#next = null;
    const { hz, levelDb, peak } = window;
    const pitch = hz === null ? 'without pitch' : `${noteOf(hz)} ${hz.toFixed(1)} Hz`;
    const text = `sound ${pitch}, level ${levelDb.toFixed(1)} dB, peak ${peak.toFixed(3)}`;
    this.#on({ frame, text });
  }

  #count({ cut, frame }: Window): void {
    if (cut > 0 && this.#cut === 0)
      this.#on({ frame, text: 'clipping: samples are cut off at full scale' });
    this.#cut += cut;
  }

  #silence(): void {
    // Shorter than two windows, and so never said.
    if (this.#sound === null && this.#next !== null) this.#say(this.#next, this.#beganFrame);
    if (this.#sound === null) return;
    const seconds = (this.#lastFrame + 1 - this.#beganFrame) / soundRate;
    const cut = this.#cut === 0 ? '' : `; ${this.#cut} samples were cut off`;
    const text = `silence after ${seconds.toFixed(2)} s of sound${cut}`;
    this.#on({ frame: this.#lastFrame + 1, text });
    this.#sound = null;
    this.#next = null;
    this.#cut = 0;
  }
}

function isOther(one: Window, known: Window): boolean {
  if ((one.hz === null) !== (known.hz === null)) return true;
  const isOtherPitch =
    one.hz !== null && known.hz !== null && Math.abs(one.hz / known.hz - 1) > OTHER_PITCH;
  return isOtherPitch || Math.abs(one.levelDb - known.levelDb) > OTHER_LEVEL_DB;
}

/** The louder channel says level and pitch. */
function windowOf(samples: Float32Array, frame: number): Window {
  const channels = Array.from({ length: soundChannels }, (_, channel) =>
    Float32Array.from({ length: WINDOW }, (__, at) => samples[at * soundChannels + channel] ?? 0),
  );
  const measured = channels.map((one) => ({ one, ...measure(one) }));
  const loudest = measured.reduce((a, b) => (b.power > a.power ? b : a));
  const audible = measured.filter(({ first }) => first >= 0);
  const first = Math.min(...audible.map((one) => one.first));
  return {
    frame,
    first: audible.length === 0 ? null : frame + first,
    last: frame + Math.max(...audible.map(({ last }) => last), 0),
    levelDb: 10 * Math.log10(Math.max(loudest.power, Number.MIN_VALUE)),
    peak: Math.max(...measured.map(({ peak }) => peak)),
    cut: measured.reduce((sum, { cut }) => sum + cut, 0),
    hz: audible.length === 0 ? null : pitchOf(loudest.one, soundRate),
  };
}

function measure(samples: Float32Array) {
  let [power, peak, first, last, cut, row] = [0, 0, -1, -1, 0, 0];
  for (const [at, sample] of samples.entries()) {
    const size = Math.abs(sample);
    power += sample * sample;
    peak = Math.max(peak, size);
    if (size >= AUDIBLE) {
      if (first < 0) first = at;
      last = at;
    }
    row = size >= FULL ? row + 1 : 0;
    if (row === CUT) cut += CUT;
    else if (row > CUT) cut++;
  }
  return { power: power / samples.length, peak, first, last, cut };
}

const notes = ['C', 'C#', 'D', 'D#', 'E', 'F', 'F#', 'G', 'G#', 'A', 'A#', 'B'];
/** A4. */
const CONCERT_HZ = 440;
const CONCERT_NOTE = 69;

/** The nearest note: A4 for 440 Hz. */
function noteOf(hz: number): string {
  const number = Math.round(CONCERT_NOTE + 12 * Math.log2(hz / CONCERT_HZ));
  return `${notes[number % 12]}${Math.floor(number / 12) - 1}`;
}
