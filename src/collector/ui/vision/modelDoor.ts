import { createHash } from 'node:crypto';
import { z } from 'zod';
import { within } from '../../../base/deadline.ts';
import { runProgram, type Command } from '../../../base/process.ts';
import type { Box } from '../box.ts';
import { pngOf, type Picture } from '../picture.ts';

/** What a program of the user, a model for instance, finds in a picture. */
export interface Guess extends Box {
  readonly role: string;
  readonly name: string;
  /** The share of its range, 0 to 1. */
  readonly value: number | null;
  readonly confidence: number;
}

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

/** Asks the program of the setting vision.command: a PNG on its stdin, `{"elements": […]}` on its stdout, in pixels. */
export class ModelDoor {
  readonly #command: readonly string[];
  /** The last answer of each surface, with the digest of its picture. */
  readonly #last = new Map<string, { readonly digest: string; readonly guessed: Guessed }>();

  constructor(command: readonly string[]) {
    this.#command = command;
  }

  /** A picture that is as it was is answered as it was. `surface`: its key. What fails is said. */
  async find(surface: string, picture: Picture): Promise<Guessed> {
    const [program, ...args] = this.#command;
    if (program === undefined)
      return {
        guesses: [],
        said: 'by shape alone, without OCR and models (YOLO, SigLIP): the setting vision.command names a program that has them',
      };
    const size = `${picture.width}x${picture.height}`;
    const digest = createHash('sha256').update(size).update(picture.pixels).digest('base64');
    const last = this.#last.get(surface);
    if (last?.digest === digest) return last.guessed;
    try {
      const guesses = await asked({ command: program, args }, picture);
      const said = `by shape, and ${guesses.length} elements by ${program}`;
      const guessed = { guesses, said };
      this.#last.set(surface, { digest, guessed });
      return guessed;
    } catch (error) {
      // It is asked again the next time: what is wrong may be put right meanwhile.
      const why = error instanceof Error ? error.message : String(error);
      const said = `by shape alone: vision.command ${program}: ${why.slice(0, MOST_SAID)}`;
      return { guesses: [], said };
    }
  }
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
  return elements;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('its answer is no JSON');
  }
}
