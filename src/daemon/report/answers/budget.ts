import { AsyncLocalStorage } from 'node:async_hooks';
import { estimateTokens } from '../../../base/tokenEstimate.ts';
import type { ToolAnswer } from './answer.ts';

/*
 * How an answer keeps its budget, in tokens of the larger of the forms that its client reads:
 *
 *   render(budget) ── adds up its parts as it builds ──▶ answer ── estimate of the whole ──▶ fits? done
 *        ▲                                                               │
 *        └───────────────── once more, with the room corrected ◀─────────┘
 *
 * A renderer never cuts a line: it leaves whole lines out and says which.
 */

/** An answer made for some room. `leftOut`: content that more room would have shown. */
export interface Rendered extends ToolAnswer {
  readonly leftOut: boolean;
}

/** Of the request that is answered. */
const isTextAlone = new AsyncLocalStorage<true>();

/** Answers for a client that reads text alone: the structured form costs no more than it. */
export async function answeringText<T>(answer: () => Promise<T>): Promise<T> {
  return await isTextAlone.run(true, answer);
}

/** Of the larger form, by estimate. */
export function tokensOf(answer: ToolAnswer): number {
  const text = estimateTokens(answer.text);
  if (isTextAlone.getStore()) return text;
  return Math.max(text, estimateTokens(JSON.stringify(answer.structured)));
}

const WELL_USED = 0.95;

/** Renders beyond the first that an answer gets which is too long; the smallest form comes after them. */
const SHORTER_TRIES = 4;
/** What of the room is left at least from the second of them on: parts that miss the whole by chance miss it less with less room. */
const SHORTER_SHARE = 0.75;

/**
 * Renders for the whole budget and, where the sum of the parts missed the whole, once more; rarely again, with less
 * room each time. When nothing fits, the smallest form is returned.
 */
export function fit<T extends Rendered>(budget: number, render: (room: number) => T): T {
  const answer = render(budget);
  const tokens = tokensOf(answer);
  if (tokens > budget) return shorter(budget, tokens, render);
  if (!answer.leftOut || tokens >= budget * WELL_USED) return answer;
  const longer = render(2 * budget - tokens);
  return tokensOf(longer) <= budget ? longer : answer;
}

/** Of what is too much, which its parts did not show, as much again goes. */
function shorter<T extends Rendered>(
  budget: number,
  firstTokens: number,
  render: (room: number) => T,
): T {
  let room = Math.floor(budget + 2 * (budget - firstTokens));
  for (let tries = 0; tries < SHORTER_TRIES && room > 0; tries++) {
    const answer = render(room);
    const tokens = tokensOf(answer);
    if (tokens <= budget) return answer;
    room = Math.floor(Math.min(room + 2 * (budget - tokens), room * SHORTER_SHARE));
  }
  return render(0);
}

/**
 * The richest of the levels (richest first) whose answer fits; the poorest, with no room for anything that can
 * be left out, when none does. Looks at the middle of what is left, since poorer levels are shorter.
 */
export function richest(
  budget: number,
  levels: readonly number[],
  render: (level: number, room: number) => ToolAnswer,
): ToolAnswer {
  const fits = (answer: ToolAnswer): boolean => tokensOf(answer) <= budget;
  const at = (index: number, room = budget): ToolAnswer => render(levels[index] ?? 0, room);
  let best = at(0);
  if (fits(best)) return best;
  let [from, to] = [1, levels.length];
  let found = false;
  while (from < to) {
    const middle = (from + to) >> 1;
    const answer = at(middle);
    if (fits(answer)) {
      [best, found, to] = [answer, true, middle];
    } else from = middle + 1;
  }
  return found ? best : at(levels.length - 1, 0);
}

/** Tokens of the two forms of a part of an answer, by estimate. */
export interface Cost {
  readonly text: number;
  readonly structured: number;
}

/** The end of a line is a token; a comma mostly shares one with what is beside it. */
const NEWLINE = 1;
const COMMA = 0.2;

/** `twin`: what the structured form gains. */
export function costOf(text: string, twin?: unknown): Cost {
  const ofText = estimateTokens(text) + NEWLINE;
  if (twin === undefined) return { text: ofText, structured: 0 };
  if (isTextAlone.getStore()) return { text: ofText, structured: ofText };
  return { text: ofText, structured: estimateTokens(JSON.stringify(twin)) + COMMA };
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
