import { expect, test } from 'vitest';
import { StrobeError } from '../../../src/model/errors.ts';
import { parseInput } from '../../../src/protocol/parseInput.ts';
import type { ToolContract } from '../../../src/protocol/tools/tool.ts';
import { debugBreakpoint as breakpoint } from '../../../src/protocol/tools/debugBreakpoint.ts';
import { tools } from '../../../src/protocol/tools/tools.ts';

const [launch, session, trace, query] = tools;
type Contract = ToolContract;

/** `CODE message → hint` of what a request is refused with. */
function refusal(tool: Contract, request: unknown): string {
  try {
    return `accepted: ${JSON.stringify(parseInput(tool, request))}`;
  } catch (error) {
    if (!(error instanceof StrobeError)) throw error;
    return `${error.code} ${error.message} → ${error.hint}`;
  }
}

const place = { command: 'x', projectRoot: '/' };

test.each<[Contract, unknown, string]>([
  [
    query,
    { fucntion: { equals: 'x' } },
    'UNKNOWN_PARAMETER "fucntion" is not a parameter of debug_query with view "events". Did you mean "function"? → Use "function".',
  ],
  [
    query,
    { function: { equal: 'x' } },
    'UNKNOWN_PARAMETER "equal" is not a parameter of function of debug_query. Did you mean "equals"? → Use "equals".',
  ],
  [
    query,
    { tail: 3 },
    'UNKNOWN_PARAMETER "tail" is not a parameter of debug_query with view "events". → It belongs to view "output"; use that, or leave it out.',
  ],
  [
    query,
    { view: 'tree', threadId: 3 },
    'UNKNOWN_PARAMETER "threadId" is not a parameter of debug_query with view "tree". → It belongs to view "events", "stats"; here it is "thread".',
  ],
  [
    session,
    { action: 'stop', toString: 1 },
    'UNKNOWN_PARAMETER "toString" is not a parameter of debug_session with action "stop". → Valid are: action, sessionId, retain, graceMs, takeOver.',
  ],
  [
    query,
    { view: 'oputput' },
    'BAD_PARAMETER debug_query: "oputput" is not a valid view. Did you mean "output"? → Use "output".',
  ],
  [
    query,
    { timeFrom: 'soon' },
    'BAD_PARAMETER debug_query: timeFrom: expected nanoseconds, or a text like "3s" or "+1.5ms" from the start, "-500ms" before now. → Use a value that the message allows.',
  ],
  [
    query,
    { within: 'call 3' },
    'BAD_PARAMETER debug_query: within: expected a call id such as "c3.1042". → Use a value that the message allows.',
  ],
  [
    query,
    { argument: [{ equals: 1 }] },
    'BAD_PARAMETER debug_query: argument[0]: give either name or index. → Use a value that the message allows.',
  ],
  [
    query,
    { argument: [{ name: 'a', equls: 1 }] },
    'UNKNOWN_PARAMETER "equls" is not a parameter of argument[0] of debug_query. Did you mean "equals"? → Use "equals".',
  ],
  [
    launch,
    { ...place, args: '-v out' },
    'BAD_PARAMETER debug_launch: args: expected array, received string. → Give a list: ["-v out"].',
  ],
  [
    session,
    { action: 'attach', pid: 5 },
    'BAD_PARAMETER debug_session has no action "attach". → debug_launch {"pid":4711} does it.',
  ],
  [
    query,
    5,
    'BAD_PARAMETER debug_query: expected object, received number. → Use a value that the message allows.',
  ],
  [
    session,
    {},
    'BAD_PARAMETER debug_session: action is required. → Use one of: status, list, wait, input, stop, detach, restart, retain, delete, pack, open, export.',
  ],
  [
    session,
    { action: 'wait', timeout: 5 },
    'UNKNOWN_PARAMETER "timeout" is not a parameter of debug_session with action "wait". Did you mean "timeoutMs"? → Use "timeoutMs".',
  ],
  [
    session,
    { action: 'wait', timeoutMs: 60_000 },
    'BAD_PARAMETER debug_session: timeoutMs: must be at most 50000. → Use 50000.',
  ],
  [
    session,
    { action: 'input', text: 'a', base64: 'aaaa' },
    'BAD_PARAMETER debug_session: give text or base64, not both. → Use a value that the message allows.',
  ],
  [
    launch,
    undefined,
    'BAD_PARAMETER debug_launch: command or pid or next or core is required. → Add command or pid or next or core.',
  ],
  [
    launch,
    { ...place, stdin: { txt: 'a' } },
    'UNKNOWN_PARAMETER "txt" is not a parameter of stdin of debug_launch. Did you mean "text"? → Use "text".',
  ],
  [
    breakpoint,
    { add: [{ function: 'spread', line: 66 }] },
    'BAD_PARAMETER debug_breakpoint: add[0]: line, statement, expect and near are of file. → Use a value that the message allows.',
  ],
  [
    breakpoint,
    { add: [{ file: 'a.c', line: 66, near: 3 }] },
    'BAD_PARAMETER debug_breakpoint: add[0]: near is of statement: leave it out beside line. → Use a value that the message allows.',
  ],
  [
    breakpoint,
    { add: [{ file: 'a.c', statement: 'x = 1', expect: 'x' }] },
    'BAD_PARAMETER debug_breakpoint: add[0]: expect is of line: leave it out beside statement. → Use a value that the message allows.',
  ],
  [
    launch,
    { ...place, stdin: 'opn' },
    'BAD_PARAMETER debug_launch: stdin: must be one of "open", "closed", or object. → Use a value that the message allows.',
  ],
  [
    trace,
    { add: [{ patern: 'a' }] },
    'UNKNOWN_PARAMETER "patern" is not a parameter of add[0] of debug_trace. Did you mean "pattern"? → Use "pattern".',
  ],
  [
    trace,
    { add: [5] },
    'BAD_PARAMETER debug_trace: add[0]: must be string, or object. → Use a value that the message allows.',
  ],
  [
    trace,
    { pending: true, sessionId: 'x' },
    'BAD_PARAMETER debug_trace: pending: pending is for the next launch: give sessionId or pending, not both. → Use a value that the message allows.',
  ],
])('[bad.parameter] %# is refused in words', (tool, request, said) => {
  expect(refusal(tool, request)).toBe(said);
});

