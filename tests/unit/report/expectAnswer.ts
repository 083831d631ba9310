import { expect } from 'vitest';
import { answerTokens } from '../../support/tokens.ts';
import type { ToolAnswer } from '../../../src/daemon/report/answers/answer.ts';
import { debugLaunch } from '../../../src/protocol/tools/debugLaunch.ts';
import { debugQuery } from '../../../src/protocol/tools/debugQuery.ts';
import { debugSession } from '../../../src/protocol/tools/debugSession.ts';
import { debugTest } from '../../../src/protocol/tools/debugTest.ts';
import { debugTrace } from '../../../src/protocol/tools/debugTrace.ts';
import { goldens } from '../../golden.ts';

const outputs = {
  debug_launch: debugLaunch.output,
  debug_session: debugSession.output,
  debug_trace: debugTrace.output,
  debug_query: debugQuery.output,
  debug_test: debugTest.output,
};

interface Expected {
  readonly tool?: keyof typeof outputs;
  readonly budget?: number;
  /** Whether the golden text holds the structured content. */
  readonly twin?: boolean;
}

/** Checks answers of one test file: within its budget, of the shape the tool promises, and word for word the golden text. */
export function answersOf(folder: string, subject: string, usual: keyof typeof outputs) {
  const golden = goldens(folder, subject);
  return async (name: string, answer: ToolAnswer, expected: Expected = {}): Promise<void> => {
    const { tool = usual, budget = 2000, twin = false } = expected;
    const cost = answerTokens(answer);
    const costs = `text ${cost.text} · structured ${cost.structured}`;
    expect(cost.larger, `${name}: ${costs}`).toBeLessThanOrEqual(budget);
    outputs[tool].parse(JSON.parse(JSON.stringify(answer.structured)));
    const structured = `\n--- structured\n${JSON.stringify(answer.structured, null, 1)}`;
    const text = `${costs} · budget ${budget}\n---\n${answer.text}${twin ? structured : ''}`;
    await golden.expectGolden(name, text, { exact: true });
  };
}
