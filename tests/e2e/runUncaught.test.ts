import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { runStrobe } from '../support/strobe.ts';
import { withHome } from '../support/suite.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('strobe run of a program that nothing caught an exception in', () => {
  const home = withHome();

  /** The report of a run of this text, by Node. */
  async function reportOf(
    text: string,
    options: readonly string[] = [],
    status = 1,
  ): Promise<string> {
    writeFileSync(join(home.project, 'pay.mjs'), text);
    const command = ['run', ...options, '--', process.execPath, 'pay.mjs'];
    const { stderr, code } = await runStrobe({ env: home.env, cwd: home.project }, command);
    expect(code).toBe(status);
    return stderr.slice(stderr.indexOf(' · node pay.mjs · '));
  }

  const pay = 'function pay(cents) { if (cents > 2) throw new RangeError("too much"); }\n';
  test.each([
    ['thrown', `${pay}pay(1); pay(3);\n`],
    ['rejected', `async ${pay}await pay(1); pay(3);\n`],
  ])('[cli.run-views] the report names an Error that is %s', async (_how, text) => {
    for (const options of [[], ['--trace', '@usercode']]) {
      const report = await reportOf(text, options);
      expect(report).toContain('uncaught RangeError: too much of thread');
      expect(report).toMatch(/#0 pay\(\) {2}pay\.mjs:1/);
      expect(report.match(/^events: /gm)).toHaveLength(1);
    }
  });

  test.each([
    ['thrown', `function pay() { throw { code: 42, why: 'no money' }; }\npay();\n`],
    ['rejected', `async function pay() { throw { code: 42, why: 'no money' }; }\npay();\n`],
    ['returned as rejected', `Promise.reject({ code: 42, why: 'no money' });\n`],
  ])('[cli.run-views] the report shows a value that is %s', async (_how, text) => {
    const report = await reportOf(text, ['--trace', '@usercode']);
    expect(report).toContain('thrown: Object{code=42, why="no money"}, which is no Error');
    expect(report).not.toContain('traced from the start');
  });

  test('[cli.run-views] the value of a rejection has no secrets', async () => {
    const report = await reportOf(`Promise.reject({ password: 'hunter2' });\n`);
    expect(report).toContain('Object{password=<redacted');
    expect(report).not.toContain('hunter2');
  });

  test('[cli.run-views] the report begins with what a child failed by, where the program itself ends well', async () => {
    const text = `import cluster from 'node:cluster';
${pay}if (cluster.isPrimary) cluster.fork();
else pay(3);
`;
    const report = await reportOf(text, ['--trace', '@usercode'], 0);
    expect(report).toContain('exited with code 0');
    expect(report).toMatch(
      /Nothing caught an exception\.\nuncaught RangeError: too much of thread \d+ of process \d+, newest/,
    );
    expect(report.indexOf('uncaught RangeError')).toBeLessThan(report.indexOf('by total'));
    expect(report.match(/^events: /gm)).toHaveLength(1);
  });

  test('[cli.run-once] does not propose the tracing that it had', async () => {
    const report = await reportOf('export function never() {}\nprocess.exitCode = 1;\n', [
      '--trace',
      '@usercode',
    ]);
    expect(report).toContain('1 function hooked, none was called before the program ended.');
    expect(report).not.toContain('next:');
  });
});
