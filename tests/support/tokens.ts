import { countTokens as countOf } from 'gpt-tokenizer/encoding/o200k_base';
import type { ToolAnswer } from '../../src/daemon/report/answers/answer.ts';

/** Exact o200k count. Text that spells a special token counts as ordinary text. */
export function countTokens(text: string): number {
  return countOf(text, { disallowedSpecial: new Set() });
}

/** Exact counts of both forms; the budget is about the larger. */
export function answerTokens({ text, structured }: ToolAnswer): {
  readonly text: number;
  readonly structured: number;
  readonly larger: number;
} {
  const counts = [countTokens(text), countTokens(JSON.stringify(structured))] as const;
  return { text: counts[0], structured: counts[1], larger: Math.max(...counts) };
}
