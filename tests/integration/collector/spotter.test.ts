import { describe, expect, vi } from 'vitest';
import { Spotter, type SpottedWrite } from '../../../src/collector/look/spotter.ts';
import { installPaths } from '../../../src/base/installPaths.ts';
import { itNeeds } from '../../support/needs.ts';
import { until } from '../../support/processes.ts';
import { Running } from '../../support/running.ts';
import { buildTarget } from '../../support/targets.ts';
import { variableAddress } from '../../support/variableAddress.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Those whose value no general register tells, in the order of the target. */
const untold = ['xchgq', 'adcq', 'rolq', 'btsq', 'movsd', 'movups', 'movsq', 'popq', 'fstpl'];
/** Of narrower places also what shifts higher bits in. */
const shifted = ['shrq', 'sarq'];

/** Writes and losses as the lines of a spotter tell them. */
function countedIn(text: string): { readonly writes: string[][]; readonly lost: number } {
  const lines = text.split('\n').map((line) => line.split(' '));
  const lost = lines.filter(([word]) => word === 'lost').at(-1)?.[1] ?? '0';
  return { writes: lines.filter(([word]) => word === 'write'), lost: Number(lost) };
}

describe('a spotter that is held up', () => {
  itNeeds(
    'debugRegisters',
    '[watch.fast] counts each write it missed, and takes no value over from before',
    async () => {
      const count = 5000;
      const target = buildTarget('e2e/writes.c', ['-pthread']);
      await using program = await Running.start(target, [String(count)], 'own 0x');
      const place = [String(program.pid), variableAddress(program.pid, target, 'many'), '8'];
      await using spotter = await Running.start(installPaths().spotter, place, 'ready');
      spotter.signal('SIGSTOP');
      program.write('\n');
      program.write('\n');
      expect(await program.ended()).toEqual({ code: 3, signal: null });
      spotter.signal('SIGCONT');
      await spotter.ended();
      const { writes, lost } = countedIn(spotter.stdout);
      expect(lost).toBeGreaterThan(0);
      expect(writes.length + lost).toBe(count);
      const known = writes.filter((write) => !write.includes('-'));
      expect(known.length).toBeGreaterThan(0);
      for (const [, , , , , old = '', now = ''] of known)
        expect(BigInt(`0x${now}`)).toBe(BigInt(`0x${old}`) + 1n);
    },
  );
});

describe('a spotter that is asked', () => {
  itNeeds(
    'debugRegisters',
    '[watch.values] answers while the place is written to all the time',
    async () => {
      const target = buildTarget('e2e/steadyWrites.c');
      await using program = await Running.start(target, [], 'writing');
      const place = [String(program.pid), variableAddress(program.pid, target, 'rounds'), '8'];
      await using spotter = await Running.start(installPaths().spotter, place, 'ready');
      await until('writes are told', () => spotter.stdout.includes('write '));
      for (let asked = 1; asked <= 5; asked++) {
        spotter.write('\n');
        const isAnswered = (): boolean => spotter.stdout.split('synced').length > asked;
        await until('it has answered', isAnswered);
      }
      expect(spotter.stdout).not.toContain('full');
      program.write('\n');
      expect(await program.ended()).toEqual({ code: 0, signal: null });
    },
  );
});

describe('what a write left', () => {
  itNeeds('debugRegisters', '[watch.values] is told of each of many writes in a row', async () => {
    const count = 5000;
    const target = buildTarget('e2e/writes.c', ['-pthread']);
    await using program = await Running.start(target, [String(count)], 'own 0x');
    const place = [String(program.pid), variableAddress(program.pid, target, 'many'), '8'];
    await using spotter = await Running.start(installPaths().spotter, place, 'ready');
    program.write('\n');
    program.write('\n');
    expect(await program.ended()).toEqual({ code: 3, signal: null });
    await spotter.ended();
    const { writes, lost } = countedIn(spotter.stdout);
    expect(writes.length + lost).toBe(count);
    for (const [, , , , , old = '', now = ''] of writes.filter((write) => !write.includes('-')))
      expect(BigInt(`0x${now}`)).toBe(BigInt(`0x${old}`) + 1n);
  });
  itNeeds(
    'debugRegisters',
    '[watch.values] is read where no instruction tells it, also while threads come and go',
    async () => {
      await using program = await Running.start(buildTarget('e2e/churn.c', ['-pthread']), [], '0x');
      const place = [String(program.pid), program.stdout.trim(), '8'];
      await using spotter = await Running.start(installPaths().spotter, place, 'ready');
      const expected: string[] = [];
      for (let i = 1; i <= 20; i++) {
        program.write('\n');
        expected.push(`${(i - 1).toString(16)} ${i.toString(16)}`);
        await until('it is told', () => countedIn(spotter.stdout).writes.length === i);
      }
      const { writes } = countedIn(spotter.stdout);
      expect(writes.map((write) => write.slice(-2).join(' '))).toEqual(expected);
    },
  );
  for (const bytes of [8, 4, 1])
    itNeeds(
      'debugRegisters',
      `[watch.values] of ${bytes} bytes follows from each kind of store, or is told as not known; it is never wrong`,
      async () => {
        await using program = await Running.start(buildTarget('e2e/stores.c'), [], 'place 0x');
        const address = BigInt(program.stdout.replace('place ', '').trim());
        const writes: SpottedWrite[] = [];
        await using spotter = await Spotter.start({
          spotterPath: installPaths().spotter,
          pid: program.pid,
          address,
          bytes,
          take: async (spotted) => {
            writes.push(...spotted.writes);
          },
        });
        expect(spotter.started).toEqual({ threads: 1, refused: 0, error: 0 });
        program.write('\n');
        expect(await program.ended()).toEqual({ code: 0, signal: null });
        await spotter.ended;
        const stores = [
          ...program.stdout.matchAll(/^([0-9a-f]{16}) ([^]*?)(?=\n[0-9a-f]{16} |\n$)/gm),
        ];
        expect(stores).toHaveLength(51);
        expect(writes).toHaveLength(51);
        const unknown: string[] = [];
        for (const [i, [, value = '', name = '']] of stores.entries()) {
          const left = BigInt.asUintN(8 * bytes, BigInt(`0x${value}`));
          const now = writes[i]?.now ?? null;
          if (now === null)
            unknown.push(name.trim().split('\n').at(-1)?.trim().split(' ')[0] ?? '');
          else expect([name, now]).toEqual([name, left]);
          // What the next one found is the same.
          const next = writes[i + 1]?.old ?? null;
          if (next !== null) expect([name, next]).toEqual([name, left]);
        }
        const mayBe = bytes === 8 ? untold : [...shifted, ...untold];
        expect(unknown.filter((name) => !mayBe.includes(name))).toEqual([]);
      },
    );
});
