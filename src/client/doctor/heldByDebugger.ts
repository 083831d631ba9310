import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolCaller, ToolResult } from '../demo/toolCaller.ts';
import { member } from '../messages.ts';
import { said } from './finding.ts';
import { forgotten } from './forgotten.ts';

/** Debuggers of others, by the names that `debug_breakpoint` takes. */
export const debuggers = ['gdb', 'lldb', 'delve'] as const;
type Debugger = (typeof debuggers)[number];

/** A session that it is to stop. */
interface Sitting {
  readonly caller: ToolCaller;
  readonly sessionId: unknown;
  readonly adapter: Debugger;
}

const stopMs = 20_000;
const goText = 'package main\n\nimport "time"\n\nfunc main() { time.Sleep(time.Minute) }\n';

/** Has a debugger hold a program and let it go; a whole line. Throws what it says where it cannot. */
export async function held(
  caller: ToolCaller,
  projectRoot: string,
  adapter: Debugger,
): Promise<string> {
  const sleep = { command: '/bin/sleep', args: ['60'], projectRoot };
  const cure = await inSession(caller, sleep, adapter, missing);
  if (cure !== null) return `not found: ${cure}`;
  const program = adapter === 'delve' ? await goProgram(projectRoot) : sleep;
  if (program === null) return 'not tried: no Go here';
  await inSession(caller, program, adapter, stopped);
  return 'held a program and let it go again';
}

/** Runs a program for as long as something is tried with it. */
async function inSession<T>(
  caller: ToolCaller,
  program: Readonly<Record<string, unknown>>,
  adapter: Debugger,
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
