import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { linkOf, readOf, statFields } from '../../base/proc.ts';

/**
 * The program a process runs whose agent has gone, by exec or with it; null for one that has ended.
 * Until the new program stands there, and until the end, the old one is seen: waits for either, `limitMs` at most.
 */
export async function programAfterAgent(pid: number, limitMs: number): Promise<string | null> {
  const until = monotonicMs() + limitMs;
  for (;;) {
    if (/^[ZX]/.test(statFields(pid)?.[0] ?? 'X')) return null;
    const maps = readOf(pid, 'maps') ?? '';
    const isAnother = maps !== '' && !maps.includes('frida-agent');
    if (isAnother || monotonicMs() > until) return linkOf(pid, 'exe');
    await pause(20);
  }
}
