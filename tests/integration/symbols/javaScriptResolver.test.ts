import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildSync, type BuildOptions } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { parsePattern } from '../../../src/model/names/pattern.ts';
import { nowhere } from '../../../src/model/rewriting/rewrittenModule.ts';
import { FunctionLocator } from '../../../src/symbols/javascript/functionLocator.ts';
import { sourceMapOf } from '../../../src/symbols/javascript/originalSources.ts';
import { JavaScriptResolver } from '../../../src/symbols/javascript/javaScriptResolver.ts';
import { functionsOfFile } from '../../../src/symbols/javascript/functionsOfFile.ts';
import { rewritten } from '../../support/rewrittenScript.ts';

const cart = `import { price } from './price';
export interface Line { id: string; count: number }
export class Cart {
  #lines: Line[] = [];
  add(line: Line): void { this.#lines.push(line); }
  total = async (): Promise<number> => {
    await null;
    return this.#lines.reduce((sum, { id, count }) => sum + price(id) * count, 0);
  };
  get size() { return this.#lines.length; }
}
export default function checkout(cart: Cart) { return cart.total(); }
`;
const price = 'export const price = (id: string): number => {\n  return id.length;\n};\n';
const damaged =
  'function before() {}\nconst twice = 1, twice = 2;\nreturn super.x;\nfunction after() {}\n';

