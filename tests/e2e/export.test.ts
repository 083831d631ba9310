import root from '@opentelemetry/otlp-transformer/build/src/generated/root.js';
import { parse } from 'csv-parse/sync';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { SaxesParser } from 'saxes';
import { z } from 'zod';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { itNeeds, perfettoPackages } from '../support/needs.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { importWithSpeedscope } from '../support/speedscope.ts';
import { runProgram, runStrobe } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** orders.cpp with 300 orders, of which number 120 is refused by an exception. */
const CALLS = 1498;

describe('exports', () => {
  const { home, client } = withClient();
  let sessionId: string;
  beforeAll(async () => {
    const options = { args: ['10', '120'], patterns: ['orders::*'] };
    ({ sessionId } = await runToEnd(client, home, buildTarget('e2e/orders.cpp'), options));
  });

  const asked = async (wanted: object): Promise<unknown> => {
    const answer = await client.ok('debug_session', { action: 'export', sessionId, ...wanted });
    return answer.structured;
  };
  const exported = async (wanted: object): Promise<string> =>
    readFileSync(textAt(await asked(wanted), 'path'), 'utf8');
  const refused = async (wanted: object): Promise<string> =>
    (await client.refused('debug_session', { action: 'export', sessionId, ...wanted })).text;

  test.each(['speedscope', 'chrome'])(
    '[export.formats] speedscope reads %s: every call, below its caller',
    async (format) => {
      const text = await exported({ format });
      const [profile, ...others] = await importWithSpeedscope(`orders.${format}`, text);
      expect(others).toEqual([]);
      expect(profile?.name).toContain('orders');
      expect(profile?.opened).toHaveLength(CALLS);
      // It takes the arguments of a trace event for a part of its name.
      const paths = profile?.opened.map((path) => path.replaceAll(/ \{[^;]*\}/g, ''));
      const stores = paths?.filter((path) => path === 'orders::handle;orders::store');
      expect(stores).toHaveLength(300);
    },
  );

  test('[export.formats] speedscope reads folded stacks: every chain of callers', async () => {
    const text = await exported({ format: 'folded' });
    const [profile] = await importWithSpeedscope('orders.folded', text);
    expect(new Set(profile?.opened)).toContain(
      'orders;orders::handle;orders::rebate;orders::price',
    );
    const [evented] = await importWithSpeedscope(
      'orders.speedscope.json',
      await exported({ format: 'speedscope', function: { equals: 'orders::handle' } }),
    );
    expect(evented?.opened).toHaveLength(300);
  });

  test('[export.formats] an XML reader reads the flame graph', async () => {
    const titles: string[] = [];
    let inTitle = false;
    const parser = new SaxesParser();
    parser.on('opentag', ({ name }) => (inTitle = name === 'title'));
    parser.on('text', (text) => inTitle && titles.push(text));
    parser.on('closetag', () => (inTitle = false));
    parser.on('error', (error) => {
      throw error;
    });
    parser.write(await exported({ format: 'flamegraph' })).close();
    expect(titles.filter((title) => title.startsWith('orders::handle:'))).toHaveLength(1);
    expect(titles.find((title) => title.startsWith('orders::handle:'))).toMatch(/300 calls$/);
  });

  test('[export.formats] a CSV reader reads rows, and their arguments as JSON', async () => {
    const rows: unknown[] = parse(await exported({ format: 'csv' }), { columns: true });
    const calls = rows.filter((row) => at(row, 'event_type') === 'call');
    expect(calls).toHaveLength(CALLS);
    const unwound = calls.filter((row) => at(row, 'end') === 'unwound');
    expect(unwound.map((row) => at(row, 'function_name'))).toContain('orders::store');
    const stored = unwound.find((row) => at(row, 'function_name') === 'orders::store');
    expect(JSON.parse(textAt(stored, 'arguments'))).toMatchObject({ order: 120 });
    expect(rows.filter((row) => at(row, 'event_type') === 'stdout')).toHaveLength(1);
    expect([at(rows[0], 'event_type'), at(rows.at(-1), 'event_type')]).toEqual(['session', 'end']);
  });

  test('[export.formats] the protobuf types of OpenTelemetry take every request', async () => {
    const spans = spansOf(await exported({ format: 'otlp' }));
    expect(spans).toHaveLength(CALLS);
    const ids = new Set(spans.map((span) => textAt(span, 'spanId')));
    expect(ids.size).toBe(CALLS);
    for (const span of spans) {
      const parent = at(span, 'parentSpanId');
      if (typeof parent === 'string' && parent !== '') expect(ids).toContain(parent);
      expect(BigInt(textAt(span, 'endTimeUnixNano'))).toBeGreaterThanOrEqual(
        BigInt(textAt(span, 'startTimeUnixNano')),
      );
    }
    const failed = spans.filter((span) => at(span, 'status', 'code') === 'STATUS_CODE_ERROR');
    expect(failed.map((span) => textAt(span, 'name'))).toContain('orders::store');
  });

  itNeeds('perfetto', "[export.formats] Perfetto's own schema reads its trace", async () => {
    const path = textAt(await asked({ format: 'perfetto' }), 'path');
    const script = `
import json, sys
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
trace = Trace()
trace.ParseFromString(open(sys.argv[1], 'rb').read())
names, open_, slices, depth, threads, processes = {}, [], [], 0, [], []
for p in trace.packet:
    for n in p.interned_data.event_names: names[n.iid] = n.name
    if p.track_descriptor.HasField('thread'): threads.append(p.track_descriptor.thread.thread_name)
    if p.track_descriptor.HasField('process'): processes.append(p.track_descriptor.process.process_name)
    if p.track_event.type == 1:
        open_.append((names[p.track_event.name_iid], p.timestamp)); depth = max(depth, len(open_))
    if p.track_event.type == 2:
        name, start = open_.pop(); slices.append([name, p.timestamp - start])
print(json.dumps({'slices': len(slices), 'left': len(open_), 'depth': depth, 'threads': threads, 'processes': processes,
  'stores': sum(1 for name, _ in slices if name == 'orders::store'), 'least': min(t for _, t in slices)}))`;
    const env = { ...home.env, PYTHONPATH: perfettoPackages };
    const command = ['python3', '-c', script, path];
    const ended = await runProgram({ env, cwd: home.project }, command);
    expect(ended.stderr).toBe('');
    const read: unknown = JSON.parse(ended.stdout.toString());
    expect(read).toMatchObject({
      slices: CALLS,
      left: 0,
      depth: 3,
      stores: 300,
      threads: ['orders'],
      processes: [`${buildTarget('e2e/orders.cpp')} 10 120`],
    });
    expect(numberAt(read, 'least')).toBeGreaterThanOrEqual(0);
  });

  test('[export.formats] arguments and fields keep their names and values beside what an export adds', async () => {
    const program = buildTarget('e2e/namesakes.cpp');
    const patterns = ['sum', 'half', 'reach', 'weigh', 'List<*>::length'];
    const { sessionId: other } = await runToEnd(client, home, program, { patterns });
    const lines = (await exported({ format: 'jsonl', sessionId: other })).trimEnd().split('\n');
    const calls = lines.map((line): unknown => JSON.parse(line));
    const given = (name: string): unknown[] =>
      calls.filter((one) => at(one, 'functionName') === name).map((one) => at(one, 'arguments'));
    const pointer: unknown = expect.stringMatching(/^0x/);
    expect(given('half')).toEqual(
      ['NaN', 'Infinity', '-Infinity', 1.5].map((number) => ({ number })),
    );
    expect(given('reach')).toEqual([
      { host: { address: pointer, value: { address: 'localhost', port: 80 } } },
    ]);
    const trace: unknown = JSON.parse(await exported({ format: 'chrome', sessionId: other }));
    const sums = listAt(trace, 'traceEvents').filter((one) => at(one, 'name') === 'sum');
    expect(sums.map((one) => at(one, 'args'))).toMatchObject([
      { 'strobe.call.id': 'c1.0', id: 2, end: { address: pointer } },
      { 'strobe.call.id': 'c1.1', id: 3, end: { address: pointer } },
    ]);
    expect(at(sums[1], 'args', 'strobe.end')).toBe('unwound');
    const path = 'namesakes.folded';
    const long = { format: 'folded', sessionId: other, function: { contains: 'List' }, path };
    expect(await exported(long)).toMatch(/^namesakes;List<[^\n]{260,}>::length \d+\n$/);
    expect(at(await asked({ ...long, overwrite: true }), 'done')).toBe(true);
  });

  test('[export.formats] calls left by longjmp end, and processes and threads have their own names', async () => {
    const program = buildTarget('e2e/pictured.cpp', ['-O1', '-pthread']);
    const { sessionId: other } = await runToEnd(client, home, program, {
      patterns: ['after', 'dive'],
    });
    const chrome = await exported({ format: 'chrome', sessionId: other });
    const profiles = await importWithSpeedscope('pictured.chrome', chrome);
    const opened = profiles.map((profile) =>
      profile.opened.map((path) => path.replaceAll(/ \{[^;]*\}/g, '')),
    );
    expect(opened.toSorted((a, b) => b.length - a.length)).toEqual([
      ['dive', 'dive;dive', 'dive;dive;dive', 'after'],
      ['after'],
      ['after'],
    ]);
    const trace: unknown = JSON.parse(chrome);
    const named = (what: string): unknown[] =>
      listAt(trace, 'traceEvents')
        .filter((one) => at(one, 'name') === what)
        .map((one) => at(one, 'args', 'name'));
    expect(named('process_name')).toEqual([program, `${program} second`]);
    expect(named('thread_name')).toContain('=sum');
    const spans = spansOf(await exported({ format: 'otlp', sessionId: other }));
    const after = spans.find((span) => at(span, 'name') === 'after');
    const dives = spans.filter((span) => at(span, 'name') === 'dive');
    expect(dives).toHaveLength(3);
    const [end, ...others] = new Set(dives.map((dive) => textAt(dive, 'endTimeUnixNano')));
    expect(others).toEqual([]);
    expect(BigInt(end ?? 0)).toBeLessThanOrEqual(BigInt(textAt(after, 'startTimeUnixNano')));
    const csv = await asked({ format: 'csv', sessionId: other });
    expect(listAt(csv, 'notes').join()).toContain('a spreadsheet takes them for formulas');
    const rows: unknown[] = parse(readFileSync(textAt(csv, 'path'), 'utf8'), { columns: true });
    expect(rows.map((row) => at(row, 'thread_name'))).toContain('=sum');
  });

  test('[export.formats] each process has its name, also those of one command that ended alike', async () => {
    const leaf = buildTarget('e2e/leaf.c');
    const script = `for i in 1 2 3; do ${leaf} 0; done; true`;
    const { sessionId: other } = await runToEnd(client, home, 'sh', {
      args: ['-c', script],
      projectRoot: dirname(leaf),
      patterns: ['leafWork'],
    });
    const trace: unknown = JSON.parse(await exported({ format: 'chrome', sessionId: other }));
    const named = listAt(trace, 'traceEvents').filter((one) => at(one, 'name') === 'process_name');
    expect(named.map((one) => at(one, 'args', 'name'))).toEqual([
      `sh -c ${script}`,
      ...[1, 2, 3].map(() => `${leaf} 0`),
    ]);
    expect(new Set(named.map((one) => at(one, 'pid'))).size).toBe(4);
  });

  test('[export.told] the file and the answer tell what was asked for and what is in it', async () => {
    const answer = await client.ok('debug_session', {
      action: 'export',
      sessionId,
      format: 'jsonl',
      function: { equals: 'orders::store' },
      argument: [{ name: 'amount', lt: 0 }],
    });
    expect(at(answer.structured, 'calls')).toBe(1);
    expect(at(answer.structured, 'done')).toBe(true);
    expect(answer.text).toContain(textAt(answer.structured, 'path'));
    expect(answer.text).toContain('written as jsonl: 1 call,');
    const lines = readFileSync(textAt(answer.structured, 'path'), 'utf8').trimEnd().split('\n');
    const [first, call, last] = lines.map((line): unknown => JSON.parse(line));
    expect(at(first, 'filters')).toEqual({
      function: { equals: 'orders::store' },
      argument: [{ name: 'amount', lt: 0 }],
    });
    expect(at(first, 'sessionId')).toBe(sessionId);
    expect(at(call, 'arguments', 'order')).toBe(120);
    expect(last).toMatchObject({ eventType: 'end', calls: 1, dropped: 0 });
    expect(await refused({ format: 'folded', eventType: ['stdout'] })).toMatch(/holds calls only/);
  });

  test('[export.path] a file is made where its user may expect it, and nothing is replaced', async () => {
    mkdirSync(join(home.project, 'traces'));
    const inside = await asked({ format: 'csv', path: 'traces/orders.csv' });
    expect(textAt(inside, 'path')).toBe(join(home.project, 'traces', 'orders.csv'));
    expect(statSync(textAt(inside, 'path')).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home.project, 'traces'))).toEqual(['orders.csv']);
    const again = { format: 'csv', path: 'traces/orders.csv' };
    expect(await refused(again)).toMatch(/FILE_EXISTS/);
    await asked({ ...again, overwrite: true });
    const foreign = join(home.project, 'traces', 'notes.csv');
    writeFileSync(foreign, 'mine\n');
    expect(await refused({ ...again, path: foreign, overwrite: true })).toMatch(/FILE_EXISTS/);
    expect(readFileSync(foreign, 'utf8')).toBe('mine\n');
    const outside = join(dirname(home.project), `outside-${basename(home.project)}`);
    mkdirSync(outside);
    symlinkSync(outside, join(home.project, 'way-out'));
    for (const path of [`${outside}/x.csv`, 'way-out/x.csv', '../x.csv', '/dev/shm/x.csv']) {
      expect(await refused({ format: 'csv', path })).toMatch(/BAD_PARAMETER.*outside/);
    }
    expect(readdirSync(outside)).toEqual([]);
    mkdirSync(join(home.project, '.git', 'hooks'), { recursive: true });
    expect(await refused({ format: 'csv', path: '.git/hooks/x' })).toMatch(/hidden/);
    expect(await refused({ format: 'csv', path: 'none/x.csv' })).toMatch(/There is no folder/);
  });

  test('[export.path] without a path the file is with its session, and goes with it', async () => {
    const options = { args: ['10', '120'], patterns: ['orders::store'] };
    const other = await runToEnd(client, home, buildTarget('e2e/orders.cpp'), options);
    const path = textAt(await asked({ format: 'folded', sessionId: other.sessionId }), 'path');
    expect(basename(path)).toBe(`${other.sessionId}.folded`);
    const second = textAt(await asked({ format: 'folded', sessionId: other.sessionId }), 'path');
    expect(basename(second)).toBe(`${other.sessionId}-2.folded`);
    await client.ok('debug_session', { action: 'delete', sessionId: other.sessionId });
    expect([existsSync(path), existsSync(second)]).toEqual([false, false]);
  });

  test('[export.collector] spans go to a collector on this machine and to no other', async () => {
    const bodies: string[] = [];
    let answers: { status: number; body: string }[] = [];
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const answer = answers.shift() ?? { status: 200, body: '{}' };
        if (answer.status === 200) bodies.push(Buffer.concat(parts).toString());
        response.writeHead(answer.status).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    home.onClose(async () => new Promise<void>((resolve) => server.close(() => resolve())));
    const collector = `http://127.0.0.1:${numberAt(server.address(), 'port')}`;
    answers = [{ status: 503, body: 'soon' }];
    const sent = await asked({ format: 'otlp', collector });
    expect(sent).toMatchObject({ done: true, calls: CALLS, path: null });
    expect(bodies.flatMap((body) => spansOf(body))).toHaveLength(CALLS);
    answers = [
      { status: 200, body: '{"partialSuccess":{"rejectedSpans":"7","errorMessage":"odd"}}' },
    ];
    const partly = await asked({ format: 'otlp', collector, minDurationNs: 1 });
    expect(listAt(partly, 'notes').join()).toContain('rejected 7 spans: odd');
    answers = [{ status: 400, body: 'not today' }];
    expect(await refused({ format: 'otlp', collector })).toMatch(/EXPORT_FAILED.*400: not today/);
    for (const elsewhere of ['http://example.org:4318', 'http://10.0.0.1', 'file:///etc/passwd']) {
      expect(await refused({ format: 'otlp', collector: elsewhere })).toMatch(/BAD_PARAMETER/);
    }
  });

  test('[export.command] strobe export writes below the folder it is called in', async () => {
    const cwd = join(home.project, 'elsewhere');
    mkdirSync(cwd);
    const args = ['export', sessionId, '--format', 'speedscope', '--path', 'o.json'];
    const ended = await runStrobe({ env: home.env, cwd }, [...args, '--function', 'orders::price']);
    expect(ended.stderr).toBe('');
    expect(ended.stdout.toString()).toContain(join(cwd, 'o.json'));
    const text = readFileSync(join(cwd, 'o.json'), 'utf8');
    const [profile] = await importWithSpeedscope('o.json', text);
    expect(profile?.opened).toHaveLength(598);
  });
});

/** What of a generated message type is used. */
interface MessageType {
  fromObject(from: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object, how: object): object;
}

const requestType = z
  .custom<MessageType>((value) => typeof value === 'function')
  .parse(
    at(root, 'opentelemetry', 'proto', 'collector', 'trace', 'v1', 'ExportTraceServiceRequest'),
  );

/** The spans of lines of OTLP/JSON, after OpenTelemetry's own types took them. */
function spansOf(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const message = requestType.fromObject(z.looseObject({}).parse(JSON.parse(line)));
      const bytes = requestType.encode(message).finish();
      const decoded: unknown = requestType.toObject(requestType.decode(bytes), {
        longs: String,
        enums: String,
        bytes: String,
      });
      return listAt(decoded, 'resourceSpans').flatMap((resource) =>
        listAt(resource, 'scopeSpans').flatMap((scope) => listAt(scope, 'spans')),
      );
    });
}
