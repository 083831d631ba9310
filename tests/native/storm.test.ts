import { it } from 'vitest';
import { engineAsPart, storm } from '../support/storm.ts';
import { buildTarget } from '../support/targets.ts';

const sanitizers = {
  'the address sanitizer': ['-fsanitize=address'],
  'the undefined behaviour sanitizer': ['-fsanitize=undefined', '-fno-sanitize-recover=all'],
  'the thread sanitizer': ['-fsanitize=thread', '-Wno-tsan'],
};

for (const [name, sanitizer] of Object.entries(sanitizers)) {
  it(`[trace.hazards] eight threads, hooks, policies, watches and triggers in random order, under ${name}`, async () => {
    const first = Math.floor(Math.random() * 1e6);
    const program = buildTarget('engine/storm.c', [...sanitizer, ...engineAsPart('x64')]);
    for (let seed = first; seed < first + 3; seed++) {
      await storm([program], seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
    }
  }, 240_000);
}
