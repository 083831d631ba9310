import { basename } from 'node:path';
import { pause } from '../../../base/deadline.ts';
import { startOwned, type OwnedProcess } from '../../../base/process.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { StartedAdapter } from './debugAdapter.ts';

const usualEndMs = 5000;
const mostSaid = 400;

/** Starts an adapter that speaks the protocol on its own input and output. `cure`: how it is got; `endMs`: how long it may take to end. Throws CANNOT_DEBUG. */
export async function startPiped(
  name: string,
  [command = '', ...args]: readonly string[],
  cure: string,
  endMs = usualEndMs,
): Promise<StartedAdapter> {
  try {
    return started(await startOwned({ command, args }), endMs);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StrobeError(
      'CANNOT_DEBUG',
      `${name} (${basename(command)}) did not start: ${why}`,
      cure,
    );
  }
}

function started(owned: OwnedProcess, endMs: number): StartedAdapter {
  let said = '';
  owned.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-mostSaid);
  });
  return {
    input: owned.stdout,
    output: owned.stdin,
    ended: owned.ended,
    said: () => said.trim().split('\n').at(-1) ?? '',
    async [Symbol.asyncDispose]() {
      // Adapters let a program go when nobody speaks to them any more; one that is killed may take it along.
      owned.stdin.end();
      await Promise.race([owned.ended, pause(endMs)]);
      await owned[Symbol.asyncDispose]();
    },
  };
}
