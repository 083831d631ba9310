import { once } from 'node:events';
import { closeSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { within } from '../../base/deadline.ts';
import { startDetached, type DetachedProcess } from '../../base/process.ts';
import type { RunPrepared } from '../../protocol/runCommand.ts';
import { ClientError } from '../clientError.ts';

/** The supervisor answers as soon as the program is in place. */
const supervisorMs = 20_000;

/** Starts the supervisor of a prepared run; its answer tells how its program started. */
export async function startSupervisor(
  prepared: RunPrepared,
  inherited: readonly number[],
  abandon: (reason: string) => Promise<void>,
): Promise<{ readonly process: DetachedProcess; readonly answer: Buffer }> {
  const { path, args, spec } = prepared.supervisor;
  try {
    const started = await startDetached(
      // Supervisors of before have theirs at 3 and 4, and take no more arguments.
      (pipes) => ({
        command: path,
        args: pipes.join() === '3,4' ? args : [...args, ...pipes.map(String)],
      }),
      { pipes: 2, terminal: true, inherited },
    );
    for (const number of inherited) closeSync(number);
    const [specPipe, answerPipe] = started.pipes;
    if (!specPipe || !answerPipe)
      throw new ClientError('SUPERVISOR_LOST', 'The supervisor got no pipes.');
    specPipe.on('error', () => undefined); // told by the missing answer
    specPipe.end(Buffer.from(spec, 'base64'));
    const late = (): Error =>
      new ClientError(
        'SUPERVISOR_LOST',
        `The supervisor started nothing within ${supervisorMs / 1000} s.`,
      );
    const answer = await within(supervisorMs, readAll(answerPipe), late);
    for (const pipe of started.pipes) pipe.destroy();
    return { process: started, answer };
  } catch (error) {
    await abandon(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

async function readAll(pipe: Duplex): Promise<Buffer> {
  const parts: Buffer[] = [];
  pipe.on('data', (part: Buffer) => parts.push(part));
  await once(pipe, 'end');
  return Buffer.concat(parts);
}
