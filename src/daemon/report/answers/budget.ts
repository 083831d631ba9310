import type { ToolAnswer } from '../../request.ts';
import { tokenCounter, type TokenCount } from './tokenCount.ts';
import { Vocabulary } from './vocabulary.ts';

/*
 * How an answer keeps its budget (tokens of the o200k vocabulary, counted over the larger of
 * the two forms):
 *
 *   render(room) ── estimates while it builds ──▶ answer ── exact count ──▶ fits? done
 *        ▲                                                       │
 *        └────────── room scaled by budget / count ◀─────────────┘
 *
 * The estimate costs nothing and is usually 0–25 % too high; the exact count needs the
 * vocabulary (50 ms and 10 MB, read once, at the first long answer). A renderer never cuts a
 * line: it leaves whole lines out and says which.
 */

/** An answer made for some room. `leftOut`: content that more room would have shown. */
export interface Rendered extends ToolAnswer {
  readonly leftOut: boolean;
}

/** Exact o200k count. Text that spells a special token counts as ordinary text. */
export async function countTokens(text: string): Promise<number> {
  return (await openCounter())(text);
}

/** Tokens of both forms; the budget is about the larger. */
export async function answerTokens(
  answer: ToolAnswer,
): Promise<{ readonly text: number; readonly structured: number; readonly larger: number }> {
  return tokensOf(answer, await openCounter());
}

let counter: TokenCount | null = null;

async function openCounter(): Promise<TokenCount> {
  if (counter) return counter;
  const vocabulary = await Vocabulary.load();
  return (counter = tokenCounter((piece) => vocabulary.count(piece)));
}

/** Of the larger form. */
function mostBytes(answer: ToolAnswer): number {
  return Math.max(
    Buffer.byteLength(answer.text),
    Buffer.byteLength(JSON.stringify(answer.structured)),
  );
}

function tokensOf(
  answer: ToolAnswer,
  count: TokenCount,
): { text: number; structured: number; larger: number } {
  const text = count(answer.text);
  const structured = count(JSON.stringify(answer.structured));
  return { text, structured, larger: Math.max(text, structured) };
}

const roundsAtMost = 6;
const wellUsed = 0.92;

/** Renders one answer, or pages of it one after the other, within a budget. */
export class Fitting {
  readonly #budget: number;
  #room: number;

  constructor(budget: number) {
    this.#budget = budget;
    this.#room = budget;
  }

  /**
   * Renders until the exact count is within the budget and, where something was left out, most
   * of the budget is used. When not even the smallest form fits, that form is returned. Begins
   * with the room that fitted last.
   */
  async fit<T extends Rendered>(render: (room: number) => T): Promise<T> {
    const budget = this.#budget;
    let room = this.#room;
    let tooMuch = Number.POSITIVE_INFINITY;
    let best: { answer: T; room: number } | null = null;
    for (let round = 0; round < roundsAtMost; round += 1) {
      const answer = render(room);
      // A token has a byte at least.
      if (!answer.leftOut && mostBytes(answer) <= budget) return answer;
      const { larger } = tokensOf(answer, await openCounter());
      if (larger <= budget) {
        best = { answer, room };
        if (!answer.leftOut || larger >= budget * wellUsed) break;
        room = Math.floor(
          Math.min(room * Math.min(2, (budget * 0.97) / larger), (room + tooMuch) / 2),
        );
      } else {
        tooMuch = room;
        const scaled = Math.floor(room * Math.min(0.9, (budget * 0.97) / larger));
        room = best ? Math.max(Math.floor((best.room + room) / 2), scaled) : scaled;
      }
      if (best && room <= best.room) break;
    }
    if (best) this.#room = best.room;
    return best ? best.answer : render(0);
  }
}

/** Renders one answer within a budget (`Fitting.fit`). */
export async function fit<T extends Rendered>(
  budget: number,
  render: (room: number) => T,
): Promise<T> {
  return new Fitting(budget).fit(render);
}

/** Tokens of the two forms of a part of an answer, by estimate. */
export interface Cost {
  readonly text: number;
  readonly structured: number;
}

/** `twin`: what the structured form gains. */
export function costOf(text: string, twin?: unknown): Cost {
  return {
    text: estimateTokens(text) + 1,
    structured: twin === undefined ? 0 : estimateTokens(JSON.stringify(twin)) + 1,
  };
}

/** Adds up what two forms of an answer are going to cost. */
export class Space {
  readonly #room: number;
  #text = 0;
  #structured = 0;

  constructor(room: number) {
    this.#room = room;
  }

  /** Counts something that is shown in any case. */
  spend({ text, structured }: Cost): void {
    this.#text += text;
    this.#structured += structured;
  }

  /** Gives back what was counted. */
  refund({ text, structured }: Cost): void {
    this.#text -= text;
    this.#structured -= structured;
  }

  /** Tokens that are left, by estimate. */
  get left(): number {
    return this.#room - Math.max(this.#text, this.#structured);
  }

  /** Counts it when it fits; false, and nothing counted, when it does not. */
  take(cost: Cost): boolean {
    this.spend(cost);
    if (this.#text <= this.#room && this.#structured <= this.#room) return true;
    this.refund(cost);
    return false;
  }
}

/** The first level (richest first) whose answer fits by estimate, else the last level's. */
export function richest(
  room: number,
  levels: readonly number[],
  render: (level: number) => ToolAnswer,
): Rendered {
  const [level = 0, ...poorer] = levels;
  const answer = render(level);
  const space = new Space(room);
  if (poorer.length === 0 || space.take(costOf(answer.text, answer.structured)))
    return { ...answer, leftOut: false };
  return { ...richest(room, poorer, render), leftOut: true };
}

/**
 * About how many o200k tokens a text has; a little too many for code, names and JSON.
 * Follows the vocabulary's own splitting: words (with one sign before them), up to three
 * digits, runs of signs, white space.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let at = 0;
  while (at < text.length) {
    const start = at;
    switch (kindAt(text, at)) {
      case 'upper':
      case 'lower':
        at += 1;
        while (kindAt(text, at) === 'upper') at += 1;
        while (kindAt(text, at) === 'lower') at += 1;
        tokens += Math.ceil((at - start) / 5);
        break;
      case 'digit':
        while (at - start < 3 && kindAt(text, at) === 'digit') at += 1;
        tokens += 1;
        break;
      case 'sign':
        while (kindAt(text, at) === 'sign') at += 1;
        tokens += Math.max(0.6, (at - start) / 2);
        break;
      case 'space':
        while (kindAt(text, at) === 'space') at += 1;
        tokens += at - start > 1 ? 1 : 0.1;
        break;
      case 'line':
        while (kindAt(text, at) === 'line') at += 1;
        tokens += 1;
        break;
      case 'wide':
        at += 1;
        tokens += text.charCodeAt(start) < 0x2000 ? 0.8 : 1.4;
        break;
      case 'end':
        return Math.ceil(tokens);
    }
  }
  return Math.ceil(tokens);
}

type CharacterKind = 'upper' | 'lower' | 'digit' | 'sign' | 'space' | 'line' | 'wide' | 'end';

function kindAt(text: string, at: number): CharacterKind {
  if (at >= text.length) return 'end';
  return asciiKinds[text.charCodeAt(at)] ?? 'wide';
}

const asciiKinds: readonly CharacterKind[] = Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return 'lower';
  if (/[A-Z]/.test(character)) return 'upper';
  if (/\d/.test(character)) return 'digit';
  if (/[ \t]/.test(character)) return 'space';
  return /[\n\r]/.test(character) ? 'line' : 'sign';
});
