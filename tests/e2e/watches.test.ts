import { parse } from 'csv-parse/sync';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { TestClient } from '../support/client.ts';
import { itNeeds, perfettoPackages } from '../support/needs.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { launch, runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';
import { variableAddress } from '../support/variableAddress.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const functions = ['add', 'look', 'outer', 'tune', 'name', 'counted', 'nest', 'Meter::*'];

/** What the target does with each, as `old>new first suspect`. */
const truth: Readonly<Record<string, readonly string[]>> = {
  total: ['0>5 add', '5>3 add', '3>13 add'],
  'gConfig.audio.rate': ['100>150 tune'],
  'gConfig.audio.gain': ['0.5>0.75 tune'],
  label: ['"none">"second" name'],
  'gConfig.title': ['"first">"second" name'],
  hidden: ['7>9 counted', '9>11 counted'],
  'bank::accounts': ['1>2 counted', '2>3 counted'],
  'counted::calls': ['0>1 counted', '1>2 counted'],
  depth: ['0>1 nest', '1>2 nest', '2>1 nest', '1>0 nest', '0>1 nest', '1>0 nest'],
  'this->rate': ['1>10 Meter::set', '2>20 Meter::set', '10>11 Meter::set'],
  'total * 2 + hidden': ['7>17 add', '17>13 add', '13>15 counted', '15>17 counted', '17>37 add'],
};

/** Each change as `old>new first suspect`, over all pages. */
async function changesOf(
  client: TestClient,
  sessionId: string,
  options: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const found: string[] = [];
  let cursor: unknown = undefined;
  do {
    const { structured } = await client.ok('debug_query', {
      view: 'changes',
      sessionId,
      ...options,
      ...(typeof cursor === 'string' ? { cursor } : {}),
    });
    for (const change of listAt(structured, 'changes')) {
      const [first] = listAt(change, 'calls');
      const by = first === undefined ? 'nobody' : textAt(first, 'functionName');
      found.push(`${JSON.stringify(at(change, 'old'))}>${JSON.stringify(at(change, 'new'))} ${by}`);
    }
    cursor = at(structured, 'cursor');
  } while (typeof cursor === 'string');
  return found;
}

