import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPaths } from '../../base/installPaths.ts';
import { startOwned } from '../../base/process.ts';
import { ToolCaller } from '../demo/toolCaller.ts';
import { debuggers, held } from './heldByDebugger.ts';
import { said, type Finding } from './finding.ts';
import { forgotten } from './forgotten.ts';

/** Programs with one function each, whose call is to be seen. */
const programs = {
  python: {
    command: 'python3',
    // A version manager may stand before it.
    which: ['-c', 'import sys; print(sys.executable)'],
    file: 'strobeProbe.py',
    text: 'def doubled(number):\n    return number * 2\n\n\nprint(doubled(21))\n',
  },
  node: {
    command: process.execPath,
    which: ['-p', 'process.execPath'],
    file: 'strobeProbe.mjs',
    text: 'function doubled(number) {\n  return number * 2;\n}\nconsole.log(doubled(21));\n',
  },
} as const;

/** What cannot be known without doing it: Frida attaches to a child of ours, a call of each runtime is traced, and other debuggers hold a program. */
export async function tracers(): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-doctor-'));
  try {
    const paths = installPaths();
    const args = [paths.client, 'mcp', '--structured'];
    const proxy = { command: process.execPath, args, cwd: folder, env: process.env };
    await using caller = await ToolCaller.start(proxy, () => undefined);
    const findings = [
      await tried('attach', async () => await attached(caller, folder)),
      await tried('python tracer', async () => await traced(caller, folder, 'python')),
      await tried('node tracer', async () => await traced(caller, folder, 'node')),
    ];
    for (const one of await debuggers(caller, folder))
      findings.push(await tried(one, async () => await held(caller, folder, one)));
    return findings;
  } catch (error) {
    return [{ what: 'attach', state: 'problem', detail: `not tried: ${String(error)}` }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tried(what: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return { what, state: 'ok', detail: await work() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { what, state: what === 'attach' ? 'problem' : 'warning', detail: oneLine(reason) };
  }
}

async function attached(caller: ToolCaller, projectRoot: string): Promise<string> {
  await using child = await startOwned({ command: '/bin/sleep', args: ['60'] });
  const answer = await caller.call('debug_launch', {
    pid: child.pid,
    projectRoot,
    patterns: ['libc.so.6!clock_nanosleep'],
  });
  await forgotten(caller, answer, 'detach');
  child.kill('SIGKILL');
  if (answer.isError) throw new Error(answer.text);
  return 'Frida attached to a process and left it again';
}

async function traced(
  caller: ToolCaller,
  projectRoot: string,
  name: keyof typeof programs,
): Promise<string> {
  const { command, which, file, text } = programs[name];
  const program = await said(command, which);
  if (program === null) return `no ${command} here: nothing to trace`;
  writeFileSync(join(projectRoot, file), text);
  const answer = await caller.call('debug_launch', {
    command: program,
    args: [file],
    cwd: projectRoot,
    projectRoot,
    patterns: ['doubled'],
    waitFor: 'exit',
    waitMs: 20_000,
    view: 'events',
  });
  await forgotten(caller, answer, 'stop');
  if (/doubled\(number=21\) = 42/.test(answer.text)) return 'a call was seen with its values';
  throw new Error(`the call of a small program was not seen: ${answer.text}`);
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s*\n\s*/g, ' · ');
  return line.length <= 400 ? line : `${line.slice(0, 400)}…`;
}
