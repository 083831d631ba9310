import { basename, relative } from 'node:path';
import { StrobeError } from '../../model/errors.ts';
import type { TestEvent } from '../../model/tests/testReport.ts';
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
import { cargoProblem, cargoProgram } from '../formats/cargoMessages.ts';
import { parseObject } from '../formats/jsonFields.ts';
import { finished, LibtestLines, panicFailure } from '../formats/libtest.ts';
import { listedTest } from '../formats/listedTest.ts';
import { plainText } from '../formats/plainText.ts';
import { TextLines } from '../formats/textLines.ts';
import type { ProjectFiles } from '../projectFiles.ts';
import { sourcePath } from '../sourcePath.ts';
import { nativeSuspects, nativeTestFiles } from '../suspects.ts';

/**
 * `cargo test`: the compiler's messages as JSON, the harness's results as text, because its JSON
 * needs a nightly compiler.
 *
 * A test's id begins with the target it belongs to, as cargo selects it: `lib a::works`,
 * `test:outside works`, `doc src/lib.rs - area (line 3)`.
 */
export const cargo: TestAdapter = {
  name: 'cargo',
  language: 'Rust',
  install: 'https://rustup.rs',
  canList: true,
  canBuild: true,
  evidence,
  plan,
  reader: (request) => new CargoReader(request),
  rerun: (request, test) => ['cargo', ...selection({ ...request, tests: [test] })],
  suspects: (failure, result) => {
    const own = nativeSuspects(failure, result).filter((name) => !name.includes(result.name));
    const [target = '', ...name] = result.id.split(' ');
    const module = name.join(' ').replace(/(^|::)(tests?::)?[^:]*$/, '');
    const scope =
      target === 'lib' ? (module === '' ? '@usercode' : `*::${module}::*`) : '@usercode';
    return own.length > 0 ? own : [scope];
  },
  inCode: {
    testFiles: nativeTestFiles,
    functions: ({ id }) => {
      const [, target, name] = idParts.exec(id) ?? [];
      return target === 'doc' || name === undefined ? [] : [`**::${name}`];
    },
    isThreadPerTest: true,
    declaration: ({ id }) => new RegExp(`\\bfn\\s+${/\w*$/.exec(id)?.[0] ?? ''}\\b`),
  },
};

function evidence(project: ProjectFiles): Evidence | null {
  const manifest = project.text('Cargo.toml');
  if (manifest === '') return null;
  return {
    weight: 90,
    reason: /^\[workspace\]/m.test(manifest) ? 'Cargo.toml with a workspace' : 'Cargo.toml',
  };
}

function plan(request: TestRequest): TestPlan {
  const selected = selection(request);
  const isSingle = request.tests !== null && request.env['RUST_BACKTRACE'] === undefined;
  const [subcommand = 'test', ...rest] = selected;
  return {
    command: 'cargo',
    args: [
      subcommand,
      ...(request.purpose === 'build' ? ['--no-run'] : []),
      '--no-fail-fast',
      '--message-format=json',
      ...rest,
      ...listing(request, rest),
    ],
    cwd: request.projectRoot,
    // A chosen test that fails is worth its stack; a whole suite would pay for every panic.
    env: isSingle ? { RUST_BACKTRACE: '1' } : {},
    report: null,
    typed: ['cargo', ...selected],
    notes: [],
  };
}

function listing(request: TestRequest, rest: readonly string[]): string[] {
  if (request.purpose !== 'list') return [];
  return rest.includes('--') ? ['--list'] : ['--', '--list'];
}

const idParts = /^(lib|doc|(?:bin|test|example|bench):\S+) (.+)$/;

/** `test`, which targets, and which names in them. */
function selection(request: TestRequest): string[] {
  const { tests, level, file } = request;
  if (tests !== null) return selectedTests(tests);
  if (level === 'unit') return ['test', '--lib', '--bins'];
  if (level === 'integration') return ['test', '--test', '*'];
  if (level !== null) {
    throw new StrobeError(
      'BAD_PARAMETER',
      'Cargo tells unit and integration tests apart, no e2e tests.',
      'Give level "unit" or "integration".',
    );
  }
  return file === null ? ['test'] : ofFile(relative(request.projectRoot, file));
}

