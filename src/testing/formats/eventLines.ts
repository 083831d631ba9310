import type {
  TestEvent,
  TestFailure,
  TestFrame,
  TestOutcome,
} from '../../model/tests/testReport.ts';
import { field, listField, numberField, parseObject, textField } from './jsonFields.ts';
import { mostOutput, plainText, tailOf } from './plainText.ts';
import { TextLines } from './textLines.ts';

/*
 * What the reporters in src/testing/reporters write: one JSON object a line, flushed at once, so
 * that a runner that dies has told everything up to its death.
 *
 *   {"event":"process","pid":4711}                   a process that runs tests
 *   {"event":"phase","phase":"collecting"}
 *   {"event":"expected","count":12}
 *   {"event":"started","id":"…","file":"…"}          with "pid" and "begin" where the time is told (as "span")
 *   {"event":"finished","id":"…","name":"…","file":"…","line":3,"outcome":"failed","durationMs":1.5,
 *    "reason":null,"failure":{"message":"…","expected":"…","actual":"…","output":"…",
 *    "frames":[{"function":"…","file":"…","line":3}]}}
 *   {"event":"ended","id":"…"}                      told under other names: its subtests
 *   {"event":"span","id":"…","pid":4711,"begin":"…","end":"…"}  when it ran: ns of CLOCK_MONOTONIC, as text
 *   {"event":"buildProblem","file":"…","line":3,"column":1,"message":"…"}
 *   {"event":"trouble","text":"…"}
 *   {"event":"complete"}                            the runner came to its end
 *
 * A later `finished` of the same test replaces an earlier one (retries). Lines that are no such
 * object are skipped: another process may write to the same file.
 */
export class EventLines {
  readonly #lines = new TextLines();

  push(chunk: Buffer): TestEvent[] {
    return this.#lines.push(chunk).flatMap(eventOf);
  }

  end(): TestEvent[] {
    return this.#lines.end().flatMap(eventOf);
  }
}

function eventOf(line: string): TestEvent[] {
  const value = line === '' ? null : parseObject(line);
  if (!value) return [];
  switch (textField(value, 'event')) {
    case 'process':
      return [{ kind: 'process', pid: numberField(value, 'pid') ?? 0 }];
    case 'phase':
      return textField(value, 'phase') === 'collecting'
        ? [{ kind: 'phase', phase: 'collecting' }]
        : [{ kind: 'phase', phase: 'running' }];
    case 'expected':
      return [{ kind: 'expected', count: numberField(value, 'count') ?? 0 }];
    case 'started':
      return [
        { kind: 'started', id: textField(value, 'id') ?? '', file: textField(value, 'file') },
        ...spanOf(value),
      ];
    case 'span':
      return spanOf(value);
    case 'finished':
      return finished(value);
    case 'ended':
      return [{ kind: 'ended', id: textField(value, 'id') ?? '' }];
    case 'buildProblem':
      return [
        {
          kind: 'buildProblem',
          problem: {
            file: textField(value, 'file'),
            line: numberField(value, 'line'),
            column: numberField(value, 'column'),
            message: plainText(textField(value, 'message') ?? ''),
          },
        },
      ];
    case 'trouble':
      return [{ kind: 'trouble', text: plainText(textField(value, 'text') ?? '') }];
    case 'complete':
      return [{ kind: 'complete' }];
    default:
      return [];
  }
}

/** Without an end while the test runs; nothing where the reporter tells no times. */
function spanOf(value: object): TestEvent[] {
  const pid = numberField(value, 'pid');
  const fromNs = nanoseconds(value, 'begin');
  if (pid === null || fromNs === null) return [];
  const test = textField(value, 'id') ?? '';
  return [{ kind: 'span', test, pid, fromNs, toNs: nanoseconds(value, 'end') }];
}

function nanoseconds(value: object, name: string): bigint | null {
  const text = textField(value, name) ?? '';
  return /^\d{1,19}$/.test(text) ? BigInt(text) : null;
}

function finished(value: object): TestEvent[] {
  const outcome = outcomeOf(textField(value, 'outcome'));
  const id = textField(value, 'id');
  if (!outcome || id === null) return [];
  const failure = outcome === 'failed' ? failureOf(field(value, 'failure')) : null;
  const file = textField(value, 'file');
  return [
    {
      kind: 'finished',
      result: {
        id,
        name: textField(value, 'name') ?? id,
        file,
        line: numberField(value, 'line') ?? lineOf(failure, file),
        outcome,
        durationMs: numberField(value, 'durationMs'),
        reason: textField(value, 'reason'),
        failure,
      },
    },
  ];
}

/** Where in the test's file it failed, for frameworks that do not say where the test begins. */
function lineOf(failure: TestFailure | null, file: string | null): number | null {
  const isThere = (told: string): boolean => told === file || (file?.endsWith(`/${told}`) ?? false);
  return failure?.frames.findLast((frame) => isThere(frame.file))?.line ?? null;
}

function outcomeOf(text: string | null): TestOutcome | null {
  for (const outcome of ['passed', 'failed', 'skipped', 'expectedFailure'] as const)
    if (text === outcome) return outcome;
  return null;
}

function failureOf(value: unknown): TestFailure {
  const side = (name: string): string | null => {
    const text = textField(value, name);
    return text === null ? null : plainText(text);
  };
  return {
    message: plainText(textField(value, 'message') ?? 'failed without a message'),
    expected: side('expected'),
    actual: side('actual'),
    frames: listField(value, 'frames').flatMap(frameOf),
    output: tailOf(plainText(textField(value, 'output') ?? ''), mostOutput),
  };
}

function frameOf(value: unknown): TestFrame[] {
  const file = textField(value, 'file');
  if (file === null) return [];
  return [{ function: textField(value, 'function'), file, line: numberField(value, 'line') }];
}
