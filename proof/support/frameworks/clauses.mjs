/* What every framework is asked, each through the whole product. A clause throws what is wrong. */
import { ok } from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** One framework's projects, made when they are first asked for. */
export class Bench {
  #product;
  #framework;
  #home;
  #made = new Map();
  #answers = new Map();

  constructor(product, framework, home) {
    this.#product = product;
    this.#framework = framework;
    this.#home = home;
  }

  root(project) {
    const known = this.#made.get(project);
    if (known) return known;
    const root = join(
      this.#home,
      `${this.#framework.name.replaceAll(/[^\w.]+/g, '-')} ${project} ö`,
    );
    mkdirSync(root);
    this.#framework.place(root, project);
    this.#made.set(project, root);
    return root;
  }

  /** Runs to the end. */
  async run(project, args = {}) {
    const projectRoot = this.root(project);
    const { env, command } = this.#framework;
    let answer = await this.#product.call('debug_test', {
      projectRoot,
      env,
      waitMs: 50_000,
      ...(command ? { command: command(project) } : {}),
      ...args,
    });
    const until = performance.now() + 180_000;
    while (answer.state === 'running' && performance.now() < until) {
      answer = await this.#product.call('debug_test', {
        action: 'wait',
        testRunId: answer.testRunId,
        timeoutMs: 20_000,
      });
    }
    ok(answer.state !== 'running', 'it did not end');
    return answer;
  }

  /** The answer to a plain run of a project, asked once. */
  async of(project) {
    const known = this.#answers.get(project) ?? (await this.run(project));
    this.#answers.set(project, known);
    return known;
  }

  /** The text of a refusal. */
  async refused(project, args) {
    const done = await this.run(project, args).then(
      (answer) => answer.text,
      (error) => ({ refusal: String(error.message).split('\n').slice(1).join('\n') }),
    );
    if (typeof done === 'string') throw new Error(`not refused: ${done.split('\n')[0]}`);
    return done.refusal;
  }
}

const counts = ({ summary = {} }) =>
  ['passed', 'failed', 'skipped', 'expectedFailures'].map((name) => summary[name] ?? 0).join('/');

function expectCounts(answer, wanted) {
  if (counts(answer) !== wanted)
    throw new Error(`counts ${counts(answer)}, not ${wanted}: ${answer.text.slice(0, 600)}`);
}

const testsOf = (answer) => JSON.parse(readFileSync(answer.details, 'utf8')).tests;

function tokens({ text, ms: _ms, ...structured }) {
  return Math.max(countTokens(text), countTokens(JSON.stringify(structured)));
}

function failureIn(answer, name) {
  const found = (answer.failures ?? []).find(({ test }) => name.test(test));
  ok(found, `no failure of ${name}: ${answer.text.slice(0, 600)}`);
  return found;
}

const files = (root) =>
  readdirSync(root, { recursive: true })
    .map(String)
    .filter((path) => !/(^|\/)(node_modules|target|build|\.vite|\.cargo-lock)(\/|$)/.test(path))
    .toSorted()
    .join('\n');