test.each(['pid', 'watches', 'triggers'])('what is not there yet is refused: %s', (name) => {
  expect(refusal(launch, { ...place, [name]: 1 })).toMatch(/^UNKNOWN_PARAMETER/);
});

test('defaults are filled in, the variant too', () => {
  expect(parseInput(query, {})).toEqual({
    view: 'events',
    order: 'time',
    limit: 50,
    verbose: false,
  });
  expect(parseInput(session, { action: 'wait' })).toEqual({
    action: 'wait',
    for: ['exit'],
    timeoutMs: 10_000,
  });
  expect(parseInput(launch, place)).toEqual({
    ...place,
    args: [],
    breakpoints: [],
    env: {},
    envMode: 'merge',
    stdin: 'closed',
    tty: false,
    ui: false,
    patterns: [],
    redact: true,
    follow: 'all',
  });
});

test('a name that is also one of every object is still unknown', () => {
  expect(refusal(query, JSON.parse('{"constructor": 1}'))).toMatch(
    /^UNKNOWN_PARAMETER "constructor"/,
  );
});

test.each<[Contract, unknown, object]>([
  [query, { function: 'bank::pay' }, { function: { pattern: 'bank::pay' } }],
  [query, { returnValue: 5 }, { returnValue: { equals: 5 } }],
  [query, { argument: { name: 'a', equals: 1 } }, { argument: [{ name: 'a', equals: 1 }] }],
  [
    query,
    { eventType: 'logpoint', function: 'a' },
    { eventType: ['logpoint'], function: { pattern: 'a' } },
  ],
  [session, { action: 'wait', for: 'exit' }, { for: ['exit'] }],
  [launch, { ...place, waitFor: ['exit'] }, { waitFor: 'exit' }],
])('[bad.forms] %# is taken as what it means', (tool, request, meant) => {
  expect(parseInput(tool, request)).toMatchObject(meant);
});
