import { relative } from 'node:path';
import { StrobeError } from '../../model/errors.ts';
import type { TestEvent, TestResult } from '../../model/tests/testReport.ts';
import type {
  ChosenTest,
  Evidence,
  ReportSource,
  RunnerEnd,
  TestAdapter,
  TestPlan,
  TestReader,
  TestRequest,
} from '../adapter.ts';
import { BothStreams } from '../formats/bothStreams.ts';
import { cargoProblem, cargoProgram } from '../formats/cargoMessages.ts';
import { field, numberField, parseObject, textField } from '../formats/jsonFields.ts';
import { finished, panicFailure, unexplained } from '../formats/libtest.ts';
import { plainText } from '../formats/plainText.ts';
import type { ProjectFiles } from '../projectFiles.ts';
import { sourcePath } from '../sourcePath.ts';
import { nativeSuspects, nativeTestFiles } from '../suspects.ts';

/**
 * cargo-nextest, through its libtest-json: one object a line for each start and end of a test,
 * beside cargo's own messages. A test's id is the one used there: `package::binary$a::works`.
 */
export const nextest: TestAdapter = {
  name: 'nextest',
  language: 'Rust',
  install: 'cargo install cargo-nextest --locked',
  canList: true,
  canBuild: true,
  evidence,
  plan,
  reader: (request) => new NextestReader(request),
  rerun: (request, test) => ['cargo', 'nextest', ...selection({ ...request, tests: [test] })],
  suspects: (failure, result) => {
    const own = nativeSuspects(failure, result).filter((name) => !name.includes(result.name));
    return own.length > 0 ? own : ['@usercode'];
  },
  inCode: {
    testFiles: nativeTestFiles,
    functions: (test) => [`**::${partsOf(test.id).test}`],
    isThreadPerTest: true,
    declaration: ({ id }) => new RegExp(`\\bfn\\s+${/\w*$/.exec(id)?.[0] ?? ''}\\b`),
  },
};

/** More than cargo's own: who keeps settings for it uses it. */
function evidence(project: ProjectFiles): Evidence | null {
  const isUsed = project.has('Cargo.toml') && project.has('.config/nextest.toml');
  return isUsed ? { weight: 95, reason: '.config/nextest.toml (it runs no doc tests)' } : null;
}

function plan(request: TestRequest): TestPlan {
  const selected = selection(request);
  const [subcommand = 'run', ...rest] = selected;
  const isSingle = request.tests !== null && request.env['RUST_BACKTRACE'] === undefined;
  const command =
    request.purpose === 'list'
      ? ['list', '--message-format', 'json', ...rest]
      : [
          subcommand,
          ...(request.purpose === 'build'
            ? ['--no-run']
            : ['--no-fail-fast', '--no-tests=pass', '--message-format=libtest-json-plus']),
          '--cargo-message-format=json',
          ...rest,
        ];
  return {
    command: 'cargo',
    args: ['nextest', ...command],
    cwd: request.projectRoot,
    env: {
      NEXTEST_EXPERIMENTAL_LIBTEST_JSON: '1',
      ...(isSingle ? { RUST_BACKTRACE: '1' } : {}),
    },
    report: null,
    typed: ['cargo', 'nextest', ...selected],
    notes: [],
  };
}

/** `run`, and a filter expression for what is wanted. */
function selection(request: TestRequest): string[] {
  const filter = filterOf(request);
  return filter === null ? ['run'] : ['run', '-E', filter];
}

function filterOf({ tests, level, file, projectRoot }: TestRequest): string | null {
  if (tests !== null) return tests.map(testFilter).join(' | ');
  if (level === 'unit') return 'kind(lib) | kind(bin)';
  if (level === 'integration') return 'kind(test)';
  if (level !== null) {
    throw new StrobeError(
      'BAD_PARAMETER',
      'Cargo tells unit and integration tests apart, no e2e tests.',
      'Give level "unit" or "integration".',
    );
  }
  return file === null ? null : fileFilter(relative(projectRoot, file));
}

