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
import { packageRoot } from '../../support/strobe.ts';
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
