import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './processes.ts';

/** Where groups can be made, and how a limit is called there: cgroup v1, or v2 where the root gives memory on. */
const places = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', kills: 'memory.oom_control' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', kills: 'memory.events' },
] as const;
type Place = (typeof places)[number];

/** A memory cgroup of a test's own. */
export class TestMemoryGroup implements AsyncDisposable {
  readonly path: string;
  readonly #kills: string;

  /** Throws where none can be made. */
  constructor(megabytes: number) {
    const place = places.find(canMake);
    if (!place) throw new Error('no memory cgroups');
    this.path = join(place.root, `strobe-test-${process.pid}-${megabytes}`);
    this.#kills = join(this.path, place.kills);
    mkdirSync(this.path);
    writeFileSync(join(this.path, place.limit), String(megabytes * 2 ** 20));
  }

  /** A command that runs another in it, as its child. */
  command(program: string, args: readonly string[]): readonly [command: string, ...string[]] {
    const enter = `echo $$ > ${join(this.path, 'cgroup.procs')} && "$@"`;
    return ['sh', '-c', enter, 'sh', program, ...args];
  }

  /** How many processes the kernel ended in it. */
  get kills(): number {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(this.#kills, 'utf8'))?.[1] ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await until('the group is empty', () => {
      try {
        rmdirSync(this.path);
        return true;
      } catch {
        return !existsSync(this.path);
      }
    });
  }
}

function canMake({ root, limit }: Place): boolean {
  const path = join(root, `strobe-probe-${process.pid}`);
  try {
    mkdirSync(path);
    const can = existsSync(join(path, limit));
    rmdirSync(path);
    return can;
  } catch {
    return false;
  }
}

export function canLimitMemory(): boolean {
  return places.some(canMake);
}
