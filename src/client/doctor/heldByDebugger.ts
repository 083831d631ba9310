import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolCaller, ToolResult } from '../demo/toolCaller.ts';
import { member } from '../messages.ts';
import { said } from './finding.ts';
import { forgotten } from './forgotten.ts';

/** What `debug_breakpoint` calls Strobe's own stopper. */
const own = 'strobe';
/** No debugger has this name: what refuses it names those that there are. */
const unknown = 'none-of-these';

/** A session that it is to stop. */
interface Sitting {
  readonly caller: ToolCaller;
  readonly sessionId: unknown;
  readonly adapter: string;
}

const stopMs = 20_000;
const pythonText = 'import time\nwhile True:\n    time.sleep(0.01)\n';
const goText = 'package main\n\nimport "time"\n\nfunc main() { time.Sleep(time.Minute) }\n';

/** Debuggers of others that the daemon knows, also those of the user's settings, by their names. */
export async function debuggers(caller: ToolCaller, projectRoot: string): Promise<string[]> {
  return await inSession(caller, sleeping(projectRoot), unknown, async ({ sessionId, adapter }) => {
    const { text } = await caller.call('debug_breakpoint', { sessionId, adapter });
    const [, names] = /^Next: Known: ([^.]*)\./m.exec(text) ?? [];
    if (names === undefined) throw new Error(text);
    return names.split(', ').filter((name) => name !== own);
  });
}

/** Has a debugger hold a program and let it go; a whole line. Throws what it says where it cannot. */
export async function held(
  caller: ToolCaller,
  projectRoot: string,
  adapter: string,
): Promise<string> {
  const asked = await (adapter === 'debugpy' ? pythonProgram : sleeping)(projectRoot);
  if (asked === null) return 'not tried: no Python here';
  const cure = await inSession(caller, asked, adapter, missing);
  if (cure !== null) return `not found: ${cure}`;
  const program = adapter === 'delve' ? await goProgram(projectRoot) : asked;
  if (program === null) return 'not tried: no Go here';
  await inSession(caller, program, adapter, stopped);
  return 'held a program and let it go again';
}

function sleeping(projectRoot: string): Readonly<Record<string, unknown>> {
  return { command: '/bin/sleep', args: ['60'], projectRoot };
}

/** Runs a program for as long as something is tried with it. */
async function inSession<T>(
  caller: ToolCaller,
  program: Readonly<Record<string, unknown>>,
  adapter: string,
  work: (sitting: Sitting) => Promise<T>,
): Promise<T> {
  const launched = done(await caller.call('debug_launch', program));
  try {
    return await work({ caller, sessionId: member(launched.structured, 'sessionId'), adapter });
  } finally {
    await forgotten(caller, launched, 'stop');
  }
}

/** How it is got; null: it is here. */
async function missing({ caller, sessionId, adapter }: Sitting): Promise<string | null> {
  const chosen = await caller.call('debug_breakpoint', { sessionId, adapter });
  if (!/is not on this machine/.test(chosen.text)) return null;
  return /^Next: (.*)$/m.exec(chosen.text)?.[1] ?? chosen.text;
}

async function stopped({ caller, sessionId, adapter }: Sitting): Promise<void> {
  done(await caller.call('debug_breakpoint', { sessionId, adapter }));
  const pause = { sessionId, action: 'pause', timeoutMs: stopMs };
  const paused = done(await caller.call('debug_continue', pause));
  if (member(paused.structured, 'state') !== 'stopped') throw new Error(paused.text);
  done(await caller.call('debug_continue', { sessionId, action: 'continue', timeoutMs: 0 }));
}

/** Null: there is no interpreter. */
async function pythonProgram(
  projectRoot: string,
): Promise<Readonly<Record<string, unknown>> | null> {
  const command = await said('python3', ['-c', 'import sys; print(sys.executable)']);
  return command === null ? null : { command, args: ['-c', pythonText], projectRoot };
}

/** Null: there is no compiler. */
async function goProgram(projectRoot: string): Promise<Readonly<Record<string, unknown>> | null> {
  const command = join(projectRoot, 'strobeProbe');
  const source = `${command}.go`;
  writeFileSync(source, goText);
  const built = await said('go', ['build', '-o', command, source]);
  return built === null ? null : { command, projectRoot };
}

function done(answer: ToolResult): ToolResult {
  if (answer.isError) throw new Error(answer.text);
  return answer;
}
