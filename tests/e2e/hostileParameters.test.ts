import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { debugSession } from '../../src/protocol/tools/debugSession.ts';
import { tools } from '../../src/protocol/tools/tools.ts';
import { inputVariants } from '../../src/protocol/tools/wireSchema.ts';
import { startClient, type TestClient } from '../support/client.ts';
import type { TestHome } from '../support/home.ts';
import { itNeeds } from '../support/needs.ts';
import { at } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { testHome } from '../support/suite.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const hostile = [
  '../../x',
  '/etc/passwd',
  '..',
  '.',
  '/',
  '~/x',
  'a\0b',
  'a\nb',
  '%2e%2e%2fx',
  '$(touch pwned)',
  '`touch pwned`',
  '; touch pwned',
  '| touch pwned',
  '\u202e\u2066',
  '-rf',
  '--help',
  '__proto__',
] as const;

type Request = Readonly<Record<string, unknown>>;

const sessionActions = inputVariants(debugSession)
  .filter(({ properties }) => 'sessionId' in properties)
  .map(({ name }) => name);
const views = ['events', 'tree', 'stats', 'crash', 'output', 'changes'];
const program = { command: '/bin/true' };
const exported = { action: 'export', format: 'csv' };
const run = { action: 'run', waitMs: 0, framework: 'generic' };

/** The filters of calls that questions and exports share. */
const callFilters = [
  'timeFrom',
  'timeTo',
  'function',
  'sourceFile',
  'returnValue',
  'argument',
  'where',
  'watched',
  'within',
  'parent',
  'test',
  'strand',
  'threadName',
] as const;

const channelActions = [
  { action: 'list' },
  ...['open', 'query', 'send', 'close'].map((action) => ({ action, channel: 'stdio' })),
];

/** What a request must have beside a text parameter, by tool and first name of the parameter. */
const requests: Readonly<Record<string, Readonly<Record<string, readonly Request[]>>>> = {
  debug_launch: {
    command: [{}],
    core: [{}],
    next: [{ waitMs: 0 }],
    breakpoints: [{ command: '/nosuch' }],
    ...Object.fromEntries(
      ['args', 'cwd', 'env', 'stdin', 'projectRoot', 'patterns', 'requestId'].map((name) => [
        name,
        [program],
      ]),
    ),
  },
  debug_session: {
    sessionId: sessionActions.map((action) => ({
      action,
      ...(action === 'input' ? { text: 'x' } : {}),
      ...(action === 'export' ? exported : {}),
    })),
    cursor: [{ action: 'list' }],
    match: [{ action: 'wait', for: ['output'], timeoutMs: 0 }],
    after: [{ action: 'wait', timeoutMs: 0 }],
    text: [{ action: 'input' }, exported],
    base64: [{ action: 'input' }],
    path: [{ action: 'pack' }, { action: 'open' }, exported],
    ...Object.fromEntries(callFilters.map((name) => [name, [exported]])),
    collector: [{ action: 'export', format: 'otlp' }],
  },
  debug_trace: {
    sessionId: [{ add: ['x'] }],
    add: [{ pending: true }],
    remove: [{ pending: true }],
    watches: [{ pending: true }],
    projectRoot: [{ pending: true }],
  },
  debug_breakpoint: {
    sessionId: [{}, { add: ['main.c:1'] }],
    ...Object.fromEntries(['add', 'change', 'remove', 'adapter'].map((name) => [name, [{}]])),
  },
  debug_continue: {
    sessionId: [{ action: 'wait', timeoutMs: 0 }],
    to: [{ action: 'until' }],
    stop: [{ action: 'over' }],
    thread: [{ action: 'over' }, { action: 'continue' }, { action: 'pause' }],
  },
  debug_inspect: {
    sessionId: [{}],
    stop: [{}],
    thread: [{}, { view: 'value', expression: 'x' }],
    expression: [{ view: 'value' }],
  },
  debug_memory: {
    sessionId: [{ do: [{ read: 'x' }] }],
    stop: [{ do: [{ read: 'x' }] }],
    do: [{}],
  },
  debug_channel: {
    sessionId: channelActions,
    channel: [{ action: 'open' }, { action: 'query' }],
    to: [{ action: 'send', channel: 'net' }],
    fault: [{ action: 'send', channel: 'net', to: '127.0.0.1:9' }],
    path: [{ action: 'run' }, { action: 'record' }, { action: 'query', channel: 'stdio' }],
    steps: [{ action: 'run' }],
    text: [
      { action: 'query', channel: 'net' },
      { action: 'send', channel: 'stdio' },
    ],
    base64: [{ action: 'send', channel: 'stdio' }],
    ...Object.fromEntries(
      ['within', 'threadName', 'timeFrom', 'timeTo', 'cursor'].map((name) => [
        name,
        [{ action: 'query', channel: 'net' }],
      ]),
    ),
  },
  debug_ui: {
    sessionId: [{ action: 'screenshot' }, { action: 'tree' }, { action: 'click', id: 'x' }],
    window: [{ action: 'screenshot' }],
    path: [{ action: 'screenshot' }],
    root: [{ action: 'tree' }],
    id: [{ action: 'click' }, { action: 'type', text: 'x' }],
    value: [{ action: 'setValue', id: 'x' }],
    item: [{ action: 'select', id: 'x' }],
    to: [{ action: 'drag', id: 'x' }],
    text: [{ action: 'type' }],
    key: [{ action: 'key' }],
  },
  debug_query: {
    watch: [{ view: 'changes' }],
    ...Object.fromEntries(
      [...callFilters, 'show', 'text', 'cursor'].map((name) => [name, [{ view: 'events' }]]),
    ),
    sessionId: [
      ...views.map((view) => ({ view })),
      { view: 'sql', sql: 'SELECT 1' },
      { view: 'diff', other: { timeTo: '1' } },
    ],
    root: [{ view: 'tree' }],
    thread: [{ view: 'tree' }],
    other: [{ view: 'diff' }],
    sql: [{ view: 'sql' }],
    params: [{ view: 'sql', sql: 'SELECT ?' }],
    match: [{ view: 'output' }],
  },
  debug_test: {
    projectRoot: [{ action: 'list' }, run],
    testRunId: ['wait', 'status', 'cancel'].map((action) => ({ action })),
    command: [{ action: 'run', waitMs: 0 }],
    watches: [{ ...run, ...program, patterns: ['x'] }],
    ...Object.fromEntries(
      ['file', 'test', 'patterns', 'env', 'requestId'].map((name) => [
        name,
        [{ ...run, ...program }],
      ]),
    ),
  },
};

