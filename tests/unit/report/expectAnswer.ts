import { expect } from 'vitest';
import { answerTokens } from '../../support/tokens.ts';
import type { ToolAnswer } from '../../../src/daemon/report/answers/answer.ts';
import { debugLaunch } from '../../../src/protocol/tools/debugLaunch.ts';
import { debugQuery } from '../../../src/protocol/tools/debugQuery.ts';
import { debugSession } from '../../../src/protocol/tools/debugSession.ts';
import { debugTest } from '../../../src/protocol/tools/debugTest.ts';
import { debugTrace } from '../../../src/protocol/tools/debugTrace.ts';
import type { Goldens } from '../../golden.ts';

const outputs = {
  debug_launch: debugLaunch.output,
  debug_session: debugSession.output,
  debug_trace: debugTrace.output,
  debug_query: debugQuery.output,
  debug_test: debugTest.output,
};

/** Within its budget, of the shape the tool promises, and word for word the golden text. */
export async function expectAnswer(
  golden: Goldens,
  name: string,
  answer: ToolAnswer,
  options: {
    readonly tool: keyof typeof outputs;
    readonly budget: number;
    readonly twin?: boolean;
  },
): Promise<void> {
  const cost = answerTokens(answer);
  expect(
    cost.larger,
    `${name}: text ${cost.text}, structured ${cost.structured}`,
  ).toBeLessThanOrEqual(options.budget);
  outputs[options.tool].parse(JSON.parse(JSON.stringify(answer.structured)));
  const twin = options.twin
    ? `\n--- structured\n${JSON.stringify(answer.structured, null, 1)}`
    : '';
  await golden.expectGolden(
    name,
    `text ${cost.text} · structured ${cost.structured} · budget ${options.budget}\n---\n${answer.text}${twin}`,
    { exact: true },
  );
}
