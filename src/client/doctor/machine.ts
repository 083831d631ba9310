import { statfsSync } from 'node:fs';
import { homeOf } from '../../base/home.ts';
import { read, type Finding } from './finding.ts';

export function ptrace(): Finding {
  const scope = read('/proc/sys/kernel/yama/ptrace_scope');
  if (scope === null) return { what: 'ptrace', state: 'ok', detail: 'not restricted by yama' };
  const meaning =
    [
      'unrestricted',
      'children only; launched programs can be traced',
      'administrators only',
      'forbidden',
    ][Number(scope)] ?? scope;
  return Number(scope) <= 1
    ? { what: 'ptrace', state: 'ok', detail: `scope ${scope}: ${meaning}` }
    : {
        what: 'ptrace',
        state: 'problem',
        detail: `scope ${scope}: ${meaning}. sysctl kernel.yama.ptrace_scope=1`,
      };
}

/** Events are stamped with the cycle counter: it must run at one rate on all processors. */
export function clock(): Finding {
  const flags = /^flags\s*:(.*)$/m.exec(read('/proc/cpuinfo') ?? '')?.[1]?.split(' ') ?? [];
  const source = read('/sys/devices/system/clocksource/clocksource0/current_clocksource');
  const steady = flags.includes('constant_tsc') && flags.includes('nonstop_tsc');
  const detail = `cycle counter ${steady ? 'constant and non-stop' : 'not said to be constant'}, clock source ${source ?? 'unknown'}`;
  return { what: 'clock', state: steady ? 'ok' : 'warning', detail };
}

/** A filter of system calls, as in a container, may forbid what tracing needs: the attach shows it. */
export function seccomp(): Finding {
  const mode = /^Seccomp:\s*(\d)/m.exec(read('/proc/self/status') ?? '')?.[1] ?? '0';
  const filtered =
    'a filter applies, as in a container; the line "attach" shows whether it lets us';
  return { what: 'seccomp', state: 'ok', detail: mode === '0' ? 'no filter' : filtered };
}

const sizes = { shm: [512e6, 64e6], disk: [2e9, 200e6] } as const;

/** Rings of traced threads are there. */
export function sharedMemory(): Finding {
  return room('shared memory', '/dev/shm', sizes.shm, 'mount it larger (docker: --shm-size=1g)');
}

/** Sessions are there. */
export function disk(): Finding {
  const { path } = homeOf(process.env);
  return room('disk', path, sizes.disk, 'free some, or set STROBE_HOME to another disk');
}

function room(
  what: string,
  path: string,
  [few, tooFew]: readonly [number, number],
  cure: string,
): Finding {
  try {
    const { bavail, bsize } = statfsSync(path);
    const free = bavail * bsize;
    const detail = `${(free / 1e9).toFixed(1)} GB free in ${path}`;
    if (free >= few) return { what, state: 'ok', detail };
    return { what, state: free < tooFew ? 'problem' : 'warning', detail: `${detail}: ${cure}` };
  } catch {
    return { what, state: 'problem', detail: `${path} is not there: ${cure}` };
  }
}
