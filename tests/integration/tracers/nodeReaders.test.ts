import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { callsOf } from '../../support/calls.ts';
import { InspectorClient, inlineMapOf, type SeenStack } from '../../support/inspectorClient.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { textAt } from '../../support/read.ts';
import { itNeeds } from '../../support/needs.ts';
import { nodes } from '../../support/nodes.ts';
import { runsAsPlain } from '../../support/runsAsPlain.ts';
import { packageRoot, runStrobe } from '../../support/strobe.ts';
import { targetSource } from '../../support/targets.ts';

const packages = join(packageRoot, '.cache', 'loaders', 'node_modules');

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-loaded-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A project of TypeScript, with the loaders beside it. */
function loadedProject(): string {
  const folder = temporaryFolder();
  cpSync(targetSource('node/loaded'), folder, { recursive: true });
  symlinkSync(packages, join(folder, 'node_modules'));
  return folder;
}

const esbuild = ['esbuild/bin/esbuild', 'main.ts', '--bundle', '--platform=node', '--sourcemap'];

/** `npm test` tries these on one Node. */
const few = new Set(['tsx', 'swc-node', 'esbuild, --enable-source-maps']);

/** How Node runs the project: options and the file; what a compiler does before. */
const ways: Readonly<Record<string, { run: readonly string[]; build?: readonly string[] }>> = {
  tsx: { run: ['--import', 'tsx', 'main.ts'] },
  'ts-node': { run: ['-r', 'ts-node/register/transpile-only', 'main.ts'] },
  'swc-node': { run: ['-r', '@swc-node/register', 'main.ts'] },
  esbuild: { build: [...esbuild, '--outfile=out/main.js'], run: ['out/main.js'] },
  webpack: { build: ['webpack/bin/webpack.js'], run: ['out/packed.js'] },
  'esbuild, --enable-source-maps': {
    build: [...esbuild, '--minify', '--outfile=out/small.js'],
    run: ['--enable-source-maps', 'out/small.js'],
  },
};

const tried = nodes.filter(({ major }) => major === 24 || nodes.length > 2);

describe.each(tried.map(({ major, path }) => [major, path] as const))('Node %i', (major, path) => {
  for (const [name, { run, build }] of Object.entries(ways)) {
    if (nodes.length > 2 ? major === 20 && name.includes('source-maps') : !few.has(name)) continue;
    itNeeds(
      'loaders',
      `[node.loaders] ${name}: functions, values and stacks are those of the sources`,
      async () => {
        const folder = loadedProject();
        if (build) {
          const [program = '', ...words] = build;
          const args = [join(packages, program), ...words];
          expect(spawnSync(path, args, { cwd: folder, encoding: 'utf8' }).status).toBe(0);
        }
        const { calls, daemon, sessionId } = await runsAsPlain(path, [...run, 'fails'], { folder });
        const totals = calls.filter((call) => call.function === 'order.Order.total');
        expect(totals.slice(0, 2).map(({ returns, end }) => [returns, end])).toEqual([
          [11, 'returned'],
          [undefined, 'unwound'],
        ]);
        const { text } = await daemon.ok('debug_query', { sessionId, view: 'stats' });
        for (const place of [
          'main.main',
          'order.priceOf',
          'main.ts:10',
          'order.ts:31',
          'order.ts:14',
        ])
          expect(text).toContain(place);
      },
    );
  }

  itNeeds(
    'nodes',
    '[node.coverage] what Node writes for NODE_V8_COVERAGE is what it writes untraced',
    async () => {
      for (const script of major === 20 ? ['plain.cjs'] : ['typed.ts', 'modules.mjs']) {
        const source = targetSource(`node/${script}`);
        const folder = dirname(source);
        const [plain, traced] = [temporaryFolder(), temporaryFolder()];
        const env = { NODE_V8_COVERAGE: traced };
        spawnSync(path, [source], {
          cwd: folder,
          env: { ...process.env, NODE_V8_COVERAGE: plain },
        });
        await runsAsPlain(path, [source], { folder, tracedEnv: env });
        expect(coverageIn(traced, folder)).toEqual(coverageIn(plain, folder));
      }
    },
  );
});

const listening = /ws:\/\/\S+/;