/** Name of the clause, then what must hold; `key`: what a framework may be without. */
export const clauses = {
  detected: async (bench, { framework }) => {
    const answer = await bench.of('mixed');
    ok(answer.framework === framework, `taken for ${answer.framework}`);
    ok((answer.reasons[0] ?? '').length > 5, 'no reason');
  },
  suite: async (bench, { counts: wanted }) => expectCounts(await bench.of('mixed'), wanted.suite),
  file: async (bench, { file, refusals = {} }) => {
    if (refusals.file)
      ok(refusals.file.test(await bench.refused('mixed', { file })), 'refused otherwise');
    else expectCounts(await bench.run('mixed', { file }), '1/0/0/0');
  },
  test: async (bench, { fuzzy }) => {
    await bench.of('mixed');
    expectCounts(await bench.run('mixed', { test: fuzzy }), '1/0/0/0');
  },
  near: async (bench, { typo }) => {
    await bench.of('mixed');
    const text = await bench.refused('mixed', { test: typo });
    ok(/^UNKNOWN_TEST[\s\S]*Did you mean/.test(text), text);
  },
  level: async (bench, { counts: wanted, refusals = {} }) => {
    if (refusals.level)
      ok(
        (await bench.refused('mixed', { level: 'unit' })).startsWith('BAD_PARAMETER'),
        'refused otherwise',
      );
    else expectCounts(await bench.run('mixed', { level: 'unit' }), wanted.level);
  },
  rerun: async (bench, { counts: wanted }) => {
    await bench.run('mixed');
    expectCounts(await bench.run('mixed', { rerunFailed: true }), wanted.rerun);
  },
  parameters: async (bench, { parameters }) => {
    const tests = testsOf(await bench.of('mixed'));
    ok(
      tests.some(({ name, outcome }) => parameters.test(name) && outcome === 'passed'),
      tests.map(({ name }) => name).join(', '),
    );
  },
  nested: async (bench, { nested = /nested/ }) => {
    const tests = testsOf(await bench.of('mixed'));
    ok(
      tests.some(({ name }) => nested.test(name)),
      tests.map(({ name }) => name).join(', '),
    );
  },
  skip: async (bench, { skipped = /later/i }) => {
    const found = testsOf(await bench.of('mixed')).find(({ name }) => skipped.test(name));
    ok(found?.outcome === 'skipped', `told as ${found?.outcome}`);
  },
  expected: async (bench, { known = /known/i }) => {
    const found = testsOf(await bench.of('mixed')).find(({ name }) => known.test(name));
    ok(found?.outcome === 'expectedFailure', `told as ${found?.outcome}`);
  },
  sides: async (bench, { sides, adds = /adds.?up/i }) => {
    const failure = failureIn(await bench.of('mixed'), adds);
    ok(!sides || (failure.expected === '6' && failure.actual === '5'), JSON.stringify(failure));
  },
  place: async (bench, { adds = /adds.?up/i }) => {
    const { file, line, rerunCommand } = failureIn(await bench.of('mixed'), adds);
    ok(file && line > 0, `${file}:${line}`);
    ok(rerunCommand.length > 5, 'no rerun command');
  },
  output: async (bench, { adds = /adds.?up/i, loud = 'mixed' }) => {
    const isOne = loud === 'one';
    const { output = '' } = failureIn(await bench.of(loud), isOne ? /refuses/ : adds);
    ok(
      output.includes(isOne ? 'a line that is said 199' : 'said in red'),
      `output: ${JSON.stringify(output)}`,
    );
    ok(!output.includes('\u001b'), 'colour codes');
  },
  retry: async (bench) => {
    const answer = await bench.of('retried');
    expectCounts(answer, '1/0/0/0');
    ok(/FLAKY: passed only when tried again/.test(answer.text), answer.text);
  },
  limited: async (bench) => {
    const answer = await bench.of('limited');
    ok(answer.verdict === 'failed' || answer.verdict === 'crashed', answer.text);
    ok(/time|slow|exceed|alarm/i.test(answer.text), answer.text);
  },
  limit: async (bench, { hangs = /hang/i }) => {
    const answer = await bench.run('hang', { timeoutMs: 12_000 });
    ok(/killed at its limit/.test(answer.text), answer.text);
    ok(hangs.test(answer.text), `which test is not told: ${answer.text}`);
  },
  setup: async (bench) => {
    const answer = await bench.of('setup');
    ok(['failed', 'crashed'].includes(answer.verdict), answer.text);
    ok(answer.text.includes('no database'), answer.text);
  },
  compile: async (bench, { brokenFile = /cart/ }) => {
    const answer = await bench.of('broken');
    ok(answer.verdict === 'compileError', `${answer.verdict}: ${answer.text}`);
    const [problem] = answer.compileErrors ?? [];
    ok(brokenFile.test(problem?.file ?? '') && problem.line > 0, JSON.stringify(problem));
  },
  empty: async (bench) => {
    const answer = await bench.of('empty');
    ok(answer.verdict === 'noTests', `${answer.verdict}: ${answer.text}`);
    ok(answer.nextSteps?.length > 0, 'no next step');
  },
  crash: async (bench) => {
    const answer = await bench.of('crash');
    ok(['crashed', 'failed'].includes(answer.verdict), `${answer.verdict}: ${answer.text}`);
    ok(/dies|SIGKILL|SIGABRT|SIGSEGV|signal/i.test(answer.text), answer.text);
  },
  many: async (bench, { many = 2000 }) => {
    const answer = await bench.of('many');
    expectCounts(answer, `${many}/0/0/0`);
    ok(tokens(answer) <= 120, `${tokens(answer)} tokens`);
  },
  'green ≤ 120': async (bench) => {
    const answer = await bench.of('green');
    expectCounts(answer, '1/0/0/0');
    ok(answer.verdict === 'passed', answer.text);
    ok(tokens(answer) <= 120, `${tokens(answer)} tokens: ${JSON.stringify(answer)}`);
  },
  'one failure ≤ 600': async (bench) => {
    const answer = await bench.of('one');
    expectCounts(answer, '0/1/0/0');
    ok(tokens(answer) <= 600, `${tokens(answer)} tokens: ${answer.text}`);
  },
  untouched: async (bench, framework) => {
    const before = files(bench.root('green'));
    await bench.run('green');
    await bench.run('green', framework.file && !framework.refusals?.file ? { test: 'orks' } : {});
    ok(before === files(bench.root('green')), files(bench.root('green')));
  },
};
