import { createHash } from 'node:crypto';
import { z } from 'zod';
import { within } from '../../../base/deadline.ts';
import { runProgram, type Command } from '../../../base/process.ts';
import { pngOf, type Picture } from '../picture.ts';
import type { Guess } from './guess.ts';
import type { Ocr } from './ocr.ts';

export interface Guessed {
  readonly guesses: readonly Guess[];
  /** What came of asking, for people. */
  readonly said: string;
}

const LIMIT_MS = 8000;
/** Its pipes may be held by programs that it started. */
const PIPES_MS = 500;
const MOST_BYTES = 1 << 20;
const MOST_ELEMENTS = 300;
const MOST_SAID = 200;
const share = z.number().min(0).max(1);
const answer = z.object({
  elements: z
    .array(
      z.object({
        role: z
          .string()
          .max(30)
          .regex(/^[a-z]+( [a-z]+)*$/, 'expected lower-case words'),
        name: z.string().max(200).default(''),
        x: z.number().min(0),
        y: z.number().min(0),
        width: z.number().positive(),
        height: z.number().positive(),
        value: share.nullable().default(null),
        confidence: share,
      }),
    )
    .max(MOST_ELEMENTS),
});

/**
 * Asks OCR, and the program of the setting vision.command: a PNG on its stdin, `{"elements": […]}` on its stdout, in
 * pixels.
 */
export class ModelDoor {
  readonly #command: readonly string[];
  readonly #ocr: Ocr;
  /** The last answer of each surface, with the digest of its picture. */
  readonly #last = new Map<string, { readonly digest: string; readonly guessed: Guessed }>();

  constructor(command: readonly string[], ocr: Ocr) {
    this.#command = command;
    this.#ocr = ocr;
  }

  /** A picture that is as it was is answered as it was. `surface`: its key. What fails is said. */
  async find(surface: string, picture: Picture): Promise<Guessed> {
    const size = `${picture.width}x${picture.height}`;
    const digest = createHash('sha256').update(size).update(picture.pixels).digest('base64');
    const last = this.#last.get(surface);
    if (last?.digest === digest) return last.guessed;
    const [read, modelled] = await Promise.all([this.#read(picture), this.#asked(picture)]);
    const guesses = [...modelled.guesses, ...read.guesses];
    const guessed = { guesses, said: `by shape, ${read.said}, ${modelled.said}` };
    // It is asked again the next time where it failed: what is wrong may be put right meanwhile.
    if (!read.isFailed && !modelled.isFailed) this.#last.set(surface, { digest, guessed });
    return guessed;
  }

  async #read(picture: Picture): Promise<Found> {
    if (!this.#ocr.isThere)
      return { guesses: [], said: 'without OCR (apt-get install tesseract-ocr)', isFailed: false };
    try {
      const guesses = await this.#ocr.find(picture);
      return { guesses, said: `${guesses.length} texts by OCR`, isFailed: false };
    } catch (error) {
      return { guesses: [], said: `OCR failed: ${whyOf(error)}`, isFailed: true };
    }
  }

  async #asked(picture: Picture): Promise<Found> {
    const [program, ...args] = this.#command;
    if (program === undefined) {
      const said = 'without models (YOLO, SigLIP): the setting vision.command names a program';
      return { guesses: [], said, isFailed: false };
    }
    try {
      const guesses = await asked({ command: program, args }, picture);
      return { guesses, said: `${guesses.length} elements by ${program}`, isFailed: false };
    } catch (error) {
      const said = `vision.command ${program}: ${whyOf(error)}`;
      return { guesses: [], said, isFailed: true };
    }
  }
}

interface Found extends Guessed {
  readonly isFailed: boolean;
}

function whyOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MOST_SAID);
}

/** Throws where it fails, and where its answer is not what was agreed. */
async function asked(command: Command, picture: Picture): Promise<Guess[]> {
  const input = await pngOf(picture);
  const options = { limitMs: LIMIT_MS, maxBytes: MOST_BYTES, input };
  const late = (): Error => new Error(`it took longer than ${LIMIT_MS} ms`);
  const result = await within(LIMIT_MS + PIPES_MS, runProgram(command, options), late);
  const { stdout, stderr, code, stopped } = result;
  if (stopped) throw new Error(`it took longer than ${LIMIT_MS} ms, or wrote too much`);
  if (code !== 0) {
    const words = stderr.toString().trim().split('\n').at(-1) ?? '';
    throw new Error(`it ended with ${code ?? result.signal}${words === '' ? '' : `: ${words}`}`);
  }
  return guessesIn(stdout.toString(), picture);
}

function guessesIn(text: string, { width, height }: Picture): Guess[] {
  const parsed = answer.safeParse(jsonOf(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`its answer, at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const { elements } = parsed.data;
  const outside = elements.find((one) => one.x + one.width > width || one.y + one.height > height);
  if (outside !== undefined)
    throw new Error(`its ${outside.role} at ${outside.x},${outside.y} leaves the picture`);
  return elements.map((one) => ({ ...one, by: 'vision.command' }));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('its answer is no JSON');
  }
}
