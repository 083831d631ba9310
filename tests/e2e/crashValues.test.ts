import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { countTokens } from '../support/tokens.ts';
import { enlarged } from '../support/enlarged.ts';
import { itNeeds } from '../support/needs.ts';
import { listAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('values of a program that crashed', () => {
  const { home, client } = withClient();

  itNeeds(
    'rustc',
    '[crash.values] Rust’s enumerations with values, maps, options and owners are what the program printed before it died',
    async () => {
      const program = buildTarget('crash/holders.rs');
      const { sessionId, exit } = await runToEnd(client, home, program, {
        projectRoot: dirname(program),
      });
      expect(exit).toMatchObject({ signal: 'SIGSEGV' });
      const { text } = await client.ok('debug_query', { view: 'crash', sessionId });
      const output = await client.ok('debug_query', { view: 'output', sessionId });
      const printed = listAt(output.structured, 'lines').map((line) => textAt(line, 'text'));
      expect(printed).toHaveLength(13);
      const [locals = ''] = /^ {7}.*waiting=.*$/m.exec(text) ?? [];
      const unplaced = locals.replaceAll(/0x[0-9a-f]+(?=\{)/g, '');
      for (const line of printed) expect(line.includes('0x') ? locals : unplaced).toContain(line);
    },
  );

  test('[crash.values] that the fields of derived classes are not read of a large program is told', async () => {
    const small = buildTarget('crash/derived.cpp', ['-O0']);
    const crashOf = async (program: string): Promise<string> => {
      const place = { projectRoot: dirname(program) };
      const { sessionId } = await runToEnd(client, home, program, place);
      return (await client.ok('debug_query', { view: 'crash', sessionId })).text;
    };
    const whole = await crashOf(small);
    expect(whole).toMatch(/shape=0x[0-9a-f]+\{class="forms::Circle", id=7, radius=31\}/);
    expect(whole).not.toContain('32 MB');
    const large = await crashOf(enlarged(small, home.project));
    expect(large).toMatch(/shape=0x[0-9a-f]+\{class="forms::Circle", id=7\}/);
    expect(large).toMatch(
      /Of values in \S+derived: an object behind a pointer to its base shows its class, but only the fields of the base: its debug information \(33 MB\)/,
    );
  });

  test('[crash.story] a frame with many long values shows some of each of them', async () => {
    const program = buildTarget('crash/holders.cpp', ['-std=c++17', '-O0']);
    const { sessionId } = await runToEnd(client, home, program, { projectRoot: dirname(program) });
    const { text } = await client.ok('debug_query', { view: 'crash', sessionId });
    expect(countTokens(text)).toBeLessThanOrEqual(1500);
    const names = ['names', 'byName', 'marks', 'counts', 'seen', 'path', 'waiting', 'rows', 'bits'];
    names.push('shares', 'row', 'place', 'someone', 'nobody', 'word', 'number', 'owned', 'shared');
    for (const name of names) expect(text).toContain(` ${name}=`);
    expect(text).toContain('marks=[-3, 4, 5]');
    expect(text).toMatch(/shared=0x[0-9a-f]+\{x=11, y=12\} \(1 owner, 1 weak\)/);
  });
});