function testFilter({ id }: ChosenTest): string {
  const { crate, binary, test } = partsOf(id);
  if (crate === null || binary === null) return `test(=${test})`;
  return `(package(=${crate}) & binary(=${binary}) & test(=${test}))`;
}

function partsOf(id: string): {
  readonly crate: string | null;
  readonly binary: string | null;
  readonly test: string;
} {
  const [, crate = null, binary = null, test = id] = /^(.+?)::([^$]+)\$(.+)$/.exec(id) ?? [];
  return { crate, binary, test };
}

function fileFilter(path: string): string {
  const outside = /(?:^|\/)tests\/([^/]+?)(?:\.rs$|\/)/.exec(path)?.[1];
  if (outside !== undefined) return `kind(test) & binary(=${outside})`;
  const inside = /(?:^|\/)src\/(.+?)(?:\/mod)?\.rs$/.exec(path)?.[1];
  if (inside === undefined)
    throw new StrobeError('BAD_PARAMETER', `${path} is neither below src nor below tests.`);
  if (inside === 'lib') return 'kind(lib)';
  if (inside === 'main') return 'kind(bin)';
  return `test(/^${inside.replaceAll('/', '::')}::/)`;
}

/** `TRY 3 ABRT [   0.063s] (1/2) cart::outside dies` */
const death =
  /^(?:TRY \d+ )?(?:SIG)?(ABRT|SEGV|BUS|KILL|ILL|FPE|TRAP|TERM|SYS) +\[[^\]]*\](?: \([^)]*\))? (\S+) (\S+)$/;

