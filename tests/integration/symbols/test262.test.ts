import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';

const part = fileURLToPath(new URL('../../../proof/support/test262Part.mjs', import.meta.url));
const outcomeSchema = z.object({
  runs: z.number(),
  differences: z.array(z.unknown()),
  tally: z.object({ entered: z.number(), wrong: z.number() }),
});

test(
  '[node.test262] tests of the language end and print rewritten as they do plain',
  { timeout: 120_000 },
  () => {
    const printed = execFileSync(process.execPath, [part, '60'], { encoding: 'utf8' });
    const { runs, differences, tally } = outcomeSchema.parse(JSON.parse(printed));
    expect(differences).toEqual([]);
    expect(runs).toBeGreaterThan(150);
    expect(tally.wrong).toBe(0);
    expect(tally.entered).toBeGreaterThan(runs);
  },
);
