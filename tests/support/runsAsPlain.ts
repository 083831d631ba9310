import { spawnSync } from 'node:child_process';
import { expect, onTestFinished } from 'vitest';
import { callsOf, linesOf, type SeenCall } from './calls.ts';
import { OwnDaemon } from './ownDaemon.ts';
import { numberAt, textAt } from './read.ts';

export interface Ran {
  readonly daemon: OwnDaemon;
  readonly sessionId: string;
  readonly calls: readonly SeenCall[];
  /** Of the plain run. */
  readonly stdout: string;
}

interface Where {
  /** It is run there, and its sources are the project. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Of the traced run alone. */
  readonly tracedEnv?: Readonly<Record<string, string>>;
  readonly patterns?: readonly string[];
  /** What differs in each run. */
  readonly ignored?: RegExp;
}

/** Runs a program traced to its end, and expects it to do what it does untraced. */
export async function runsAsPlain(
  command: string,
  args: readonly string[],
  { folder, env = {}, tracedEnv = {}, patterns = ['@usercode'], ignored }: Where,
): Promise<Ran> {
  const daemon = await OwnDaemon.start([]);
  onTestFinished(async () => daemon.close());
  const options = { encoding: 'utf8', env: { ...daemon.home.env, ...env }, cwd: folder } as const;
  const plain = spawnSync(command, args, options);
  const launched = await daemon.ok('debug_launch', {
    command,
    args,
    cwd: folder,
    projectRoot: folder,
    patterns,
    env: { ...env, ...tracedEnv },
  });
  const sessionId = textAt(launched.structured, 'sessionId');
  await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
  const lines = await linesOf(daemon, sessionId);
  const same = (text: string): string => (ignored ? text.replaceAll(ignored, '') : text).trimEnd();
  const written = (stream: string): string =>
    lines.flatMap((line) => (line.stream === stream ? [line.text] : [])).join('\n');
  expect(same(written('stdout'))).toBe(same(plain.stdout));
  expect(same(written('stderr'))).toBe(same(plain.stderr));
  const { structured } = await daemon.ok('debug_session', { action: 'status', sessionId });
  expect(numberAt(structured, 'session', 'exit', 'code')).toBe(plain.status);
  return { daemon, sessionId, calls: await callsOf(daemon, sessionId), stdout: plain.stdout };
}
