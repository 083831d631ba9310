import { checkOptions } from './checkOptions.ts';
import type { Finding } from './doctor/finding.ts';
import { clock, disk, ptrace, seccomp, sharedMemory } from './doctor/machine.ts';
import {
  cLibrary,
  compiler,
  daemon,
  frida,
  home,
  installation,
  nativeParts,
  node,
  python,
} from './doctor/parts.ts';
import {
  debugInformation,
  registrations,
  settings,
  socket,
  stage,
  staleFiles,
  testRunners,
} from './doctor/surroundings.ts';
import { tracers } from './doctor/tracers.ts';
import { repair } from './doctor/doctorFix.ts';
import type { Manifest } from './manifestTypes.ts';
import type { Output } from './toolCommand.ts';

const marks = { ok: '✓', warning: '!', problem: '✗' } as const;

/**
 * `strobe doctor [--fix] [--quick] [--json]`: what Strobe needs, whether it is there, and the cure where it is not.
 * Status 5 when something is missing without which it cannot do its main job.
 */
export async function runDoctor(
  manifest: Manifest,
  words: readonly string[],
  output: Output,
): Promise<number> {
  checkOptions('doctor', words, ['--fix', '--quick', '--json']);
  const fixed = words.includes('--fix') ? await repair(output.err) : [];
  const isJson = words.includes('--json');
  if (!isJson) for (const detail of fixed) output.out(line({ what: 'fixed', state: 'ok', detail }));
  const findings: Finding[] = [];
  for await (const some of examined(manifest, !words.includes('--quick'))) {
    findings.push(...some);
    if (!isJson) output.out(some.map(line).join(''));
  }
  const missing = findings.some(isProblem);
  if (isJson) output.out(`${JSON.stringify({ ok: !missing, fixed, findings }, null, 2)}\n`);
  return missing ? (manifest.exitStatus['environment'] ?? 1) : 0;
}

/** Findings as they are made. `thoroughly`: also what takes seconds. */
async function* examined(manifest: Manifest, thoroughly: boolean): AsyncGenerator<Finding[]> {
  const running = await daemon(manifest);
  const parts = [node(), installation(manifest), cLibrary(), home()];
  const more = await Promise.all([nativeParts(), python(), compiler()]);
  const needed = [...parts, ...more, frida()];
  yield needed;
  yield [ptrace(), seccomp(), clock(), sharedMemory(), disk()];
  yield [debugInformation(), await testRunners(), stage(), settings()];
  const isRunning = running.detail.startsWith('pid ');
  yield [running, socket(isRunning), staleFiles(isRunning), ...registrations()];
  const isReady = [...needed, running].every(({ state }) => state === 'ok' || state === 'warning');
  if (thoroughly && isReady && frida().state === 'ok') yield await tracers();
  else
    yield [
      { what: 'attach', state: 'warning', detail: `not tried${thoroughly ? ': see above' : ''}` },
    ];
}

function isProblem({ state }: Finding): boolean {
  return state === 'problem';
}

function line({ what, state, detail }: Finding): string {
  return `${marks[state]} ${what.padEnd(15)}${detail}\n`;
}
