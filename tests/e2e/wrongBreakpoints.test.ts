import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { breakpointProgram } from '../support/breakpointProgram.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { exitOf, launch } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('breakpoints that cannot be', () => {
  const { home, client } = withClient();

  const reasons = (structured: unknown): readonly (readonly [string, string])[] =>
    listAt(structured, 'breakpoints').map((one) => [
      textAt(one, 'state'),
      listAt(one, 'reasons').join(' '),
    ]);

  itNeeds(
    'go',
    '[break.truth] what is not recorded in code of Go says why, and what does it',
    async () => {
      const { sessionId } = await launch(client, home, buildTarget('e2e/orders.go'), {
        stdin: 'open',
      });
      const { structured } = await client.ok('debug_breakpoint', {
        sessionId,
        add: [
          { function: 'main.handle', log: '{n}', thread: 'main' },
          { function: 'runtime.newobject', log: 'x' },
        ],
      });
      const [named, ofRuntime] = reasons(structured);
      expect(named).toEqual(['failed', expect.stringMatching(/A goroutine has no name/)]);
      expect(ofRuntime).toEqual(['failed', expect.stringMatching(/belongs to Go's runtime/)]);
      await client.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
      expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 3 });
    },
  );

  const scripts = [
    {
      name: 'changed.py',
      command: 'python3',
      text: 'def work(n):\n    total = n + 1\n    return total\n\n\nprint("ready", flush=True)\nfor line in iter(input, ""):\n    print(work(len(line)), "done", flush=True)\n',
    },
    {
      name: 'changed.cjs',
      command: process.execPath,
      text: 'function work(n) {\n  const total = n + 1;\n  return total;\n}\nconsole.log("ready");\nrequire("node:readline")\n  .createInterface({ input: process.stdin })\n  .on("line", (line) => console.log(work(line.length), "done"));\n',
    },
  ];

  test.for(scripts)(
    '[break.truth] $name says that it was changed after the program began; a library that is named is meant',
    async ({ name, command, text }) => {
      const file = join(home.project, name);
      writeFileSync(file, text);
      const { place, say } = await breakpointProgram(client, home, command, { args: [file] });
      const before = await place({ file: name, line: 3, log: '{total}' });
      expect(before.text).toMatch(/b1 .* bound/);
      expect(before.text).not.toContain('was changed');
      await say('a');
      const other = await place({ function: 'libnosuch.so!work', log: 'x' });
      expect(at(other.structured, 'breakpoints', 1)).toMatchObject({ state: 'failed' });
      writeFileSync(file, `\n\n${readFileSync(file, 'utf8')}`);
      const after = await place({ file: name, line: 4, log: 'x' });
      expect(after.text).toContain(`${name} was changed after the program began`);
      expect(after.text).toContain('"restart"');
    },
  );
});
