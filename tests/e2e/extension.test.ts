import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findStrobe } from '../../editors/vscode/plain/findStrobe.ts';
import { programsBelow } from '../../editors/vscode/plain/programs.ts';
import { StrobeServer } from '../../editors/vscode/plain/strobeServer.ts';
import { callText } from '../../editors/vscode/plain/tracedLines.ts';
import { runTests } from '../../editors/vscode/plain/testRuns.ts';
import { versionNote } from '../../editors/vscode/plain/versions.ts';
import { dapArguments } from '../../src/daemon/dap/arguments.ts';
import { call, extensionFolder, openedEditor, type EditorOptions } from '../support/editorHost.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { packageRoot, runStrobe } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { testProject } from '../support/testProjects.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const strobe = join(packageRoot, 'strobe');
/** Calls, times and the last call with its values. */
const lastCall = /^last \(x -?\d+\) → -?\d+ · \d+ calls? · .*$/;

/** What stands above a line. */
interface Lens {
  readonly line: number;
  readonly title: string;
  readonly command: unknown;
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const manifest = read(join(extensionFolder, 'package.json'));

describe('the extension of VS Code', () => {
  const { home, client } = withClient();

  const editor = (options: Partial<EditorOptions> = {}) => openedEditor(home, options);

  test('[extension.sessions] the view lists what an agent launched with live counts and its functions, over a restart of the daemon', async () => {
    const program = buildTarget('e2e/stops.cpp', ['-O0', '-pthread']);
    const { sessionId } = await launch(client, home, program, {
      stdin: 'open',
      patterns: ['twice'],
    });
    await outputSeen(client, sessionId, 'ready');
    await client.ok('debug_session', { action: 'input', sessionId, text: 'a\n' });
    await outputSeen(client, sessionId, 'done');
    const { run, rows, itemOf, started } = editor();
    await run('refresh');
    const [session] = await rows();
    expect(session).toMatchObject({ kind: 'session', session: { id: sessionId, isLive: true } });
    expect(await itemOf(session)).toMatchObject({ contextValue: 'live' });
    expect(textAt(await itemOf(session), 'description')).toMatch(
      /^runs · 1 function · \d+ events$/,
    );
    const [row] = await rows(session);
    const shown = await itemOf(row);
    expect(textAt(shown, 'label')).toContain('twice');
    expect(textAt(shown, 'description')).toMatch(/^\d+ calls? · /);
    expect(at(shown, 'command', 'arguments', 0)).toMatchObject({
      fsPath: join(packageRoot, 'tests/targets/e2e/stops.cpp'),
    });
    await run('join', session);
    expect(started).toMatchObject([{ type: 'strobe', request: 'attach', session: sessionId }]);
    await run('stop', session);
    expect(textAt(await itemOf((await rows())[0]), 'description')).toMatch(/^ended by SIG|^exit /);
    await runStrobe({ env: home.env, cwd: home.project, prefix: [] }, ['daemon', 'stop']);
    await run('refresh');
    expect((await rows())[0]).toMatchObject({ kind: 'session', session: { id: sessionId } });
  });

  test('[extension.trace] a function is traced from its line: calls, times and last values appear beside it while the program runs', async () => {
    const program = buildTarget('e2e/stops.cpp', ['-O0', '-pthread']);
    const { sessionId } = await launch(client, home, program, { stdin: 'open' });
    await outputSeen(client, sessionId, 'ready');
    const path = targetSource('e2e/stops.cpp');
    const lines = readFileSync(path, 'utf8').split('\n');
    const line = lines.findIndex((text) => text.includes('twice(int')) + 1;
    const { run, decorations, shown } = editor({ open: { path, line } });
    const session = { kind: 'session', session: { id: sessionId } };
    await run('traceFunction', session);
    expect(shown.join()).toMatch(/1 of 1 matched function hooked/);
    await client.ok('debug_session', { action: 'input', sessionId, text: 'a\n' });
    await outputSeen(client, sessionId, 'done');
    await vi.waitFor(
      async () => {
        await run('refresh');
        expect(decorations().map((one) => one.line)).toEqual([line]);
        expect(decorations()[0]?.text).toMatch(lastCall);
      },
      { timeout: 20_000 },
    );
    const order = {
      address: '0x7f01',
      id: 1,
      first: { address: '0x7f02', value: 'cup' },
      next: null,
    };
    const passed = JSON.stringify({ order, raw: '0x7f03', sizes: [1, 2] });
    const text = '(order {id 1, first "cup", next null}, raw 0x7f03, sizes [1, 2]) → 5';
    expect(callText(passed, '5')).toBe(text);
    await run('untraceFunction', session);
    expect(textAt((await client.ok('debug_trace', { sessionId })).structured, 'status')).toMatch(
      /[Nn]o(?:thing| function)/,
    );
    const nowhere = editor({ open: { path, line: lines.indexOf('') + 1 } });
    await nowhere.run('traceFunction', session);
    expect(nowhere.shown).toEqual([expect.stringMatching(/no function at the cursor/)]);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[extension.lines] the lines of a function are traced from its line: beside each how often the last call ran it and what it left, or that it did not run', async () => {
    const program = buildTarget('e2e/stops.cpp', ['-O0', '-pthread']);
    const { sessionId } = await launch(client, home, program, { stdin: 'open' });
    await outputSeen(client, sessionId, 'ready');
    const path = targetSource('e2e/stops.cpp');
    const lines = readFileSync(path, 'utf8').split('\n');
    const lineOf = (text: string): number => lines.findIndex((one) => one.includes(text)) + 1;
    const line = lineOf('int work(int');
    const { run, decorations, shown } = editor({ open: { path, line } });
    const session = { kind: 'session', session: { id: sessionId } };
    const beside = (number: number) => decorations().find((one) => one.line === number)?.text;
    await run('traceLines', session);
    expect(shown.join()).toMatch(/1 of 1 matched function hooked/);
    const seen = async (input: string, calls: number, added: string) => {
      const { cursor } = await outputSeen(client, sessionId, calls === 1 ? 'ready' : 'done');
      await client.ok('debug_session', { action: 'input', sessionId, text: input });
      await outputSeen(client, sessionId, 'done', cursor);
      await vi.waitFor(
        async () => {
          await run('refresh');
          expect(beside(lineOf('b += 100;'))).toBe(added);
          expect(beside(lineOf('counter += k;'))).toMatch(/^×3/);
          expect(beside(line)).toMatch(new RegExp(`^last .* · ${calls} calls? · `));
        },
        { timeout: 20_000 },
      );
    };
    await seen('a\n', 1, 'did not run');
    await seen('b\n', 2, '×1 → b 110');
    await run('untraceFunction', session);
    expect(textAt((await client.ok('debug_trace', { sessionId })).structured, 'status')).toMatch(
      /[Nn]o(?:thing| function)/,
    );
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[extension.lenses] above functions: trace this one, and of a traced one its calls and how to stop; logpoints show their last values', async () => {
    const program = buildTarget('e2e/stops.cpp', ['-O0', '-pthread']);
    const { sessionId } = await launch(client, home, program, { stdin: 'open' });
    await outputSeen(client, sessionId, 'ready');
    const path = targetSource('e2e/stops.cpp');
    const lines = readFileSync(path, 'utf8').split('\n');
    const lineOf = (text: string): number => lines.findIndex((one) => one.includes(text)) + 1;
    const functions = [
      { name: 'twice(int)', line: lineOf('int twice(int') },
      { name: 'depth(int)', line: lineOf('int depth(int') },
    ];
    const { made, run, commands, decorations } = editor({
      open: { path, line: 1 },
      functions,
    });
    const lenses = async (): Promise<Lens[]> => {
      const [provider] = made.get('registerCodeLensProvider') ?? [];
      const document = { uri: { fsPath: path } };
      const found = listAt({ all: await call(provider, 'provideCodeLenses', document) }, 'all');
      return found.map((one) => ({
        line: Number(at(one, 'range', 'line')) + 1,
        title: textAt(one, 'command', 'title').replace(/^\S+ /, ''),
        command: at(one, 'command'),
      }));
    };
    const shown = async () => (await lenses()).map(({ line, title }) => `${line} ${title}`);
    const press = async (line: number, title: string): Promise<void> => {
      const found = (await lenses()).find((one) => one.line === line && one.title === title);
      const words = listAt(found?.command, 'arguments');
      await commands.get(textAt(found?.command, 'command'))?.(...words);
    };
    expect(await shown()).toEqual([]);
    await run('refresh');
    const [twice = 0, depth = 0] = functions.map(({ line }) => line);
    expect(await shown()).toEqual([`${twice} Trace`, `${depth} Trace`]);
    await press(twice, 'Trace');
    const log = { file: path, line: lineOf('return y;'), log: 'y {y}' };
    await client.ok('debug_breakpoint', { sessionId, add: [log] });
    await client.ok('debug_session', { action: 'input', sessionId, text: 'a\nb\n' });
    await outputSeen(client, sessionId, 'done 1');
    await vi.waitFor(
      async () => {
        await run('refresh');
        expect(decorations().map((one) => one.line)).toEqual([twice, log.line]);
        expect(decorations()[1]?.text).toBe('last y 2 · 2 hits');
      },
      { timeout: 20_000 },
    );
    expect(await shown()).toEqual([
      `${twice} Show calls`,
      `${twice} Stop tracing`,
      `${depth} Trace`,
    ]);
    let asked = 0; // A file may have thousands of functions: new values alone do not ask for all again.
    call(made.get('registerCodeLensProvider')?.[0], 'onDidChangeCodeLenses', () => (asked += 1));
    await client.ok('debug_session', { action: 'input', sessionId, text: 'c\n' });
    await vi.waitFor(
      async () => {
        await run('refresh');
        expect(decorations()[1]?.text).toMatch(/ · 3 hits$/);
      },
      { timeout: 20_000 },
    );
    expect(asked).toBe(0);
    await press(twice, 'Stop tracing');
    await vi.waitFor(
      async () => {
        await run('refresh');
        expect(await shown()).toContain(`${twice} Trace`);
      },
      { timeout: 20_000 },
    );
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[extension.calls] the calls of a session page by page as they are in the store, from any place', async () => {
    const program = buildTarget('e2e/stops.cpp', ['-O0', '-pthread']);
    const patterns = ['main', 'work', 'twice', 'added'];
    const { sessionId } = await launch(client, home, program, { stdin: 'open', patterns });
    await outputSeen(client, sessionId, 'ready');
    const text = 'a\n'.repeat(120);
    await client.ok('debug_session', { action: 'input', sessionId, text, eof: true });
    await exitOf(client, sessionId);
    const { run, pages, shown } = editor();
    const session = { id: sessionId, projectRoot: packageRoot, program: 'stops' };
    await run('showCalls', { kind: 'session', session });
    expect(shown).toEqual([]);
    const [page] = pages;
    const [counted] = (await page?.say({ kind: 'count' })) ?? [];
    const sql = 'SELECT function_name, depth FROM calls ORDER BY timestamp_ns';
    const asked = { view: 'sql', sessionId, sql, limit: 500, budget: 50_000 };
    const stored = listAt((await client.ok('debug_query', asked)).structured, 'rows');
    expect(at(counted, 'total')).toBe(stored.length);
    expect(stored.length).toBeGreaterThan(200);
    for (const from of [0, 100, 200]) {
      const [answer] = (await page?.say({ kind: 'page', from })) ?? [];
      const rows = listAt(answer, 'rows').map((row) => [at(row, 'name'), at(row, 'depth')]);
      expect(rows).toEqual(stored.slice(from, from + 100));
    }
    expect(page?.markup()).toMatch(/default-src 'none'/);
  });

  test('[extension.crash] why a program died as a page whose places are links', async () => {
    const program = buildTarget('crash/wild.c', ['-O0']);
    const { sessionId } = await launch(client, home, program, { patterns: ['main'] });
    await exitOf(client, sessionId);
    const { run, pages } = editor();
    const session = { id: sessionId, projectRoot: packageRoot, program: 'died' };
    await run('showCrash', { kind: 'session', session });
    expect(pages[0]?.markup()).toMatch(/SIGSEGV/);
    expect(pages[0]?.markup()).toMatch(/data-path="[^"]*wild.c" data-line="\d+"/);
  });

  test('[extension.tests] tests run by their own framework: each with its file and line, a failed one with the story of its failure', async () => {
    const { made } = editor();
    expect([...made.keys()].filter((name) => name.startsWith('createRunProfile'))).toEqual([
      'createRunProfile strobe Run',
      'createRunProfile strobe Run and Diagnose Failures',
      'createRunProfile strobe Debug',
    ]);
    const server = new StrobeServer(() => ({ path: strobe, cwd: home.project }), '0.1.0');
    onTestFinished(() => server.close());
    const projectRoot = testProject(home, 'unittest');
    const { signal } = new AbortController();
    const all = await runTests(server, { projectRoot, diagnose: false }, signal);
    const outcomes = new Set(all.map(({ outcome }) => outcome));
    expect([...outcomes].toSorted()).toEqual(['expectedFailure', 'failed', 'passed', 'skipped']);
    const area = all.find(({ name }) => name.includes('test_area'));
    expect(area?.file.startsWith(`${projectRoot}/tests/`)).toBe(true);
    expect(area?.place?.line).toBeGreaterThan(0);
    const one = { projectRoot, test: area?.name ?? '', diagnose: true };
    const [diagnosed] = await runTests(server, one, signal);
    expect(diagnosed?.message).toBe(area?.message);
    const story = diagnosed?.story?.lines.map((parts) => parts.map(({ text }) => text).join(''));
    expect(story?.join('\n')).toMatch(/area\(.*2.*3.*\)/);
    const path = join(projectRoot, 'tests/test_area.py');
    const faulty = {
      path,
      line: readFileSync(path, 'utf8').split('\n').indexOf('def area(w, h):') + 1,
    };
    expect(diagnosed?.story?.faulty).toEqual(faulty);
    expect(diagnosed?.story?.lines.flat().map(({ place }) => place)).toContainEqual(faulty);
    const empty = { projectRoot: join(home.project, 'none'), diagnose: false };
    mkdirSync(empty.projectRoot);
    await expect(runTests(server, empty, signal)).rejects.toThrow(/test/);
  });

  test('[extension.start] F5 without launch.json, the adapter, and the MCP server for the editor’s agents', async () => {
    const { made } = editor();
    const [factory] = made.get('registerDebugAdapterDescriptorFactory strobe') ?? [];
    const adapter = call(factory, 'createDebugAdapterDescriptor', {});
    expect(at(adapter, 'words')).toEqual([strobe, ['dap'], { cwd: home.project }]);
    const [servers] = made.get('registerMcpServerDefinitionProvider strobe') ?? [];
    const offered = call(servers, 'provideMcpServerDefinitions');
    expect(at(offered, 0, 'words')).toEqual(['Strobe', strobe, ['mcp']]);
    const binary = join(home.project, 'build/made');
    mkdirSync(join(home.project, 'build'));
    writeFileSync(binary, readFileSync('/bin/true'));
    chmodSync(binary, 0o755);
    writeFileSync(join(home.project, 'build/text'), 'text', { mode: 0o755 });
    expect((await programsBelow(home.project)).map(({ path }) => path)).toEqual([binary]);
  });

  test('[extension.wrong] not installed, a wrong setting, another machine, another version, a workspace that is not trusted, no debug information: each says what to do', async () => {
    const program = buildTarget('e2e/stops.cpp', ['-O0', '-s', '-pthread']);
    const { sessionId } = await launch(client, home, program, { stdin: 'open' });
    const path = targetSource('e2e/stops.cpp');
    const lines = readFileSync(path, 'utf8').split('\n');
    const line = lines.findIndex((text) => text.includes('twice(int')) + 1;
    const stripped = editor({ open: { path, line } });
    await stripped.run('traceFunction', { kind: 'session', session: { id: sessionId } });
    expect(stripped.shown).toEqual([
      expect.stringMatching(/matches no function .* build it with -g/),
    ]);
    await client.ok('debug_session', { action: 'stop', sessionId });
    const untrusted = editor({ isTrusted: false });
    await untrusted.run('refresh');
    expect(at(untrusted.view, 'message')).toMatch(/Manage Workspace Trust/);
    const wrong = editor({ settings: { 'strobe.path': '/nosuch/strobe' } });
    await wrong.run('join');
    expect(wrong.shown).toEqual([
      expect.stringMatching(/names \/nosuch\/strobe, where no program is/),
    ]);
    const broken = join(home.project, 'strobe');
    writeFileSync(broken, '#!/bin/sh\necho no node here >&2\nexit 1\n', { mode: 0o755 });
    const dying = editor({ settings: { 'strobe.path': broken } });
    await dying.run('join');
    expect(dying.shown).toEqual([expect.stringMatching(/ended: no node here .*strobe doctor/)]);
    const machine = { setting: '', env: { PATH: '/nosuch' }, platform: 'linux', arch: 'x64' };
    expect(findStrobe(machine).problem).toMatch(/Install Strobe .* strobe.path/);
    expect(findStrobe({ ...machine, platform: 'darwin' }).problem).toMatch(/remote window/);
    expect(findStrobe({ ...machine, env: { PATH: packageRoot } }).path).toBe(strobe);
    expect(versionNote('1.0.0', '1.2.0')).toMatch(/version 1.2.0/);
    expect(versionNote('1.0.0', '1.0.0')).toBeNull();
  });

  test('[extension.manifest] what package.json declares is there: commands, members of debug configurations, settings; small, without activation at the start', () => {
    const { commands } = editor();
    const contributed = listAt(manifest, 'contributes', 'commands').map((one) =>
      textAt(one, 'command'),
    );
    expect(contributed.filter((name) => !commands.has(name))).toEqual([]);
    const [type] = listAt(manifest, 'contributes', 'debuggers');
    const declared = (request: string): string[] =>
      Object.keys(at(type, 'configurationAttributes', request, 'properties') ?? {});
    const ours = new Set(['noDebug']); // VS Code's own.
    const answered = (request: 'launch' | 'attach'): string[] =>
      Object.keys(dapArguments[request].shape).filter((name) => !ours.has(name));
    expect(declared('launch').toSorted()).toEqual(answered('launch').toSorted());
    expect(declared('attach').toSorted()).toEqual(answered('attach').toSorted());
    expect(at(manifest, 'version')).toBe(at(read(join(packageRoot, 'package.json')), 'version'));
    expect(read(join(extensionFolder, 'settings.schema.json'))).toEqual(
      read(join(packageRoot, 'settings.schema.json')),
    );
    expect(listAt(manifest, 'activationEvents')).not.toContain('*');
    const steps = listAt(listAt(manifest, 'contributes', 'walkthroughs')[0], 'steps');
    const called = steps.flatMap((step) =>
      [...textAt(step, 'description').matchAll(/\(command:(strobe\.\w+)\)/g)].map(
        ([, name]) => name,
      ),
    );
    expect(called).toEqual(['strobe.doctor', 'strobe.traceFunction', 'strobe.diagnoseTests']);
    expect(contributed).toEqual(expect.arrayContaining(called));
    for (const step of steps) statSync(join(extensionFolder, textAt(at(step, 'media'), 'svg'))); // Throws: it is not packed.
    const files = readdirSync(extensionFolder, { recursive: true, encoding: 'utf8' });
    const bytes = files.map((name) => statSync(join(extensionFolder, name)).size);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(1 << 20);
  });
});
