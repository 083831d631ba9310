import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectNothingEarly } from '../../tests/support/lateIndex.ts';
import { withClient } from '../../tests/support/suite.ts';

/** RUNS: `20-40`, some of the hundred (proof/lateIndex.proof.mjs). */
const [from = 0, to = 100] = (process.env['RUNS'] ?? '').match(/\d+/g)?.map(Number) ?? [];

const { home, client } = withClient();

test(`[session.final] no answer of ${to - from} runs on a loaded machine gives counts too early, or says that there was no output`, async () => {
  const told = { final: 0, behind: 0 };
  for (let run = from; run < to; run++) {
    const said = await expectNothingEarly(client, home, 20_000 * (1 + (run % 50)));
    told.final += said.final;
    told.behind += said.behind;
  }
  if (process.env['TOLD']) appendFileSync(process.env['TOLD'], JSON.stringify(told));
  expect(told.final + told.behind).toBe(5 * (to - from));
  expect(told.final).toBeGreaterThan(to - from);
}, 1_800_000);
