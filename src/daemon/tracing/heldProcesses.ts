import { debuggerOfAll } from '../../collector/attach/debuggers.ts';
import { isOurs } from '../../collector/attach/inspectProcess.ts';
import { StrobeError } from '../../model/errors.ts';

/** Throws where a debugger holds all threads of one of these processes: nothing in it could answer. */
export function refuseHeld(pids: readonly number[]): void {
  for (const pid of pids) {
    const holder = debuggerOfAll(pid);
    if (holder === null || isOurs(holder.pid)) continue;
    throw new StrobeError(
      'ALREADY_OBSERVED',
      `${holder.name} (process ${holder.pid}) holds all threads of process ${pid} stopped: its hooks cannot be changed now.`,
      'Let it continue there (gdb: continue, or detach), then repeat the request.',
    );
  }
}