class NextestReader implements TestReader {
  readonly #request: TestRequest;
  readonly #streams = new BothStreams(
    (line) => this.#line(line),
    (line) => this.#said(line),
  );
  /** Announced once for each binary, also when it is reported in several parts. */
  readonly #announced = new Set<string>();
  /** Failed tests that left no word, and of what tests died: that comes on another stream. */
  readonly #mute: TestResult[] = [];
  readonly #deaths = new Map<string, string>();
  readonly #chosen: ReadonlySet<string> | null;
  #words = '';
  #spoke = false;

  constructor(request: TestRequest) {
    this.#request = request;
    this.#chosen = request.tests && new Set(request.tests.map(({ id }) => id));
  }

  feed(source: ReportSource, chunk: Buffer): readonly TestEvent[] {
    return this.#streams.push(source, chunk);
  }

  end(end: RunnerEnd): Promise<readonly TestEvent[]> {
    const events = this.#streams.end();
    for (const result of this.#mute) events.push(this.#explained(result));
    if (this.#spoke || end.code === 0 || end.stopped) return Promise.resolve(events);
    if (/no such (?:sub)?command: [`']nextest/.test(this.#words))
      events.push({
        kind: 'missingRunner',
        text: 'cargo-nextest is not installed',
        install: nextest.install,
      });
    else if (this.#words !== '') events.push({ kind: 'trouble', text: this.#words.trim() });
    return Promise.resolve(events);
  }

  #explained(result: TestResult): TestEvent {
    const { crate, binary, test } = partsOf(result.id);
    const signal =
      this.#deaths.get(`${crate ?? ''} ${test}`) ??
      this.#deaths.get(`${crate ?? ''}::${binary ?? ''} ${test}`);
    if (signal === undefined || !result.failure) return { kind: 'finished', result };
    const message = `the process of this test died of SIG${signal}`;
    return { kind: 'finished', result: { ...result, failure: { ...result.failure, message } } };
  }

  #said(line: string): TestEvent[] {
    const text = plainText(line).trim();
    const [, signal, binary, test] = death.exec(text) ?? [];
    if (signal !== undefined) this.#deaths.set(`${binary ?? ''} ${test ?? ''}`, signal);
    const isFault = /^error(\[|:)/.test(text) || this.#words !== '';
    if (isFault && this.#words.length < 4000) this.#words += `${text}\n`;
    return text.startsWith('Compiling ') ? [{ kind: 'phase', phase: 'compiling' }] : [];
  }

  #line(line: string): TestEvent[] {
    const message = parseObject(line);
    if (!message) return [];
    if (field(message, 'rust-suites') !== undefined) return listed(message);
    const program = cargoProgram(message);
    if (program) return [{ kind: 'program', path: program.path }];
    const problem = cargoProblem(message, this.#request.projectRoot);
    if (problem) return [{ kind: 'buildProblem', problem }];
    if (textField(message, 'type') === 'suite') return this.#suite(message);
    return textField(message, 'type') === 'test' ? this.#test(message) : [];
  }

  #suite(message: object): TestEvent[] {
    this.#spoke = true;
    const about = field(message, 'nextest');
    const suite = ['crate', 'kind', 'test_binary'].map((name) => textField(about, name)).join(' ');
    if (textField(message, 'event') !== 'started' || this.#announced.has(suite)) return [];
    this.#announced.add(suite);
    // A part of the tests is announced as the whole of the binary.
    if (this.#request.tests !== null) return [];
    return [{ kind: 'expected', count: numberField(message, 'test_count') ?? 0 }];
  }

  #test(message: object): TestEvent[] {
    const told = textField(message, 'name') ?? '';
    // A further attempt has its number.
    const id = told.replace(/#\d+$/, '');
    // Ignored tests that were not chosen are reported as begun.
    if (this.#chosen?.has(id) === false) return [];
    const event = textField(message, 'event');
    if (event === 'started') return [{ kind: 'started', id, file: null }];
    const outcome = event === 'ok' ? 'passed' : event === 'ignored' ? 'skipped' : 'failed';
    const seconds = numberField(message, 'exec_time');
    const reason = textField(message, 'reason');
    const { failure, place } =
      outcome === 'failed'
        ? this.#failure(textField(message, 'stdout') ?? '', reason)
        : { failure: null, place: null };
    const result: TestResult = {
      id,
      name: partsOf(id).test,
      file: place?.file ?? null,
      line: place?.line ?? null,
      outcome,
      durationMs: seconds === null ? null : seconds * 1000,
      reason: outcome === 'skipped' ? (reason ?? 'ignored') : null,
      failure,
    };
    if (failure?.message === 'failed') this.#mute.push(result);
    const isFlaky = outcome === 'passed' && told !== id;
    return [
      ...(isFlaky ? [finished({ ...result, outcome: 'failed', failure: unexplained })] : []),
      finished(result),
    ];
  }

  #failure(output: string, reason: string | null): ReturnType<typeof panicFailure> {
    // The harness's own lines around the test's.
    const lines = output
      .split('\n')
      .filter((line) => !/^(running \d+ tests?|test .* \.\.\. .*|test result: .*)$/.test(line));
    const found = panicFailure(lines, (path) => sourcePath(path, this.#request.projectRoot));
    if (reason === null) return found;
    return { ...found, failure: { ...found.failure, message: reason } };
  }
}

/** `{"rust-suites": {"<binary id>": {"package-name", "binary-name", "testcases": {"<name>": …}}}}` */
function listed(message: object): TestEvent[] {
  return Object.values(field(message, 'rust-suites') ?? {}).flatMap((suite: unknown) => {
    const crate = textField(suite, 'package-name') ?? '';
    const binary = textField(suite, 'binary-name') ?? '';
    return Object.keys(field(suite, 'testcases') ?? {}).map((name): TestEvent => {
      const id = `${crate}::${binary}$${name}`;
      const base = { id, name, file: null, line: null, durationMs: null };
      return finished({ ...base, outcome: 'skipped', reason: 'listed', failure: null });
    });
  });
}
