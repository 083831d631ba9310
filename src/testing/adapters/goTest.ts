import { dirname, join, relative } from 'node:path';
import type {
  BuildProblem,
  TestEvent,
  TestFailure,
  TestFrame,
} from '../../model/tests/testReport.ts';
import type {
  Evidence,
  ReportSource,
  RunnerEnd,
  TestAdapter,
  TestPlan,
  TestReader,
  TestRequest,
} from '../adapter.ts';
import { BothStreams } from '../formats/bothStreams.ts';
import { numberField, parseObject, textField } from '../formats/jsonFields.ts';
import { listedTest } from '../formats/listedTest.ts';
import { mostOutput, plainText, tailOf } from '../formats/plainText.ts';
import { refuseLevel } from '../level.ts';
import type { ProjectFiles } from '../projectFiles.ts';
import { sourcePath } from '../sourcePath.ts';
import { qualifiedName, stackSuspects } from '../suspects.ts';

/** `go test -json`: a stream of events on standard output. A test's id is `package Name/sub`. */
export const go: TestAdapter = {
  name: 'go',
  language: 'Go',
  install: 'https://go.dev/doc/install',
  canList: true,
  quitsBy: 'SIGQUIT',
  evidence,
  plan,
  reader: (request) => new GoReader(request),
  rerun: (request, test) => ['go', ...selection({ ...request, tests: [test] })],
  inCode: {
    testFiles: /_test\.go$/,
    programs: '*.test',
    startedBy: 'testing.tRunner',
    functions: ({ name }) => {
      const [test = '', ...subtests] = name.split('/');
      return subtests.length === 0 ? [`**.${test}`] : [`**.${test}.*`];
    },
    declaration: ({ name }) => new RegExp(`\\bfunc ${name.split('/')[0] ?? ''}\\(`),
  },
  suspects: (failure, result) => stackSuspects(failure, result, qualifiedName),
};

function evidence(project: ProjectFiles): Evidence | null {
  return project.has('go.mod') ? { weight: 90, reason: 'go.mod' } : null;
}

function plan(request: TestRequest): TestPlan {
  refuseLevel(request, 'go');
  const [subcommand = 'test', ...rest] = selection(request);
  const list = request.purpose === 'list' ? ['-list', '.'] : [];
  return {
    command: 'go',
    args: [subcommand, '-json', ...list, ...(request.isTraced ? traced(request) : []), ...rest],
    cwd: request.projectRoot,
    env: {},
    report: null,
    typed: ['go', subcommand, ...rest],
    notes: request.isTraced
      ? [
          'built for tracing: debug information kept, functions of the module not inlined, net and os/user without cgo',
        ]
      : [],
  };
}

/** Run again although nothing changed; with debug information and all calls; static, as it is traced from outside. */
function traced({ env }: TestRequest): string[] {
  const given = /(?:^|\s)-tags[= ](\S+)/.exec(env['GOFLAGS'] ?? '')?.[1];
  const tags = [...(given === undefined ? [] : [given]), 'netgo', 'osusergo'].join(',');
  return ['-count=1', '-ldflags=-s=false -w=false', '-gcflags=./...=-l', `-tags=${tags}`];
}

function selection({ tests, file, projectRoot }: TestRequest): string[] {
  if (tests !== null) {
    const parts = tests.map(({ id }) => splitId(id));
    const packages = [...new Set(parts.map((part) => part.packageName ?? './...'))];
    return ['test', '-run', runPattern(parts.map((part) => part.test)), ...packages];
  }
  if (file === null) return ['test', './...'];
  const folder = relative(projectRoot, dirname(file));
  return ['test', folder === '' ? '.' : `./${folder}`];
}

function splitId(id: string): { readonly packageName: string | null; readonly test: string } {
  const space = id.indexOf(' ');
  return space < 0
    ? { packageName: null, test: id }
    : { packageName: id.slice(0, space), test: id.slice(space + 1) };
}

/** One test with its subtests' names, or several by their first names. */
function runPattern(names: readonly string[]): string {
  const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const [only] = names;
  if (names.length === 1 && only !== undefined)
    return only
      .split('/')
      .map((part) => `^${escaped(part)}$`)
      .join('/');
  const first = names.map((name) => escaped(name.split('/')[0] ?? name));
  return `^(${[...new Set(first)].join('|')})$`;
}

interface Open {
  readonly output: string[];
  hasSubtests: boolean;
  hasFailedSubtests: boolean;
}

