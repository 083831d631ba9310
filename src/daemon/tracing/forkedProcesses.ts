import { isAlive } from '../../base/proc.ts';

const SHOWN_PIDS = 5;

/** Processes that were forked from a traced one, and record by its hooks. */
export class ForkedProcesses {
  readonly #pids = new Set<number>();

  add(pid: number): void {
    this.#pids.add(pid);
  }

  delete(pid: number): void {
    this.#pids.delete(pid);
  }

  has(pid: number): boolean {
    return this.#pids.has(pid);
  }

  /** What has to be known of hooks that are added now. */
  notes(): string[] {
    for (const pid of this.#pids) if (!isAlive(pid)) this.#pids.delete(pid);
    const pids = [...this.#pids];
    if (pids.length === 0) return [];
    const some = pids.slice(0, SHOWN_PIDS).join(', ') + (pids.length > SHOWN_PIDS ? ', …' : '');
    return [
      `${pids.length} forked ${pids.length === 1 ? 'process keeps' : 'processes keep'} the hooks of the fork (pid ${some}): functions added now are not hooked there; removed ones are off there too. Add patterns before the fork.`,
    ];
  }
}