describe('watches', () => {
  const { home, client } = withClient();

  const stage = async (...watches: readonly Readonly<Record<string, unknown>>[]) =>
    client.ok('debug_trace', { pending: true, add: functions, watches: { add: watches } });
  const run = async () => runToEnd(client, home, buildTarget('e2e/watches.cpp'));

  test('[watch.kinds] [watch.changes] globals, statics, thread-locals, members and text are seen as the program changes them, with the call that did it', async () => {
    await stage(...Object.keys(truth).map((expr) => ({ expr })));
    const { sessionId, exit } = await run();
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    for (const [watch, wanted] of Object.entries(truth))
      expect([watch, await changesOf(client, sessionId, { watch, budget: 20_000 })]).toEqual([
        watch,
        wanted,
      ]);
  });

  test('[watch.changes] pages fit their budget, and their cursor leads to every change once', async () => {
    await stage(...Object.keys(truth).map((expr) => ({ expr })));
    const { sessionId } = await run();
    const whole = await changesOf(client, sessionId, { budget: 50_000, limit: 500 });
    expect(whole.toSorted()).toEqual(Object.values(truth).flat().toSorted());
    expect(await changesOf(client, sessionId, { budget: 400, limit: 4 })).toEqual(whole);
  });

  test('[watch.changes] a parameter has a value of its own in each call: its samples are told, and where they are', async () => {
    await stage({ expr: 'amount', on: 'add' });
    const { sessionId } = await run();
    const asked = await client.ok('debug_query', { view: 'changes', sessionId, watch: 'amount' });
    expect(asked.text).toMatch(/No change seen\. amount: [1-9]\d* samples, a value of its own/);
    expect(asked.text).toContain('"eventType":["variable_snapshot"]');
  });

  test('[watch.safe] null and wild pointers on the way are told as unreadable, and the program goes on', async () => {
    await stage(
      { expr: 'wild->audio.rate', label: 'wild' },
      { expr: 'gConfig.next->audio.rate', label: 'next' },
      { expr: 'none->title', label: 'none' },
    );
    const { sessionId, exit } = await run();
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    const { structured } = await client.ok('debug_query', {
      view: 'events',
      sessionId,
      function: { equals: 'tune' },
    });
    expect(at(listAt(structured, 'events')[0], 'watchValues')).toEqual({
      wild: { unreadable: '0x10' },
      next: { unreadable: '0x0' },
      none: { unreadable: '0x10' },
    });
  });

  test('[watch.refused] what cannot be watched is refused with the reason, and a misspelt name gets near ones', async () => {
    await stage(...['totl', 'user.apiKey'].map((expr) => ({ expr })), {
      expr: 'return',
      at: 'enter',
    });
    const { structured } = await launch(client, home, buildTarget('e2e/watches.cpp'));
    const notes = new Map(
      listAt(structured, 'hooks', 'activeWatches').map((watch) => [
        textAt(watch, 'label'),
        `${textAt(watch, 'state')}: ${listAt(watch, 'notes').join(' ')}`,
      ]),
    );
    expect(notes.get('totl')).toMatch(/^pending: .*Nearest: total/);
    expect(notes.get('user.apiKey')).toMatch(/^refused: apiKey looks like a secret/);
    expect(notes.get('return')).toMatch(/^refused: .*not known yet when a call begins/);
  });

  test('[watch.whole] structures and containers are seen whole as the program changes them', async () => {
    const moved = (x: number): string => `{"at":{"x":${x},"y":2},"title":"first","next":null}`;
    const wanted: Readonly<Record<string, readonly string[]>> = {
      settings: [`${moved(1)}>${moved(10)} move`],
      '*behind': [`${moved(1)}>${moved(10)} move`],
      numbers: ['[3,1]>[3,1,4] grow'],
      points: ['[]>[{"x":4,"y":-4}] grow'],
      ages: ['{"ann":31}>{"ann":32} birthday', '{"ann":32}>{"ann":32,"bob":1} birthday'],
      grid: [],
      '*wild': [],
    };
    await client.ok('debug_trace', {
      pending: true,
      add: ['move', 'grow', 'birthday', 'copyNumbers'],
      watches: { add: Object.keys(wanted).map((expr) => ({ expr })) },
    });
    const { sessionId, exit } = await runToEnd(client, home, buildTarget('e2e/wholeWatches.cpp'));
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    for (const [watch, changes] of Object.entries(wanted))
      expect([watch, await changesOf(client, sessionId, { watch, budget: 20_000 })]).toEqual([
        watch,
        changes,
      ]);
    const { structured } = await client.ok('debug_query', {
      view: 'events',
      sessionId,
      function: { equals: 'move' },
      watched: { label: 'settings', contains: 'x=10' },
    });
    const events = listAt(structured, 'events');
    expect(events.length).toBe(1);
    expect(at(events[0], 'watchValues')).toMatchObject({
      grid: [7, 8, 9],
      '*wild': { unreadable: '0x10' },
      settings: { enter: { at: { x: 1 } }, return: { at: { x: 10 } } },
    });
  });

  test('[watch.whole] what holds a secret, and writes of what is more than a number, are refused', async () => {
    await stage({ expr: 'login' }, { expr: 'numbers', at: 'write' });
    const { structured } = await launch(client, home, buildTarget('e2e/wholeWatches.cpp'));
    const notes = listAt(structured, 'hooks', 'activeWatches').map((watch) =>
      [textAt(watch, 'state'), ...listAt(watch, 'notes')].join(': '),
    );
    expect(notes).toEqual([
      'refused: login cannot be watched: it holds what looks like a secret ("api key" of the setting redaction.names): name another field of it.',
      expect.stringMatching(/^refused: .*is more than a number: name an element of it\.$/),
    ]);
  });

  test('[watch.limit] the 33rd watch is refused and says how to make room', async () => {
    const many = Array.from({ length: 33 }, (_, i) => ({ expr: 'total', label: `w${i}` }));
    const refused = await client.call('debug_trace', { pending: true, watches: { add: many } });
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/at most 32 watches; it would have 33[\s\S]*\["w0"\]/);
    await client.ok('debug_trace', { pending: true, watches: { add: many.slice(1) } });
    const { structured } = await client.ok('debug_trace', {
      pending: true,
      watches: { remove: many.slice(1).map(({ label }) => label) },
    });
    expect(at(structured, 'activeWatches')).toEqual([]);
  });

  test('[watch.events] values stand with the call, as events of their own, and in SQL', async () => {
    await stage({ expr: 'total', on: 'add' }, { expr: 'amount', at: 'enter' });
    const { sessionId } = await run();
    const calls = await client.ok('debug_query', {
      view: 'events',
      sessionId,
      function: { equals: 'add' },
    });
    expect(listAt(calls.structured, 'events').map((event) => at(event, 'watchValues'))).toEqual([
      { total: { enter: 0, return: 5 }, amount: 5 },
      { total: 5, amount: 0 },
      { total: { enter: 5, return: 3 }, amount: -2 },
      { total: { enter: 3, return: 13 }, amount: 10 },
    ]);
    expect(calls.text).toContain('{total=0→5, amount=5}');
    const snapshots = await client.ok('debug_query', {
      view: 'events',
      sessionId,
      eventType: ['variable_snapshot'],
      budget: 10_000,
    });
    const texts = listAt(snapshots.structured, 'events').map((event) => textAt(event, 'text'));
    expect(texts.filter((text) => text.startsWith('total'))).toEqual(
      [0, 5, 5, 5, 5, 3, 3, 13].map((value) => `total = ${value}`),
    );
    expect(numberAt(snapshots.structured, 'totalCount')).toBe(texts.length);
    const sql = await client.ok('debug_query', {
      view: 'sql',
      sessionId,
      sql: "SELECT sum(json_extract(w.value, '$.value')) FROM calls('add'), json_each(watch_values) w WHERE json_extract(w.value, '$.label') = 'total' AND json_extract(w.value, '$.at') = 'return'",
    });
    expect(at(sql.structured, 'rows')).toEqual([[26]]);
  });

  test('[watch.exported] SQL and exports that have room for them hold watched values; the others say that they leave them out', async () => {
    await stage({ expr: 'total', on: 'add' }, { expr: 'label', on: 'name', at: 'return' });
    const { sessionId } = await run();
    const totals = [0, 5, 5, 5, 5, 3, 3, 13];
    const rowsOf = async (sql: string): Promise<unknown> =>
      at((await client.ok('debug_query', { view: 'sql', sessionId, sql })).structured, 'rows');
    expect(
      await rowsOf("SELECT value FROM watch_values WHERE label = 'total' ORDER BY time_ns"),
    ).toEqual(totals.map((value) => [value]));
    expect(
      await rowsOf(
        "SELECT e.text, c.function_name FROM events e JOIN calls c ON c.id = e.parent_event_id WHERE e.event_type = 'variable_snapshot' AND json_extract(e.watch_values, '$[0].label') = 'label'",
      ),
    ).toEqual([['label = "second"', 'name']]);
    const filtered = await client.ok('debug_query', {
      view: 'stats',
      sessionId,
      watched: { label: 'total', gt: 4 },
    });
    expect(at(listAt(filtered.structured, 'rows')[0], 'count')).toBe(4);
    const exported = async (format: string) => {
      const { structured, text } = await client.ok('debug_session', {
        action: 'export',
        sessionId,
        format,
      });
      return { text, file: readFileSync(textAt(structured, 'path'), 'utf8') };
    };
    const lines = (await exported('jsonl')).file.trimEnd().split('\n');
    const events = lines.map((line): unknown => JSON.parse(line));
    const ofType = (type: string) => events.filter((event) => at(event, 'eventType') === type);
    const seen = (event: unknown) => listAt(event, 'watchValues')[0];
    expect(
      ofType('variable_snapshot')
        .filter((event) => at(seen(event), 'label') === 'total')
        .map((event) => at(seen(event), 'value')),
    ).toEqual(totals);
    expect(
      ofType('call')
        .filter((call) => at(call, 'functionName') === 'add')
        .map((call) => listAt(call, 'watchValues').map((one) => at(one, 'value'))),
    ).toEqual([totals.slice(0, 2), totals.slice(2, 4), totals.slice(4, 6), totals.slice(6)]);
    const rows: unknown[] = parse((await exported('csv')).file, { columns: true });
    const cells = rows.flatMap((row) =>
      at(row, 'event_type') === 'variable_snapshot' ? [textAt(row, 'watch_values')] : [],
    );
    expect(cells).toContain('[{"label":"label","at":"return","value":"second"}]');
    const chrome: unknown = JSON.parse((await exported('chrome')).file);
    const counters = listAt(chrome, 'traceEvents').filter((event) => at(event, 'ph') === 'C');
    expect(counters.map((event) => at(event, 'args'))).toEqual(totals.map((total) => ({ total })));
    const otlp = (await exported('otlp')).file;
    const spans = listAt(
      at(listAt(at(listAt(JSON.parse(otlp), 'resourceSpans')[0]), 'scopeSpans')[0]),
      'spans',
    );
    const added = spans.filter((span) => at(span, 'name') === 'add');
    expect(added.map((span) => listAt(span, 'events').length)).toEqual([2, 2, 2, 2]);
    for (const format of ['speedscope', 'folded', 'flamegraph'])
      expect((await exported(format)).text).toContain('has no place for watched values');
  });

  itNeeds(
    'perfetto',
    "[watch.exported] Perfetto's own schema reads a counter per watch",
    async () => {
      await stage({ expr: 'total', on: 'add' }, { expr: 'gConfig.audio.gain', label: 'gain' });
      const { sessionId } = await run();
      const { structured } = await client.ok('debug_session', {
        action: 'export',
        sessionId,
        format: 'perfetto',
      });
      const script = `
import json, sys
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
trace = Trace()
trace.ParseFromString(open(sys.argv[1], 'rb').read())
tracks, seen = {}, {}
for p in trace.packet:
    d = p.track_descriptor
    if d.HasField('counter'): tracks[d.uuid] = d.name
    if p.track_event.type == 4: seen.setdefault(tracks[p.track_event.track_uuid], []).append(p.track_event.double_counter_value)
print(json.dumps({'total': seen['total'], 'gain': sorted(set(seen['gain']))}))`;
      const env = { ...home.env, PYTHONPATH: perfettoPackages };
      const command = ['python3', '-c', script, textAt(structured, 'path')];
      const ended = await runProgram({ env, cwd: home.project }, command);
      expect(ended.stderr).toBe('');
      expect(JSON.parse(ended.stdout.toString())).toEqual({
        total: [0, 5, 5, 5, 5, 3, 3, 13],
        gain: [0.5, 0.75],
      });
    },
  );

  test('[watch.carried] watches are added and removed while the program runs, also by address, and come along at a restart', async () => {
    const ticker = buildTarget('e2e/ticker.cpp');
    const { sessionId, structured: launched } = await launch(client, home, ticker, {
      patterns: ['clockwork::*'],
    });
    const added = await client.ok('debug_trace', {
      sessionId,
      watches: {
        add: [{ expr: 'round', on: 'clockwork::tick', at: 'enter' }, { expr: 'no_such' }],
      },
    });
    expect(listAt(added.structured, 'activeWatches').map((watch) => at(watch, 'state'))).toEqual([
      'active',
      'pending',
    ]);
    const seen = async (id: string): Promise<unknown[]> => {
      const { structured } = await client.ok('debug_query', {
        view: 'events',
        sessionId: id,
        function: { equals: 'clockwork::tick' },
        timeFrom: '-500ms',
        budget: 10_000,
      });
      return listAt(structured, 'events').flatMap((event) => {
        const round = at(event, 'watchValues', 'round');
        return round === undefined ? [] : [round === at(event, 'arguments', 'round')];
      });
    };
    await vi.waitUntil(async () => (await seen(sessionId)).length >= 3, { timeout: 30_000 });
    expect(new Set(await seen(sessionId))).toEqual(new Set([true]));
    const pid = numberAt(launched, 'pid');
    const address = variableAddress(pid, ticker, 'stopping');
    await client.ok('debug_trace', {
      sessionId,
      watches: { add: [{ address, type: 'bool', label: 'stopping' }] },
    });
    await vi.waitUntil(
      async () => {
        const { structured } = await client.ok('debug_query', { view: 'changes', sessionId });
        const [watch] = listAt(structured, 'watches').filter(
          (one) => at(one, 'label') === 'stopping',
        );
        return Number(at(watch, 'samples') ?? 0) > 2;
      },
      { timeout: 30_000 },
    );
    const again = await client.ok('debug_session', { action: 'restart', sessionId });
    const second = textAt(again.structured, 'sessionId');
    await vi.waitUntil(async () => (await seen(second)).length >= 3, { timeout: 30_000 });
    const removed = await client.ok('debug_trace', {
      sessionId: second,
      watches: { remove: ['round', 'nothing'] },
    });
    expect(removed.text).toContain('There was no watch "nothing"');
    expect(listAt(removed.structured, 'activeWatches').map((watch) => at(watch, 'label'))).toEqual([
      'no_such',
    ]);
    expect(again.text).toContain('Watches of addresses are left behind');
    await client.ok('debug_session', { action: 'stop', sessionId: second });
  });

  test('[watch.carried] processes that the program forks and executes are watched, each its own variables', async () => {
    const target = buildTarget('e2e/watchedTree.c');
    await client.ok('debug_trace', {
      pending: true,
      add: ['work'],
      watches: { add: [{ expr: 'counter' }] },
    });
    const { sessionId, exit } = await runToEnd(client, home, target);
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    const { structured } = await client.ok('debug_query', {
      view: 'changes',
      sessionId,
      budget: 20_000,
    });
    const byPid = new Map<unknown, string[]>();
    for (const change of listAt(structured, 'changes')) {
      const pid = at(change, 'pid');
      const text = `${JSON.stringify(at(change, 'old'))}>${JSON.stringify(at(change, 'new'))}`;
      byPid.set(pid, [...(byPid.get(pid) ?? []), text]);
    }
    expect([...byPid.values()].map((one) => one.join(' ')).toSorted()).toEqual([
      '0>1 1>2',
      '0>100 100>200',
      '2>12 12>22',
    ]);
  });

  itNeeds(
    'rustc',
    '[watch.kinds] Rust: statics, atomics and fields behind references',
    async () => {
      const watches = ['COUNTER', 'LEVEL', 'gauge.reading', 'gauge.name'].map((expr) => ({ expr }));
      await client.ok('debug_trace', {
        pending: true,
        add: ['watched::bump', 'watched::lower', 'watched::read'],
        watches: { add: watches },
      });
      const { sessionId, text, exit } = await runToEnd(client, home, buildTarget('e2e/watched.rs'));
      expect([exit, text]).toEqual([{ kind: 'exited', code: 0 }, expect.anything()]);
      const all = await changesOf(client, sessionId, { budget: 20_000 });
      expect(all.toSorted(), text).toEqual(
        [
          '3>7 watched::bump',
          '7>8 watched::bump',
          '-1>-10 watched::lower',
          '1>20 watched::read',
          '20>30 watched::read',
          '"north">"north!" watched::read',
          '"north!">"north!!" watched::read',
        ].toSorted(),
      );
    },
  );

  test('[watch.refused] a name that several files have is refused, and one of them can be meant', async () => {
    const program = buildTarget('e2e/watchedFiles.c', [targetSource('e2e/watchedFile.c')]);
    const watches = ['state', '"watchedFiles.c"::state', '"watchedFile.c"::state', 'ofThread'];
    await client.ok('debug_trace', {
      pending: true,
      add: ['first', 'second'],
      watches: { add: watches.map((expr) => ({ expr })) },
    });
    const { sessionId, text } = await runToEnd(client, home, program);
    expect(text).toMatch(
      /watch state REFUSED, not kept: state means several variables: .*watchedFile/,
    );
    const all = await Promise.all(
      watches.slice(1).map((watch) => changesOf(client, sessionId, { watch })),
    );
    expect(all).toEqual([['1>2 first', '2>5 first'], ['100>102 second'], ['5>7 second']]);
  });

  test('[watch.kinds] variables of a library are read; its thread-locals are refused with the reason', async () => {
    const library = buildTarget('e2e/watchedFile.c', ['-shared', '-fPIC'], 'libwatched.so');
    const program = buildTarget('e2e/watchedFiles.c', [library, `-Wl,-rpath,${dirname(library)}`]);
    const watches = ['shared', '"watchedFile.c"::state', 'ofThread'];
    await client.ok('debug_trace', {
      pending: true,
      add: ['first', 'libwatched.so!second'],
      watches: { add: watches.map((expr) => ({ expr })) },
    });
    const { sessionId, text, exit } = await runToEnd(client, home, program);
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    expect(text).toMatch(/watch ofThread REFUSED.*thread-local of a library/);
    const all = await Promise.all(
      watches.slice(0, 2).map((watch) => changesOf(client, sessionId, { watch })),
    );
    expect(all).toEqual([['40>38 second'], ['100>102 second']]);
  });

  test('[watch.changes] stack arguments, exceptions and tail calls: the writer is the first suspect, and nothing the program computes changes', async () => {
    await client.ok('debug_trace', {
      pending: true,
      add: ['many', 'half', 'thrower', 'tail1', 'tail2'],
      watches: { add: [{ expr: 'depth' }, { expr: 'g' }, { expr: 'x' }] },
    });
    const program = buildTarget('e2e/watchedCalls.cpp', ['-O2']);
    const { sessionId } = await runToEnd(client, home, program);
    const output = await client.ok('debug_query', { view: 'output', sessionId });
    expect(output.text).toContain(execFileSync(program, { encoding: 'utf8' }).trim());
    expect(await changesOf(client, sessionId, { watch: 'depth', budget: 10_000 })).toEqual([
      '0>7 many',
      '7>8 half',
      '8>108 thrower',
      '108>208 thrower',
      '208>308 thrower',
      '308>-5 tail1',
      '-5>6 tail2',
    ]);
    const calls = await client.ok('debug_query', { view: 'events', sessionId });
    expect(calls.text).toMatch(/many\(.*g=7, h=8\.5\) = 36 .*\{depth=0→7, g=7\}/);
    expect(calls.text).toMatch(/half\(x=9\.0\) = 4\.5 .*\{depth=7→8, x=9\.0\}/);
  });
});
