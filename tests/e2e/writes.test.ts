import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { TestClient } from '../support/client.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen, runToEnd, statusSays } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const summary = 'total -1 rate 8000 heap 96000 traps 1 child 7 own 12';

type Options = Readonly<Record<string, unknown>>;

async function changes(client: TestClient, sessionId: string, options: Options) {
  const { structured } = await client.ok('debug_query', {
    view: 'changes',
    sessionId,
    budget: 20_000,
    limit: 500,
    ...options,
  });
  return structured;
}

/** Each change as `old>new functions`, the writing one first. */
async function writesOf(client: TestClient, sessionId: string, watch: string): Promise<string[]> {
  return listAt(await changes(client, sessionId, { watch }), 'changes').map((change) => {
    const by = listAt(change, 'writtenBy').map((frame) => textAt(frame, 'functionName'));
    return `${JSON.stringify(at(change, 'old'))}>${JSON.stringify(at(change, 'new'))} ${by.join(' ')}`;
  });
}

/** By label: `state: notes`. */
function states(structured: unknown, ...path: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    listAt(structured, ...path).map((watch) => [
      textAt(watch, 'label'),
      `${textAt(watch, 'state')}: ${listAt(watch, 'notes').join(' ')}`,
    ]),
  );
}

describe('watches of writes', () => {
  const { home, client } = withClient();
  let writes: string;
  beforeAll(() => {
    writes = buildTarget('e2e/writes.c', ['-pthread']);
  });

  const write = (...names: readonly string[]) => names.map((expr) => ({ expr, at: 'write' }));
  /** Launches it with its standard input open, and waits until it reads. */
  const waiting = async (count: number): Promise<{ sessionId: string; own: string }> => {
    const { sessionId } = await launch(client, home, writes, {
      args: [String(count)],
      stdin: 'open',
    });
    const { line } = await outputSeen(client, sessionId, 'own 0x');
    return { sessionId, own: line.replace('own ', '').trim() };
  };
  const goOn = async (sessionId: string) =>
    client.ok('debug_session', { action: 'input', sessionId, text: '\n' });

  itNeeds(
    'debugRegisters',
    '[watch.writes] [watch.unharmed] each write is told with function, line, thread, call, old and new value, also of later threads, and the program does what it does alone',
    async () => {
      const alone = spawnSync(writes, { encoding: 'utf8' });
      await client.ok('debug_trace', {
        pending: true,
        add: ['add'],
        watches: { add: write('total', 'settings.audio.rate', 'settings.audio.gain') },
      });
      const { sessionId, exit } = await runToEnd(client, home, writes);
      expect(exit).toEqual({ kind: 'exited', code: alone.status });
      const { line } = await outputSeen(client, sessionId, 'total');
      expect(alone.stdout).toContain(`${line}\n`);
      expect(line).toContain(summary);
      expect(await writesOf(client, sessionId, 'total')).toEqual([
        '0>5 add',
        '5>35 add',
        '35>135 add',
        '135>-1 mark',
      ]);
      const [tuned, ...copied] = await writesOf(client, sessionId, 'settings.audio.rate');
      expect(tuned).toBe('44100>48000 tune');
      expect(copied).toEqual([
        expect.stringMatching(/^48000>(?:8000|\{.*\}) \S*(?:libc|mem)\S+ replace$/),
      ]);
      const structured = await changes(client, sessionId, { watch: 'total' });
      const found = listAt(structured, 'changes');
      expect(found.map((change) => listAt(change, 'calls').length)).toEqual([1, 1, 1, 0]);
      const [first, second] = found.map((change) => at(change, 'threadId'));
      expect(listAt(found[1], 'calls').map((call) => at(call, 'threadId'))).toEqual([second]);
      expect(first).not.toBe(second);
      expect(textAt(listAt(found[0], 'writtenBy')[0], 'at')).toMatch(/writes\.c:21$/);
      const events = await client.ok('debug_query', {
        view: 'events',
        sessionId,
        eventType: ['variable_snapshot', 'call'],
        budget: 20_000,
      });
      expect(
        listAt(events.structured, 'events')
          .filter((event) => at(event, 'watchValues', 'total') !== undefined)
          .map((event) => [
            at(event, 'text'),
            at(event, 'at'),
            at(event, 'parentEventId') === null,
          ]),
      ).toEqual([
        ['total = 5, written by add', 'write', false],
        ['total = 35, written by add', 'write', false],
        ['total = 135, written by add', 'write', false],
        ['total = -1, written by mark', 'write', true],
      ]);
    },
  );

  itNeeds(
    'debugRegisters',
    '[watch.registers] the fifth is refused with what to do; places are freed and taken while the program runs, without patterns',
    async () => {
      const { sessionId, own } = await waiting(0);
      const label = 'its own';
      const four = [
        ...write('total', 'settings.audio.gain', 'heap->audio.rate'),
        { address: own, type: 'long', label, at: 'write' },
      ];
      const fifth = write('settings.audio.rate');
      const inUse =
        /settings\.audio\.rate is refused: All 4 debug registers are in use: total, .*its own use 4: remove one of them, or sample .*\n.*Nothing was changed/;
      const five = await client.refused('debug_trace', {
        sessionId,
        watches: { add: [...four, ...fifth] },
      });
      expect(five.text).toMatch(inUse);
      const added = await client.ok('debug_trace', { sessionId, watches: { add: four } });
      const one = await client.refused('debug_trace', { sessionId, watches: { add: fifth } });
      expect(one.text).toMatch(inUse);
      const first = states(added.structured, 'activeWatches');
      expect([...first.values()].filter((state) => state.startsWith('active'))).toHaveLength(4);
      expect(first.get('heap->audio.rate')).toMatch(/Where it is now: 0x/);
      const swapped = await client.ok('debug_trace', {
        sessionId,
        watches: { remove: ['settings.audio.gain'], add: write('settings.audio.rate') },
      });
      expect(states(swapped.structured, 'activeWatches').get('settings.audio.rate')).toMatch(
        /^active/,
      );
      await goOn(sessionId);
      await vi.waitUntil(async () => (await writesOf(client, sessionId, 'total')).length === 3, {
        timeout: 30_000,
      });
      expect(await writesOf(client, sessionId, 'heap->audio.rate')).toEqual(['0>96000 tune']);
      expect(await writesOf(client, sessionId, label)).toEqual(['0>12 main']);
      await client.ok('debug_trace', { sessionId, watches: { remove: ['total'] } });
      await goOn(sessionId);
      expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 3 });
      const { line } = await outputSeen(client, sessionId, 'total');
      expect(line).toContain(summary);
      expect(await writesOf(client, sessionId, 'total')).toEqual([
        '0>5 add',
        '5>35 add',
        '35>135 add',
      ]);
    },
  );

  itNeeds(
    'debugRegisters',
    '[watch.fast] writes that come faster than they are read are counted, and no value is wrong',
    async () => {
      const count = 20_000;
      await client.ok('debug_trace', { pending: true, watches: { add: write('many') } });
      const { sessionId } = await waiting(count);
      await goOn(sessionId);
      await goOn(sessionId);
      expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 3 });
      const page = await changes(client, sessionId, { watch: 'many' });
      const missed = at(page, 'counters', 'byCause', 'writesMissed') ?? 0;
      expect(numberAt(page, 'totalCount') + Number(missed)).toBe(count);
      const values = listAt(page, 'changes').map((change) => [
        at(change, 'old'),
        at(change, 'new'),
      ]);
      for (const [old, now] of values)
        if (typeof old === 'number' && typeof now === 'number') expect(now).toBe(old + 1);
      expect(values[0]).toEqual([0, 1]);
    },
  );

  itNeeds(
    'debugRegisters',
    '[watch.values] of stores in hooked functions are known each, displaced or behind the jump',
    async () => {
      await client.ok('debug_trace', {
        pending: true,
        add: ['add', 'step'],
        watches: { add: write('added', 'stepped') },
      });
      const { sessionId } = await runToEnd(client, home, buildTarget('e2e/hookedWrites.c'));
      const rows = (first: number, by: string): string[] =>
        Array.from({ length: 100 }, (_, i) => `${first + i}>${first + i + 1} ${by}`);
      expect(await writesOf(client, sessionId, 'added')).toEqual(rows(0, 'add'));
      expect(await writesOf(client, sessionId, 'stepped')).toEqual(rows(0xffff_ffcd, 'step'));
    },
  );

  itNeeds(
    'debugRegisters',
    '[watch.writes] a program that takes the place of another in its process is watched, too, and that is told',
    async () => {
      await client.ok('debug_trace', { pending: true, watches: { add: write('total') } });
      const { sessionId } = await launch(client, home, buildTarget('e2e/again.c'), {
        stdin: 'open',
      });
      await outputSeen(client, sessionId, 'first');
      await goOn(sessionId);
      await outputSeen(client, sessionId, 'second');
      await statusSays(client, sessionId, /Watch total: process \d+ executed another program/);
      await vi.waitUntil(
        async () => {
          const { structured } = await client.ok('debug_trace', { sessionId });
          return at(listAt(structured, 'activeWatches')[0], 'state') === 'active';
        },
        { timeout: 30_000 },
      );
      await goOn(sessionId);
      expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
      const found = await writesOf(client, sessionId, 'total');
      expect([found[0], found.at(-1)]).toEqual(['0>1 add', '1>5 add']);
    },
  );

  test('[watch.writes-refused] what no debug register can watch is refused with the reason', async () => {
    const { sessionId } = await waiting(0);
    const refused = await client.refused('debug_trace', {
      sessionId,
      watches: { add: write('own', 'packed.value', 'total + 1', 'settings', 'totl') },
    });
    expect(refused.text).toMatch(/own cannot be watched .*each thread has its own own/);
    expect(refused.text).toMatch(/packed\.value cannot be watched .*a multiple of their 8 bytes/);
    expect(refused.text).toMatch(/total \+ 1 cannot be watched .*no place in memory/);
    expect(refused.text).toMatch(/settings cannot be watched .*name a field of it/);
    const waits = await client.ok('debug_trace', { sessionId, watches: { add: write('totl') } });
    const found = states(waits.structured, 'activeWatches');
    expect([...found.keys()]).toEqual(['totl']);
    expect(found.get('totl')).toMatch(/^pending: .*Nearest: total/);
    const on = await client.call('debug_trace', {
      sessionId,
      watches: { add: [{ expr: 'total', at: 'write', on: 'add' }] },
    });
    expect(on.isError).toBe(true);
    expect(on.text).toMatch(/Leave "on" out/);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });
});
