import { expect, test } from 'vitest';
import { expectNothingEarly } from '../../tests/support/lateIndex.ts';
import { withClient } from '../../tests/support/suite.ts';

const RUNS = 100;

const { home, client } = withClient();

test(`[session.final] no answer of ${RUNS} runs on a loaded machine gives counts too early, or says that there was no output`, async () => {
  let [final, behind] = [0, 0];
  for (let run = 0; run < RUNS; run++) {
    const said = await expectNothingEarly(client, home, 20_000 * (1 + (run % 50)));
    final += said.final;
    behind += said.behind;
  }
  expect(final + behind).toBe(5 * RUNS);
  expect(final).toBeGreaterThan(RUNS);
}, 1_800_000);