function project(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'strobe-scripts-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

test('[node.patterns] functions are found by any part of their names, in TypeScript and in files that break rules', async () => {
  const projectRoot = project({
    'src/cart.ts': cart,
    'src/price/index.ts': price,
    'src/damaged.js': damaged,
    'node_modules/lib/index.js': 'exports.add = function add() {}',
  });
  const units = [
    'src/cart.ts',
    'src/price/index.ts',
    'src/damaged.js',
    'node_modules/lib/index.js',
  ].map((name) => join(projectRoot, name));
  const resolver = new JavaScriptResolver(functionsOfFile);
  const match = async (text: string) =>
    (await resolver.find(units, parsePattern(text), { projectRoot })).value;
  const find = async (text: string) =>
    (await match(text)).functions.map(({ signature }) => signature);

  expect(await find('@usercode')).toEqual([
    'cart.Cart.add(this, line)',
    'cart.Cart.total(this)',
    'cart.Cart.total.<anonymous>(sum, id, count)',
    'cart.Cart.size(this)',
    'cart.checkout(cart)',
    'price.price(id)',
    'damaged.before()',
    'damaged.after()',
  ]);
  for (const pattern of ['Cart.add', 'Cart::add', 'cart.Cart.add', 'cart.**.add'])
    expect(await find(pattern)).toEqual(['cart.Cart.add(this, line)']);
  expect(await find('add')).toEqual(['cart.Cart.add(this, line)', 'lib.add()']);
  expect(await find('@file:src/price')).toEqual(['price.price(id)']);
  writeFileSync(units[2] ?? '', 'function before( {');
  const { functions, notes } = await match('before');
  expect(functions).toEqual([]);
  expect(notes[0]).toMatch(/^left alone: .*Unexpected token \(1:18\)/);
  expect((await match('lib.remove')).notes).toEqual([
    'lib is a package: "lib!*" means its functions.',
  ]);
  expect(resolver.isPackage('lib', join(projectRoot, 'src'))).toBe(true);
  expect(resolver.isPackage('libc.so.6', projectRoot)).toBe(false);
  expect(resolver.isPackage('..', projectRoot)).toBe(false);
  expect((await match('chekout')).notes).toEqual([]);
  expect((await match('chekout')).nearest).toContain('cart.checkout');
  expect(resolver.own(units, { programs: [], projectRoot })).toEqual(units.slice(0, 3));
  expect(await resolver.concerns('node', [parsePattern('x')], { programs: [], projectRoot })).toBe(
    'yes',
  );
  expect(
    await resolver.concerns('node', [parsePattern('x')], {
      programs: [],
      projectRoot: join(projectRoot, 'src/nothing'),
    }),
  ).toBe('no');
});

test.each<[string, BuildOptions]>([
  ['an inline map', { sourcemap: 'inline', format: 'cjs' }],
  ['a map beside it', { sourcemap: 'linked', format: 'esm' }],
  ['a map, minified', { sourcemap: 'linked', minify: true, format: 'cjs' }],
  ['classes of older engines', { sourcemap: 'inline', format: 'cjs', target: 'es2017' }],
])(
  '[node.bundles] functions of a bundle with %s are those of its sources',
  async (_title, options) => {
    const projectRoot = project({ 'src/cart.ts': cart, 'src/price.ts': price });
    const outfile = join(projectRoot, 'dist/app.js');
    buildSync({
      entryPoints: [join(projectRoot, 'src/cart.ts')],
      bundle: true,
      outfile,
      logLevel: 'silent',
      ...options,
    });
    const text = readFileSync(outfile, 'utf8');
    const resolver = new JavaScriptResolver(functionsOfFile);
    const units = ['src/cart.ts', 'src/price.ts', 'dist/app.js'].map((name) =>
      join(projectRoot, name),
    );
    const { value } = await resolver.find(units, parsePattern('@usercode'), { projectRoot });
    expect(value.functions.map(({ file }) => file)).not.toContain(outfile);

    const format = options.format === 'esm' ? 'module' : 'commonjs';
    const { functions } = rewritten(text, { file: outfile, format });
    const located = new FunctionLocator().locate(
      functions,
      text,
      outfile,
      sourceMapOf(text, outfile),
    );
    expect(located).toHaveLength(functions.length);
    const places = located
      .filter(({ refusal }) => refusal === null)
      .map(({ file, offset }) => `${file}:${offset}`);
    expect(places.toSorted()).toEqual(
      value.functions.map(({ file, offset }) => `${file}:${offset}`).toSorted(),
    );
  },
);

test('[node.patterns] a pipe that is called as source files are is not waited for', async () => {
  const projectRoot = project({ 'a.js': 'function asked() {}' });
  const units = ['a.js', 'pipe.js'].map((name) => join(projectRoot, name));
  execFileSync('mkfifo', [join(projectRoot, 'pipe.js')]);
  const resolver = new JavaScriptResolver(functionsOfFile);
  const { value } = await resolver.find(units, parsePattern('asked'), { projectRoot });
  expect(value.functions.map(({ name }) => name)).toEqual(['a.asked']);
});

test('[node.bundles] functions of a file that a test runner wrapped or changed are those of the file', () => {
  const text = 'function pay(a) { return () => a }\nconst f = () => 1;\nexports.pay = pay;\n';
  const projectRoot = project({ 'pay.js': text });
  const file = join(projectRoot, 'pay.js');
  const plain = rewritten(text, { file }).functions;
  const lost =
    'data:application/json;base64,' + btoa('{"version":3,"sources":["../x.ts"],"mappings":"AAAA"}');
  const wrapped = `({"Object.<anonymous>":function(module,exports,require){/* one line more */\n${text}\n//# sourceMappingURL=${lost}\n}});`;
  const { functions } = rewritten(wrapped, { file, format: 'script' });
  const located = new FunctionLocator().locate(
    functions,
    wrapped,
    file,
    sourceMapOf(wrapped, file),
  );
  expect(located).toEqual(plain);
});

test('[node.bundles] arrow functions without a name are found where a map has only their parameters, as that of Vite', () => {
  const text =
    'export default (a: number): number => a + 1;\nexport const curry = (a: number) => (b: number) => a + b;\n';
  const projectRoot = project({ 'round.ts': text });
  const file = join(projectRoot, 'round.ts');
  // As Vite 8 compiles it.
  const mappings = ';;AAAA,qCAAgB,MAAsB,IAAI;AAC1C,MAAM,SAAS,OAAe,MAAc,IAAI';
  const content = btoa(JSON.stringify({ version: 3, sources: ['round.ts'], mappings }));
  const map = ['sourceMappingURL', `data:application/json;base64,${content}`].join('=');
  const compiled = `__vite_ssr_exportName__("default", () => { try { return __vite_ssr_export_default__ } catch {} });
__vite_ssr_exportName__("curry", () => { try { return curry } catch {} });
const __vite_ssr_export_default__ = (a) => a + 1;
const curry = (a) => (b) => a + b;
//# ${map}
`;
  const { functions } = rewritten(compiled, { file, format: 'module' });
  const located = new FunctionLocator().locate(
    functions,
    compiled,
    file,
    sourceMapOf(compiled, file),
  );
  const shown = located.map((fn) => [fn.qualifiedName, fn.offset, fn.refusal !== null]);
  const original = rewritten(text, { file, format: 'module' }).functions;
  expect(shown.filter(([, , isLeft]) => !isLeft)).toEqual(
    original.map((fn) => [fn.qualifiedName, fn.offset, false]),
  );
  // At their offsets in the compiled text the source has other functions.
  const added = ['<anonymous>', nowhere, true];
  expect(shown.filter(([, , isLeft]) => isLeft)).toEqual([added, added]);
});