itNeeds(
  'nodes',
  '[node.debuggers] a client of node --inspect sees places and sources of the program',
  async () => {
    const path = nodes.at(-1)?.path ?? '';
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const folder = temporaryFolder();
    cpSync(targetSource('node/loaded'), folder, { recursive: true });
    const build = [
      'main.ts',
      '--bundle',
      '--platform=node',
      '--sourcemap=inline',
      '--outfile=out.js',
    ];
    const bin = join(packageRoot, 'node_modules/esbuild/bin/esbuild');
    expect(spawnSync(bin, build, { cwd: folder }).status).toBe(0);
    const args = ['--inspect-brk=127.0.0.1:0', join(folder, 'out.js')];
    const seen = async (url: string): Promise<SeenStack> => {
      const client = await InspectorClient.connect(url);
      const found = await client.stackAt('out.js', 'order.ts', 33, inlineMapOf);
      client.close();
      return found;
    };

    const plain = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(() => void plain.kill());
    let written = '';
    const url = await new Promise<string>((resolve) => {
      plain.stderr.on('data', (text: Buffer) => {
        written += text.toString();
        const [found] = listening.exec(written) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const untraced = await seen(url);
    expect(untraced.content).toBe(readFileSync(join(folder, 'order.ts'), 'utf8'));
    expect(untraced.frames).toContain('priceOf order.ts:33');

    const launched = await daemon.ok('debug_launch', {
      command: path,
      args,
      projectRoot: folder,
      patterns: ['@usercode'],
    });
    const sessionId = textAt(launched.structured, 'sessionId');
    const tracedUrl = await vi.waitUntil(
      async () => {
        const { text } = await daemon.ok('debug_query', { sessionId, view: 'output' });
        return listening.exec(text)?.[0];
      },
      { timeout: 20_000 },
    );
    expect(await seen(tracedUrl)).toEqual(untraced);
    await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 20_000 });
    const calls = await callsOf(daemon, sessionId);
    expect(calls.map((call) => call.function)).toContain('order.priceOf');
  },
);

itNeeds(
  'nodes',
  '[node.stored] says of a startup snapshot that its code is left as it is',
  async () => {
    const folder = temporaryFolder();
    const path = nodes.at(-1)?.path ?? '';
    writeFileSync(
      join(folder, 'stored.cjs'),
      `const { startupSnapshot } = require('node:v8');
function kept(x) { return x + 1; }
startupSnapshot.setDeserializeMainFunction(() => console.log(kept(2)));`,
    );
    for (const words of [['--build-snapshot', 'stored.cjs'], ['again']]) {
      const args = ['--snapshot-blob', 'stored.blob', ...words];
      const { daemon, sessionId, calls } = await runsAsPlain(path, args, { folder });
      expect(calls).toEqual([]);
      const { text } = await daemon.ok('debug_session', { action: 'status', sessionId });
      expect(text).toMatch(/builds a startup snapshot|The code of a startup snapshot is left/);
    }
  },
);

itNeeds(
  'nodes',
  '[node.stored] says once of a single executable application that its code is left as it is, and what works; modules that it loads are traced',
  async () => {
    const folder = temporaryFolder();
    const source = `const { createRequire } = require('node:module');
function own(x) { return x + 1; }
const { half } = createRequire(__filename)('${join(folder, 'half.cjs')}');
console.log(own(1), half(4), process.argv.length, process.execArgv.length, process.env.NODE_OPTIONS);
process.exitCode = 3;`;
    writeFileSync(join(folder, 'app.cjs'), source);
    writeFileSync(join(folder, 'half.cjs'), 'exports.half = function half(x) { return x / 2; };');
    const program = join(folder, 'app');
    const config = { main: 'app.cjs', output: program, disableExperimentalSEAWarning: true };
    writeFileSync(join(folder, 'app.json'), JSON.stringify(config));
    // The first that needs no tool besides.
    const node = join(packageRoot, '.cache/nodes/node_modules/node26/bin/node');
    const built = spawnSync(node, ['--build-sea', 'app.json'], { cwd: folder, encoding: 'utf8' });
    expect(built.status, built.stderr).toBe(0);
    const { daemon, sessionId, calls } = await runsAsPlain(program, ['x'], { folder });
    expect(calls.map((call) => [call.function, call.returns])).toEqual([['half.half', 2]]);
    const { text } = await daemon.ok('debug_session', { action: 'status', sessionId });
    const said = 'The code of a single executable application is left as it is';
    expect(text.split(said)).toHaveLength(2);
    expect(text).toContain('run its script with Node (node SCRIPT)');
    const command = ['run', '--trace', '@usercode', '--', program];
    const run = await runStrobe({ env: daemon.home.env, cwd: folder }, command);
    expect([run.code, String(run.stdout)]).toEqual([3, '2 2 2 0 undefined\n']);
    expect(run.stderr.split(said)).toHaveLength(2);
  },
);

/** A copy of a Node that says that it is of another version; it is none. */
function nodeThatSays(path: string, version: string, folder: string): string {
  const bytes = readFileSync(path);
  const mark = 'node.js/v';
  const digits = version.length;
  let count = 0;
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    bytes.write(version, at + mark.length, digits, 'latin1');
    count++;
  }
  expect(count).toBeGreaterThan(0);
  const copy = join(folder, 'node');
  writeFileSync(copy, bytes, { mode: 0o755 });
  return copy;
}

itNeeds(
  'nodes',
  '[node.versions] says of a version of Node that is not traced or not tested which are, and runs it as it is',
  async () => {
    const folder = temporaryFolder();
    const [first] = nodes;
    writeFileSync(
      join(folder, 'add.cjs'),
      'function add(a, b) { return a + b; }\nconsole.log(add(1, 2));\nprocess.exitCode = 3;',
    );
    const old = nodeThatSays(first?.path ?? '', '18', folder);
    const refused = await runsAsPlain(old, ['add.cjs'], { folder });
    expect(refused.calls).toEqual([]);
    const first18 = await refused.daemon.ok('debug_session', {
      action: 'status',
      sessionId: refused.sessionId,
    });
    expect(first18.text).toMatch(/it is Node, version 18\.[\d.]+, which is too old\. .*20 to 26/);
    expect(first18.text).toContain('Node, not traced');
    const newer = await runsAsPlain(nodeThatSays(first?.path ?? '', '27', folder), ['add.cjs'], {
      folder,
    });
    expect(newer.calls.map((call) => call.returns)).toContain(3);
    const { text } = await newer.daemon.ok('debug_session', {
      action: 'status',
      sessionId: newer.sessionId,
    });
    expect(text).toMatch(/never tested with Node 27\.[\d.]+: Node 20 to 26 is traced/);
  },
);

interface Script {
  readonly url: string;
  readonly functions: readonly object[];
}

/** Of the files in a folder, of all processes and threads. */
function coverageIn(folder: string, sources: string): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8');
    // oxlint-disable-next-line typescript/consistent-type-assertions -- Node wrote it
    const { result } = JSON.parse(text) as { readonly result: readonly Script[] };
    for (const { url, functions } of result)
      if (url.includes(sources))
        (all[url] ??= []).push(...functions.map((fn) => JSON.stringify(fn)));
  }
  for (const functions of Object.values(all)) functions.sort();
  return all;
}