function selectedTests(tests: readonly ChosenTest[]): string[] {
  const parts = tests.map(({ id }) => idParts.exec(id));
  const targets = [...new Set(parts.map((found) => found?.[1] ?? ''))];
  const names = tests.map(({ id }, at) => parts[at]?.[2] ?? id);
  // Doc tests cannot be selected together with others.
  const isMixed = targets.includes('') || (targets.includes('doc') && targets.length > 1);
  const flags = isMixed
    ? []
    : targets.flatMap((target) => {
        const [kind = '', name] = target.split(':');
        return name === undefined ? [`--${kind}`] : [`--${kind}`, name];
      });
  return ['test', ...flags, '--', '--exact', ...names];
}

function ofFile(path: string): string[] {
  const outside = /^tests\/([^/]+)(?:\.rs$|\/)/.exec(path)?.[1];
  if (outside !== undefined) return ['test', '--test', outside.replace(/\.rs$/, '')];
  const inside = /^src\/(.+?)(?:\/mod)?\.rs$/.exec(path)?.[1];
  if (inside === undefined) {
    throw new StrobeError('BAD_PARAMETER', `${path} is neither below src nor below tests.`);
  }
  if (inside === 'lib') return ['test', '--lib'];
  if (inside === 'main') return ['test', '--bins'];
  return ['test', '--', `${inside.replaceAll('/', '::')}::`];
}

/** A test says that it ends otherwise than tests do. */
const deadly = /^thread '(.+?)'(?: \(\d+\))? (?:panicked at|has overflowed its stack)/;
const mostPanicLines = 200;

class CargoReader implements TestReader {
  readonly #root: string;
  readonly #isList: boolean;
  readonly #stdout = new TextLines();
  readonly #stderr = new TextLines();
  /** Which target a program belongs to, by the name of its file. */
  readonly #targets = new Map<string, string>();
  /** Programs in the order cargo runs them; their outputs come in the same order. */
  readonly #order: string[] = [];
  readonly #waiting: string[] = [];
  readonly #libtest: LibtestLines;
  #blocks = 0;
  #words = '';
  /** What the test that panicked last wrote past the harness, which keeps the words of those that end. */
  #panic: string[] = [];

  constructor(request: TestRequest) {
    this.#root = request.projectRoot;
    this.#isList = request.purpose === 'list';
    this.#libtest = new LibtestLines(this.#names('lib'));
  }

  feed(source: ReportSource, chunk: Buffer): readonly TestEvent[] {
    if (source === 'stdout')
      return this.#stdout.push(chunk).flatMap((line) => this.#take(line, false));
    return this.#stderr.push(chunk).flatMap((line) => this.#status(line));
  }