/** A place in a request that takes a text: names of members, `[]` for an item, `{}` for any key. */
type Place = readonly string[];

/** Every such place of a tool's contract; the schema that clients are given leaves some out. */
function textPlaces(schema: unknown, place: Place = []): Place[] {
  const found: Place[] = [];
  if (
    at(schema, 'type') === 'string' &&
    at(schema, 'enum') === undefined &&
    at(schema, 'const') === undefined
  )
    found.push(place);
  for (const kind of ['anyOf', 'oneOf', 'allOf']) {
    const parts = at(schema, kind);
    if (Array.isArray(parts))
      found.push(...parts.flatMap((part: unknown) => textPlaces(part, place)));
  }
  const properties = at(schema, 'properties');
  if (typeof properties === 'object' && properties !== null)
    for (const [name, part] of Object.entries(properties))
      found.push(...textPlaces(part, [...place, name]));
  const [items, more] = [at(schema, 'items'), at(schema, 'additionalProperties')];
  if (typeof items === 'object') found.push(...textPlaces(items, [...place, '[]']));
  if (typeof more === 'object') found.push(...textPlaces(more, [...place, '{}']));
  return [...new Map(found.map((one) => [one.join('.'), one])).values()];
}

/** A request with the text at this place. */
function nested([name = '', ...rest]: Place, text: string): Request {
  const value = (places: Place): unknown => {
    const [first, ...others] = places;
    if (first === undefined) return text;
    if (first === '[]') return [value(others)];
    return { [first === '{}' ? text : first]: value(others) };
  };
  return { [name]: value(rest) };
}

/** Every file and folder below, links not followed. */
function below(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (['runtime', 'sessions', 'cache', 'tests', 'project', 'run'].includes(entry.name))
      return [path];
    return entry.isDirectory() ? [path, ...below(path)] : [path];
  });
}

/** Whether it names a file, a session or a run. */
function isName(place: Place): boolean {
  return /^(command|core|cwd|projectRoot|path|file|sessionId|testRunId)$/.test(place.at(-1) ?? '');
}

/** Texts for one place: all where it names something, else a third of them in turn. */
function textsFor(place: Place, turn: number, pipe: string): readonly string[] {
  if (isName(place)) return [...hostile, pipe];
  return hostile.filter((_text, index) => index % 3 === turn % 3);
}

async function tryAll(
  client: TestClient,
  home: TestHome,
  tool: string,
  place: Place,
  texts: readonly string[],
): Promise<void> {
  const [name = ''] = place;
  const kinds = requests[tool]?.[name] ?? [];
  expect([tool, place, kinds.length > 0]).toEqual([tool, place, true]);
  for (const request of kinds) {
    const isRooted =
      tool === 'debug_launch' || (tool === 'debug_test' && request['action'] === 'run');
    const root = isRooted ? { projectRoot: home.project } : {};
    for (const text of texts) {
      const answer = await client.call(tool, { ...root, ...request, ...nested(place, text) });
      const what = [tool, ...place, text, JSON.stringify(request)].join(' ');
      expect(answer.text, what).not.toMatch(/INTERNAL|is not a parameter of/);
      // What is not refused says what it did: a folder that exists may be a project.
      if (answer.isError) expect(answer.text, what).toMatch(/^[A-Z_]+: [\s\S]*\nNext: \S/);
    }
  }
}

for (const user of ['us', 'nobody'] as const) {
  const title = `[security.paths] no text of a request leads out of its place or is run (${user === 'us' ? 'own user' : 'unprivileged'})`;
  const attempt = async (): Promise<void> => {
    const home = testHome({}, undefined, user);
    const client = await startClient(home);
    await runToEnd(client, home, '/bin/true');
    // Who opens it waits for its writer.
    const pipe = join(home.project, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const own = (): string[] => below(home.path).filter((path) => !/db-|\.sock/.test(path));
    const before = own();
    const places = tools.flatMap(({ name, input }) =>
      textPlaces(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })).map(
        (place) => [name, place] as const,
      ),
    );
    expect(places.length).toBeGreaterThan(60);
    // Another user makes a difference where something is named.
    const tried = user === 'us' ? places : places.filter(([, place]) => isName(place));
    for (const [turn, [name, place]] of tried.entries())
      await tryAll(client, home, name, place, textsFor(place, turn, pipe));
    expect(own().filter((path) => !before.includes(path))).toEqual([]);
    for (const name of readdirSync(join(home.path, 'sessions')))
      expect(name).toMatch(/^[A-Za-z0-9_][\w.-]*-\d{4}-\d\d-\d\d-\d\dh\d\d-\w{4}$/);
    expect(existsSync('/pwned')).toBe(false);
    const log = readFileSync(join(home.path, 'daemon.log'), 'utf8');
    expect(log.split('\n').filter((line) => /"level":"error"/.test(line))).toEqual([]);
  };
  if (user === 'us') it(title, attempt);
  else itNeeds('root', title, attempt);
}
