import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { within } from '../../base/deadline.ts';
import { startDetached } from '../../base/process.ts';
import type { DetachedProcess } from '../../base/process.ts';
import { readAll } from '../../base/readAll.ts';
import { StrobeError } from '../../model/errors.ts';
import { supervisorAnswer, supervisorStage, supervisorWire } from '../../protocol/supervisor.ts';
import { withEnd } from './supervisorEnd.ts';
import { encodeLaunchSpec } from './launchSpec.ts';
import type { LaunchSpec } from './launchSpec.ts';
import { stageName } from './outputLog.ts';

const launchMs = 20_000;

/** What a supervisor answers; `stage` 0 means that the target was started. */
export interface LaunchAnswer {
  readonly stage: number;
  readonly errno: number;
  readonly supervisorPid: number;
  readonly targetPid: number;
  readonly startedNs: bigint;
}

/** Starts the supervisor, under its standby, and hears that its target is in place; `abandon` ends all. Throws as Supervisor.start. */
export async function startSupervisorProcess(
  supervisorPath: string,
  sessionDir: string,
  spec: LaunchSpec,
): Promise<{ readonly answer: LaunchAnswer; readonly standby: DetachedProcess; abandon(): void }> {
  const bytes = encodeLaunchSpec(spec);
  const standby = await spawnSupervisor(supervisorPath, sessionDir, spec.stdio === 'inherit');
  let target = 0;
  const abandon = (): void => {
    for (const pid of [target, standby.pid].filter((known) => known > 0)) killIfLeft(pid);
  };
  const [specPipe, answerPipe] = standby.pipes;
  try {
    if (!specPipe || !answerPipe) throw new StrobeError('INTERNAL', 'The supervisor got no pipes.');
    const late = (): StrobeError =>
      new StrobeError('SUPERVISOR_LOST', `The supervisor started nothing within ${launchMs} ms.`);
    specPipe.on('error', () => {
      // A supervisor that ends early is told by its answer, or by the lack of one.
    });
    specPipe.end(bytes);
    const answer = readAnswer(await within(launchMs, readAll(answerPipe), late));
    throwUnlessStarted(answer, spec, sessionDir);
    target = answer.targetPid;
    return { answer, standby, abandon };
  } catch (error) {
    const told = await withEnd(error, { sessionDir, supervisorPid: null, standby });
    abandon();
    throw told;
  } finally {
    for (const pipe of standby.pipes) pipe.destroy();
  }
}

/** Reads what a supervisor answered; throws as Supervisor.start when nothing was started. */
export function checkLaunchAnswer(
  bytes: Buffer,
  spec: LaunchSpec,
  sessionDir: string,
): LaunchAnswer {
  const answer = readAnswer(bytes);
  throwUnlessStarted(answer, spec, sessionDir);
  return answer;
}

function throwUnlessStarted(answer: LaunchAnswer, spec: LaunchSpec, sessionDir: string): void {
  if (answer.stage !== supervisorStage.none) throw launchError(answer, spec, sessionDir);
}

function killIfLeft(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

async function spawnSupervisor(
  path: string,
  sessionDir: string,
  terminal: boolean,
): Promise<DetachedProcess> {
  try {
    return await startDetached(
      (pipes) => ({ command: path, args: [sessionDir, ...pipes.map(String)] }),
      { pipes: 2, terminal },
    );
  } catch (error) {
    throw new StrobeError(
      'TOOLCHAIN_MISSING',
      `The supervisor cannot be started: ${String(error)}`,
      'Build Strobe: npm run build.',
    );
  }
}

function readAnswer(bytes: Buffer): LaunchAnswer {
  if (bytes.length !== supervisorAnswer.bytes) {
    throw new StrobeError('SUPERVISOR_LOST', 'The supervisor ended before it started the program.');
  }
  return {
    stage: bytes.readUInt32LE(supervisorAnswer.stage),
    errno: bytes.readUInt32LE(supervisorAnswer.errno),
    supervisorPid: bytes.readUInt32LE(supervisorAnswer.supervisorPid),
    targetPid: bytes.readUInt32LE(supervisorAnswer.targetPid),
    startedNs: bytes.readBigUInt64LE(supervisorAnswer.startedNs),
  };
}

function launchError(answer: LaunchAnswer, spec: LaunchSpec, sessionDir: string): StrobeError {
  const [name, words] = getSystemErrorMap().get(-answer.errno) ?? [`errno ${answer.errno}`, ''];
  const why = `${name}${words ? ` (${words})` : ''}`;
  switch (answer.stage) {
    case supervisorStage.chdir:
      return new StrobeError('NO_SUCH_DIRECTORY', `${spec.cwd} cannot be entered: ${why}.`);
    case supervisorStage.trace:
      return new StrobeError(
        'PTRACE_DENIED',
        `The kernel does not let the program be stopped at its start: ${why}.`,
      );
    case supervisorStage.setup:
      return answer.errno === constants.errno.ENAMETOOLONG
        ? new StrobeError(
            'PATH_TOO_LONG',
            `${sessionDir}/supervisor.sock exceeds ${supervisorWire.maxSocketPath} bytes.`,
          )
        : new StrobeError(
            'STORE_FAILED',
            `The session folder ${sessionDir} cannot be used: ${why}.`,
          );
    case supervisorStage.exec:
      return new StrobeError('EXEC_FAILED', `${spec.path} was not started: ${why}.`);
    default:
      return new StrobeError(
        'EXEC_FAILED',
        `${spec.path} was not started: ${stageName(answer.stage)}: ${why}.`,
      );
  }
}