  end(end: RunnerEnd): Promise<readonly TestEvent[]> {
    const events = [
      ...this.#stderr.end().flatMap((line) => this.#status(line)),
      ...this.#stdout.end().flatMap((line) => this.#take(line, true)),
      ...this.#waiting.splice(0).flatMap((line) => this.#take(line, true)),
      ...this.#libtest.end(),
    ];
    if (this.#order.length === 0 && end.code !== 0 && !end.stopped && this.#words !== '')
      events.push({ kind: 'trouble', text: this.#words.trim() });
    return Promise.resolve(events);
  }

  #names(target: string) {
    return {
      id: (test: string) => `${target} ${test}`,
      path: (told: string) => sourcePath(told, this.#root),
    };
  }

  /** Cargo's own words, on standard error. */
  #status(line: string): TestEvent[] {
    const text = plainText(line).trim();
    this.#remember(plainText(line));
    const isFault = /^error(\[|:)/.test(text) || this.#words !== '';
    if (isFault && this.#words.length < 4000) this.#words += `${text}\n`;
    if (text.startsWith('Compiling ')) return [{ kind: 'phase', phase: 'compiling' }];
    const program = /^Running (?:(?:unittests|benches) )?.*\((.+)\)$/.exec(text)?.[1];
    const target =
      program === undefined
        ? text.startsWith('Doc-tests ')
          ? 'doc'
          : null
        : (this.#targets.get(basename(program)) ?? 'lib');
    if (target !== null) {
      this.#order.push(target);
      this.#words = '';
      return this.#waiting.splice(0).flatMap((waiting) => this.#take(waiting, false));
    }
    const died = /\(signal: \d+, (\w+)(?::[^)]*)?\)$/.exec(text)?.[1];
    return died === undefined ? [] : this.#died(died);
  }

  #died(signal: string): TestEvent[] {
    const dead = this.#dead(signal);
    const name = dead?.kind === 'finished' ? dead.result.name : null;
    const where =
      name === null
        ? '; tests that told no outcome did not end. --test-threads=1 tells which test ran'
        : ` in ${name}`;
    const program = this.#order.at(-1) ?? '?';
    return [
      { kind: 'crash', text: `A test program (${program}) died of ${signal}${where}.` },
      ...(dead ? [dead] : []),
    ];
  }

  #remember(line: string): void {
    const begins = deadly.test(line);
    if (begins) this.#panic = [];
    if ((begins || this.#panic.length > 0) && this.#panic.length < mostPanicLines)
      this.#panic.push(line);
  }

  /** The test in which the program died, where it said so: a panic that could not unwind, a stack that overflowed. */
  #dead(signal: string): TestEvent | null {
    const lines = this.#panic.splice(0);
    const test = deadly.exec(lines[0]?.trim() ?? '')?.[1];
    const isOver = lines.some((line) => /overflowed its stack|aborting|abort$/.test(line.trim()));
    if (test === undefined || !isOver) return null;
    const { id, path } = this.#names(this.#order.at(-1) ?? 'lib');
    const { failure, place } = panicFailure(lines, path);
    const message = `${failure.message} (died of ${signal})`;
    const where = { file: place?.file ?? null, line: place?.line ?? null };
    const outcome = { outcome: 'failed', durationMs: null, reason: null } as const;
    const told = { ...failure, message };
    return finished({ id: id(test), name: test, ...where, ...outcome, failure: told });
  }

  /** Results wait until cargo has said whose they are: the two streams are not in step. */
  #take(line: string, isEnd: boolean): TestEvent[] {
    if (line.startsWith('{"reason":')) return this.#message(line);
    const isHeader = /^running \d+ tests?$/.test(line);
    const isEarly = (this.#isList || isHeader) && this.#order.length <= this.#blocks;
    if (!isEnd && (this.#waiting.length > 0 || isEarly)) {
      this.#waiting.push(line);
      return [];
    }
    if (this.#isList) return this.#listed(line);
    if (!isHeader) return this.#libtest.push(line);
    this.#libtest.rename(this.#names(this.#order[this.#blocks] ?? this.#order.at(-1) ?? 'lib'));
    this.#blocks += 1;
    return this.#libtest.push(line);
  }

  #listed(line: string): TestEvent[] {
    if (/^\d+ tests?, \d+ benchmarks?$/.test(line)) {
      this.#blocks += 1;
      return [];
    }
    const name = /^(.+): test$/.exec(line)?.[1];
    if (name === undefined) return [];
    return [listedTest(`${this.#order[this.#blocks] ?? 'lib'} ${name}`, name)];
  }

  #message(line: string): TestEvent[] {
    const message = parseObject(line);
    if (!message) return [];
    const program = cargoProgram(message);
    if (program && program.kind !== null) {
      const { path, kind, name } = program;
      this.#targets.set(basename(path), isKind(kind) ? `${kind}:${name}` : 'lib');
      return [{ kind: 'program', path }];
    }
    const problem = cargoProblem(message, this.#root);
    return problem ? [{ kind: 'buildProblem', problem }] : [];
  }
}

function isKind(kind: string): boolean {
  return ['bin', 'test', 'example', 'bench'].includes(kind);
}
