import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { StrobeError } from '../../model/errors.ts';
import type { TestEvent, TestResult } from '../../model/tests/testReport.ts';
import type {
  ReportSource,
  RunnerEnd,
  TestAdapter,
  TestPlan,
  TestReader,
  TestRequest,
} from '../adapter.ts';
import { isProgram, onPath } from '../findRunner.ts';
import { readJunit } from '../formats/junit.ts';
import { tailOf, plainText } from '../formats/plainText.ts';
import { TapLines } from '../formats/tap.ts';
import { TextLines } from '../formats/textLines.ts';
import { ProjectFiles } from '../projectFiles.ts';
import { withToldFailure } from '../toldFailure.ts';

const largestReport = 64 << 20;

/**
 * Any command: its exit status, and TAP on its standard output or JUnit files it writes, both
 * known by their content.
 */
export const generic: TestAdapter = {
  name: 'generic',
  language: 'any',
  install: 'check the command',
  canList: false,
  evidence: () => null,
  plan,
  reader: (request, { earlier }) => new GenericReader(request, earlier ?? {}),
  rerun: ({ command }) => ['sh', '-c', command ?? ''],
  suspects: () => [],
};

function plan(request: TestRequest): TestPlan {
  const { command, projectRoot, env, tests, file, level } = request;
  if (command === null) {
    throw new StrobeError(
      'BAD_PARAMETER',
      'The generic framework needs command.',
      'Give the command that runs the tests: {"command": "make check"}.',
    );
  }
  if (tests !== null || file !== null || level !== null) {
    throw new StrobeError(
      'BAD_PARAMETER',
      'A generic command cannot be told which tests to run.',
      'Put the choice into command, or give framework.',
    );
  }
  const program = programOf(command, projectRoot, env);
  if (program === null && /^[\w./@%+=:,-]+$/.test(command)) {
    throw new StrobeError('PROGRAM_NOT_FOUND', `There is no program ${command}.`);
  }
  return {
    command: program ?? '/bin/sh',
    args: program === null ? ['-c', command] : [],
    cwd: projectRoot,
    env: {},
    report: null,
    typed: program === null ? ['sh', '-c', command] : [command],
    notes: [],
    earlier: changeTimes(projectRoot),
  };
}

/** The command is one program without arguments; null: a line for the shell. */
function programOf(
  command: string,
  projectRoot: string,
  env: Readonly<Record<string, string>>,
): string | null {
  if (isAbsolute(command) || command.includes('/')) {
    const path = resolve(projectRoot, command);
    return isProgram(path) ? path : null;
  }
  return onPath(command, env);
}

class GenericReader implements TestReader {
  readonly #request: TestRequest;
  readonly #lines = new TextLines();
  readonly #tap = new TapLines();
  readonly #earlier: Readonly<Record<string, number>>;
  #tail = '';
  #results = 0;

  constructor(request: TestRequest, earlier: Readonly<Record<string, number>>) {
    this.#request = request;
    this.#earlier = earlier;
  }

  feed(source: ReportSource, chunk: Buffer): readonly TestEvent[] {
    this.#tail = tailOf(this.#tail + chunk.toString('utf8'), 4000);
    if (source !== 'stdout') return [];
    return this.#counted(this.#lines.push(chunk).flatMap((line) => this.#tap.push(line)));
  }

  end(end: RunnerEnd): Promise<readonly TestEvent[]> {
    const events = this.#lines.end().flatMap((line) => this.#tap.push(line));
    events.push(...this.#tap.end());
    if (!this.#tap.isTap) events.push(...this.#junitFiles());
    this.#counted(events);
    if (this.#results === 0 && !end.stopped) events.push(...this.#byStatus(end));
    return Promise.resolve(events);
  }

  #counted(events: TestEvent[]): TestEvent[] {
    this.#results += events.filter((event) => event.kind === 'finished').length;
    return events;
  }

  /** Reports that the command wrote or rewrote. */
  #junitFiles(): TestEvent[] {
    const events: TestEvent[] = [];
    for (const [path, time] of Object.entries(changeTimes(this.#request.projectRoot))) {
      if (this.#earlier[path] === time) continue;
      for (const result of readReport(path) ?? []) events.push({ kind: 'finished', result });
    }
    if (events.length > 0) events.push({ kind: 'complete' });
    return events;
  }

  /** Without a report the command is one test: it passed or not. */
  #byStatus(end: RunnerEnd): TestEvent[] {
    const name = this.#request.command ?? 'command';
    const isGood = end.code === 0;
    const how = end.code === null ? `killed by ${end.signal ?? 'a signal'}` : `status ${end.code}`;
    const result: TestResult = {
      id: name,
      name,
      file: null,
      line: null,
      outcome: isGood ? 'passed' : 'failed',
      durationMs: null,
      reason: 'only the exit status is known: no TAP and no JUnit report was found',
      failure: isGood
        ? null
        : {
            message: `the command ended with ${how}`,
            expected: null,
            actual: null,
            frames: [],
            output: plainText(this.#tail),
          },
    };
    return [
      { kind: 'finished', result: withToldFailure(result, this.#request.projectRoot) },
      { kind: 'complete' },
    ];
  }
}

/** When each XML file of the project was last changed. */
function changeTimes(root: string): Record<string, number> {
  const files = new ProjectFiles(root).find(/\.xml$/, 5, 500);
  return Object.fromEntries(
    files.flatMap((file): [string, number][] => {
      const path = join(root, file);
      const found = statSync(path, { throwIfNoEntry: false });
      return found && found.size <= largestReport ? [[path, found.mtimeMs]] : [];
    }),
  );
}

function readReport(path: string): ReturnType<typeof readJunit> {
  try {
    return readJunit(readFileSync(path));
  } catch {
    return null; // It went away meanwhile.
  }
}
