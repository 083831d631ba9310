import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { packageRoot, runProgram } from '../support/strobe.ts';
import { withHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const strobe = join(packageRoot, 'strobe');
const program = buildTarget('e2e/inherits.c');

describe('what a program has from its caller', () => {
  const home = withHome();

  /** What it says, run by a shell with `command` put in for COMMAND. */
  async function said(script: string, command: string): Promise<string> {
    const out = join(home.project, 'said');
    writeFileSync(out, '');
    const place = { env: home.env, cwd: home.project };
    const whole = script.replace('COMMAND', `${command} ${program} ${out}`);
    const ended = await runProgram(place, ['bash', '-c', whole]);
    return `${readFileSync(out, 'utf8')}status ${ended.code}\n${ended.stdout.toString()}`;
  }

  const report = (): string => join(home.project, 'report');
  const run = (): string => `${strobe} run --trace work --out ${report()} --`;

  test.each([
    ['a file', 'exec 5</etc/passwd; COMMAND'],
    ['files and pipes where ours would be', 'exec 3</etc/passwd 4<&0 7> >(cat); COMMAND'],
    ['a pipe of the shell', 'COMMAND <(echo one)'],
    ['limits and niceness', 'ulimit -Sn 256; ulimit -Ss 4096; nice -n 5 COMMAND'],
    ['fewer files than ours are', 'ulimit -n 40; COMMAND'],
    ['no input', 'COMMAND <&-'],
    ['no streams at all', 'COMMAND <&- >&- 2>&-'],
    ['ignored signals', "trap '' HUP USR1; COMMAND"],
  ])('[cli.run-inherits] `strobe run` passes on %s', async (_what, script) => {
    const plain = await said(script, '');
    expect(plain).toContain('status 7');
    expect(await said(script, run())).toBe(plain);
  });

  test('[cli.run-inherits] holds nothing open that its program has closed', async () => {
    // The reader ends when the last writer has closed; the program goes on until it has.
    const closes = `sh -c 'exec 5>&-; while [ -e reads ]; do sleep 0.01; done; exit 3'`;
    const script = `touch reads; exec 5> >(cat; rm reads); ${run()} ${closes} 5>&5 & exec 5>&-; wait $!`;
    const ended = await runProgram({ env: home.env, cwd: home.project }, ['bash', '-c', script]);
    expect(ended.code).toBe(3);
  });

  test('[launch.resources] `strobe launch` gives its limits and niceness', async () => {
    const script = 'ulimit -Sn 256; ulimit -Ss 4096; ulimit -c 0; nice -n 5 COMMAND';
    const own = (text: string): string[] => text.match(/^(limit|nice \d+)[^,\n]*/gm) ?? [];
    const plain = own(await said(script, ''));
    expect(plain).toHaveLength(17);
    expect(own(await said(`${script}; ${strobe} session wait`, `${strobe} launch --`))).toEqual(
      plain,
    );
  });
});