const problemLine = /^(\S+\.go):(\d+):(?:(\d+):)? (.+)$/;

class GoReader implements TestReader {
  readonly #request: TestRequest;
  readonly #streams = new BothStreams(
    (line) => this.#line(line),
    (line) => this.#said(line),
  );
  readonly #open = new Map<string, Open>();
  readonly #packageOutput = new Map<string, string[]>();
  readonly #failedPackages = new Set<string>();
  #words = '';

  constructor(request: TestRequest) {
    this.#request = request;
  }

  feed(source: ReportSource, chunk: Buffer): readonly TestEvent[] {
    return this.#streams.push(source, chunk);
  }

  end(end: RunnerEnd): Promise<readonly TestEvent[]> {
    const events = this.#streams.end();
    const isSilent = this.#packageOutput.size === 0;
    if (isSilent && end.code !== 0 && !end.stopped && this.#words !== '')
      events.push({ kind: 'trouble', text: this.#words.trim() });
    return Promise.resolve(events);
  }

  /** Compilers before Go 1.24 speak on standard error. */
  #said(line: string): TestEvent[] {
    if (this.#words.length < 4000) this.#words += `${line}\n`;
    const problem = this.#problem(line);
    return problem ? [{ kind: 'buildProblem', problem }] : [];
  }

  #problem(line: string): BuildProblem | null {
    const found = problemLine.exec(plainText(line));
    if (!found) return null;
    return {
      file: sourcePath(found[1] ?? '', this.#request.projectRoot),
      line: Number(found[2]),
      column: found[3] === undefined ? null : Number(found[3]),
      message: found[4] ?? '',
    };
  }

  #line(line: string): TestEvent[] {
    const event = parseObject(line);
    if (!event) return this.#said(line);
    const action = textField(event, 'Action');
    const packageName = textField(event, 'Package') ?? textField(event, 'ImportPath') ?? '';
    const test = textField(event, 'Test');
    const output = textField(event, 'Output') ?? '';
    if (action === 'build-output') return this.#said(output.trimEnd());
    if (test === null) return this.#ofPackage(packageName, action, output);
    const id = `${packageName} ${test}`;
    switch (action) {
      case 'run':
        return this.#begin(id);
      case 'output': {
        const lines = this.#open.get(id)?.output;
        if (lines && lines.length < 4000) lines.push(output);
        return [];
      }
      case 'pass':
      case 'skip':
      case 'fail':
        return this.#end(id, test, { action, packageName, seconds: numberField(event, 'Elapsed') });
      default:
        return [];
    }
  }

  #begin(id: string): TestEvent[] {
    this.#open.set(id, { output: [], hasSubtests: false, hasFailedSubtests: false });
    const parent = id.lastIndexOf('/');
    const above = this.#open.get(id.slice(0, parent));
    if (above && id.indexOf(' ') < parent) above.hasSubtests = true;
    return [{ kind: 'started', id, file: null }];
  }

  #end(
    id: string,
    test: string,
    of: { action: 'pass' | 'skip' | 'fail'; packageName: string; seconds: number | null },
  ): TestEvent[] {
    const open = this.#open.get(id) ?? { output: [], hasSubtests: false, hasFailedSubtests: false };
    this.#open.delete(id);
    if (of.action === 'fail') this.#blameParents(id, of.packageName);
    // Its subtests are the tests; it counts itself when it failed by itself.
    if (open.hasSubtests && (of.action !== 'fail' || open.hasFailedSubtests))
      return [{ kind: 'ended', id }];
    const folder = this.#folderOf(of.packageName);
    const said = open.output.filter((line) => !/^\s*(=== |--- )/.test(line)).join('');
    const failure = of.action === 'fail' ? this.#failure(plainText(said), folder) : null;
    const frames = failure?.frames ?? [];
    const place = frames.find((frame) => frame.file.endsWith('_test.go')) ?? frames[0];
    const skip = /^\s*\S+\.go:\d+: (.*)$/m.exec(said)?.[1] ?? null;
    return [
      {
        kind: 'finished',
        result: {
          id,
          name: test,
          file: place?.file ?? null,
          line: place?.line ?? null,
          outcome: of.action === 'pass' ? 'passed' : of.action === 'skip' ? 'skipped' : 'failed',
          durationMs: of.seconds === null ? null : of.seconds * 1000,
          reason: of.action === 'skip' ? skip : null,
          failure,
        },
      },
    ];
  }

  #blameParents(id: string, packageName: string): void {
    this.#failedPackages.add(packageName);
    for (let cut = id.lastIndexOf('/'); cut > id.indexOf(' '); cut = id.lastIndexOf('/', cut - 1)) {
      const parent = this.#open.get(id.slice(0, cut));
      if (parent) parent.hasFailedSubtests = true;
    }
  }

  #ofPackage(packageName: string, action: string | null, output: string): TestEvent[] {
    const lines = this.#packageOutput.get(packageName) ?? [];
    this.#packageOutput.set(packageName, lines);
    if (action === 'output') {
      if (this.#request.purpose === 'list') return this.#listed(packageName, output.trim());
      if (lines.length < 200) lines.push(output);
      return [];
    }
    if (action !== 'fail') return [];
    const stacks = this.#quit(packageName);
    if (stacks.length > 0 || this.#failedPackages.has(packageName)) return stacks;
    const text = plainText(lines.join('')).trim();
    if (/\[build failed\]|\[setup failed\]/.test(text)) return [];
    return [{ kind: 'trouble', text: `${packageName} failed outside its tests: ${text}` }];
  }

  /** Tests that ran when their program was told to quit. */
  #quit(packageName: string): TestEvent[] {
    const left = [...this.#open].filter(([id]) => id.startsWith(`${packageName} `));
    return left.flatMap(([id, { output }]) => {
      if (!output.some((line) => line.startsWith('SIGQUIT: quit'))) return [];
      const test = id.slice(packageName.length + 1);
      return this.#end(id, test, { action: 'fail', packageName, seconds: null });
    });
  }

  #listed(packageName: string, name: string): TestEvent[] {
    if (!/^(Test|Example|Fuzz)/.test(name)) return [];
    return [listedTest(`${packageName} ${name}`, name)];
  }

  /** The folder of a package of this module: places are relative to it. */
  #folderOf(packageName: string): string {
    const { projectRoot } = this.#request;
    const parts = packageName.split('/');
    for (let from = 0; from <= parts.length; from += 1) {
      const folder = join(projectRoot, ...parts.slice(from));
      if (sourcePath('.', folder) === folder) return folder;
    }
    return projectRoot;
  }

  #failure(said: string, folder: string): TestFailure {
    const quit = said.indexOf('SIGQUIT: quit');
    if (quit >= 0) return stopped(said, quit);
    const panic = /^panic: (.*)$/m.exec(said)?.[1];
    const frames = panic === undefined ? [] : goroutineFrames(said);
    const messages: string[] = [];
    const output: string[] = [];
    for (const line of said.split('\n')) {
      const told = /^\s+(\S+\.go):(\d+): (.*)$/.exec(line);
      if (told) {
        frames.push({
          function: null,
          file: sourcePath(told[1] ?? '', folder),
          line: Number(told[2]),
        });
        messages.push(told[3] ?? '');
      } else if (messages.length > 0 && /^\s{8}/.test(line)) messages.push(line.trim());
      else output.push(line);
    }
    const message = panic === undefined ? messages.join('\n') : `panic: ${panic}`;
    const told = panic === undefined ? output.join('\n') : said.slice(0, said.indexOf('panic: '));
    return {
      message: message || 'failed without a message',
      expected: null,
      actual: null,
      frames,
      output: tailOf(told.trim(), mostOutput),
    };
  }
}

/** Told to quit, Go's runtime writes every goroutine's stack. */
function stopped(said: string, at: number): TestFailure {
  return {
    message: 'was running when the run was stopped',
    expected: null,
    actual: null,
    frames: goroutineFrames(said.slice(at)),
    output: tailOf(said.slice(0, at).trim(), mostOutput),
  };
}

/** `pkg.Func(args)` and, indented below it, `/path/file.go:6 +0x1`; the runtime's own left out. */
function goroutineFrames(text: string): TestFrame[] {
  const frames: TestFrame[] = [];
  let name: string | null = null;
  for (const line of text.split('\n')) {
    const place = /^\t(\/.+?\.go):(\d+)/.exec(line);
    if (place && name !== null) {
      const isOwn = !/^(testing|runtime|panic|created by)/.test(name);
      const called = name.replace(/^.*\//, '');
      if (isOwn) frames.push({ function: called, file: place[1] ?? '', line: Number(place[2]) });
      name = null;
    } else if (/^\S/.test(line)) name = line.replace(/\([^()]*\)$/, '');
  }
  return frames;
}
