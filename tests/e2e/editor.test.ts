import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DebugClient } from '@vscode/debugadapter-testsupport';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { packageRoot } from '../support/strobe.ts';
import { withClient, type testHome } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const stops = 'e2e/stops.cpp';
const path = targetSource(stops);
const lines = readFileSync(path, 'utf8').split('\n');
const line = (text: string): number => lines.findIndex((one) => one.includes(text)) + 1;

/** An editor that speaks to `strobe dap`, as VS Code does; it has gone when the test ends. */
async function editorOf(
  home: ReturnType<typeof testHome>,
  knows: Partial<DebugProtocol.InitializeRequestArguments> = {},
): Promise<DebugClient> {
  const editor = new DebugClient(join(packageRoot, 'strobe'), 'dap', 'strobe', {
    env: home.env,
    cwd: home.path,
  });
  editor.defaultTimeout = 60_000;
  await editor.start();
  onTestFinished(async () => editor.stop());
  await editor.initializeRequest({ adapterID: 'strobe', ...knows });
  return editor;
}

/** Joins a session with a breakpoint in each of these lines. */
async function joined(editor: DebugClient, session: string, ...texts: readonly string[]) {
  const configured = editor.waitForEvent('initialized').then(async () => {
    await editor.setBreakpointsRequest({
      source: { path },
      breakpoints: texts.map((text) => ({ line: line(text) })),
    });
    await editor.configurationDoneRequest();
  });
  await Promise.all([editor.send('attach', { session }), configured]);
}

async function stoppedIn(editor: DebugClient): Promise<unknown> {
  return at(await editor.waitForEvent('stopped'), 'body');
}

async function placeIn(editor: DebugClient, threadId = 0): Promise<string> {
  const { body } = await editor.stackTraceRequest({ threadId, startFrame: 0, levels: 1 });
  const [top] = body.stackFrames;
  return `${top?.name} ${lines[(top?.line ?? 1) - 1]?.trim()}`;
}

async function valuesIn(editor: DebugClient, threadId: number): Promise<Record<string, string>> {
  const { body } = await editor.stackTraceRequest({ threadId, startFrame: 0, levels: 1 });
  const frameId = body.stackFrames[0]?.id ?? 0;
  const { scopes } = (await editor.scopesRequest({ frameId })).body;
  const found = await Promise.all(
    scopes
      .filter(({ name }) => name !== 'Registers')
      .map(async ({ variablesReference }) => {
        const { variables } = (await editor.variablesRequest({ variablesReference })).body;
        return variables.map(({ name, value }) => [name, value] as const);
      }),
  );
  return Object.fromEntries(found.flat());
}

describe('editor', () => {
  const { home, client } = withClient();

  async function started(patterns: readonly string[] = []) {
    const program = buildTarget(stops, ['-O0', '-pthread']);
    const { sessionId, structured } = await launch(client, home, program, {
      stdin: 'open',
      patterns,
    });
    await outputSeen(client, sessionId, 'ready');
    const say = async (text: string) =>
      client.ok('debug_session', { action: 'input', sessionId, text: `${text}\n` });
    const go = async (action: string) =>
      client.ok('debug_continue', { sessionId, action, timeoutMs: 20_000 });
    const end = async (): Promise<unknown> => {
      await client.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
      return exitOf(client, sessionId);
    };
    return { sessionId, pid: numberAt(structured, 'pid'), say, go, end };
  }

  test('[editor.join] an editor joins an agent’s session: stops at its own breakpoint with values, steps, and the agent sees both', async () => {
    const { sessionId, pid, say, go, end } = await started(['twice']);
    const editor = await editorOf(home);
    await joined(editor, sessionId, 'int a = twice(i)');
    const stop = stoppedIn(editor);
    await say('a');
    expect(await stop).toMatchObject({
      reason: 'breakpoint',
      threadId: pid,
      allThreadsStopped: false,
      hitBreakpointIds: [1],
    });
    expect(await placeIn(editor, pid)).toBe('work int a = twice(i);');
    expect(await valuesIn(editor, pid)).toMatchObject({ i: '0' });
    const threads = async (): Promise<number[]> =>
      (await editor.threadsRequest()).body.threads.map(({ id }) => id);
    // It has another of its own; those of what traces it are known once they wait.
    await expect.poll(threads).toEqual([pid, expect.any(Number)]);
    expect(listAt((await go('wait')).structured, 'stops')).toMatchObject([{ id: 's1' }]);
    const next = stoppedIn(editor);
    await editor.nextRequest({ threadId: pid });
    expect(await next).toMatchObject({ reason: 'step', threadId: pid });
    expect(await placeIn(editor, pid)).toBe('work int b = added(a, order.id);');
    expect(listAt((await go('wait')).structured, 'stops')).toMatchObject([{ id: 's2' }]);
    await editor.continueRequest({ threadId: pid });
    await editor.disconnectRequest();
    await outputSeen(client, sessionId, 'done');
    await say('b');
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[editor.others] an agent’s stop and step reach the editor, whose list leaves the agent’s breakpoint alone', async () => {
    const { sessionId, pid, say, go, end } = await started();
    await client.ok('debug_breakpoint', { sessionId, add: [`${path}:${line('int y = x * 2')}`] });
    await say('a');
    await go('wait');
    const editor = await editorOf(home);
    const late = stoppedIn(editor);
    await joined(editor, sessionId);
    expect(await late).toMatchObject({ reason: 'breakpoint', threadId: pid });
    expect(await placeIn(editor, pid)).toBe('twice int y = x * 2;');
    const step = stoppedIn(editor);
    await go('over');
    expect(await step).toMatchObject({ reason: 'step' });
    expect(await placeIn(editor, pid)).toBe('twice return y;');
    const runs = editor.waitForEvent('continued');
    await client.ok('debug_continue', { sessionId, action: 'continue', timeoutMs: 0 });
    expect((await runs).body).toMatchObject({ threadId: pid, allThreadsContinued: false });
    await editor.setBreakpointsRequest({ source: { path }, breakpoints: [] });
    const { structured } = await client.ok('debug_breakpoint', { sessionId });
    expect(listAt(structured, 'breakpoints')).toHaveLength(1);
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    await say('b');
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[editor.breakpoints] conditions, hit counts and log messages; a breakpoint that cannot be says why; all go with the editor', async () => {
    const { sessionId, pid, say, end } = await started();
    const editor = await editorOf(home);
    await joined(editor, sessionId);
    const place = line('int a = twice(i)');
    const { body } = await editor.setBreakpointsRequest({
      source: { path },
      breakpoints: [
        { line: place, condition: 'i == 1' },
        { line: line('int b = added'), logMessage: 'order {order.id} of {i}' },
        { line: 9999 },
        { line: place, hitCondition: 'often' },
      ],
    });
    expect(body.breakpoints.map(({ verified }) => verified)).toEqual([true, true, false, false]);
    expect(body.breakpoints[2]?.message).toMatch(/Nearest lines: \d+/);
    expect(body.breakpoints[3]?.message).toBe('Hit count "often" is none of: 5, > 5, >= 5, % 5.');
    const logged = new Promise<string>((resolve) => {
      editor.on('output', ({ body: said }: DebugProtocol.OutputEvent) => {
        if (said.category === 'console') resolve(said.output);
      });
    });
    const stop = stoppedIn(editor);
    await say('a');
    expect(await logged).toBe('order 7 of 0\n');
    await say('b');
    expect(await stop).toMatchObject({ hitBreakpointIds: [1] });
    expect(await valuesIn(editor, pid)).toMatchObject({ i: '1' });
    await editor.disconnectRequest();
    await say('c');
    const { structured } = await client.ok('debug_breakpoint', { sessionId });
    expect(listAt(structured, 'breakpoints')).toEqual([]);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
    const { text } = await client.ok('debug_query', { view: 'output', sessionId });
    expect(text.match(/out\| done/g)).toHaveLength(3);
  });

  test('[editor.values] expressions, setting of variables and memory where a thread stands', async () => {
    const { sessionId, pid, say, end } = await started();
    const editor = await editorOf(home);
    await joined(editor, sessionId, 'int b = added(a, order.id)');
    const stop = stoppedIn(editor);
    await say('a');
    await stop;
    const { body } = await editor.stackTraceRequest({ threadId: pid, startFrame: 0, levels: 1 });
    const frameId = body.stackFrames[0]?.id ?? 0;
    const valueOf = async (expression: string): Promise<unknown> =>
      (await editor.evaluateRequest({ expression, frameId })).body.result;
    expect(await valueOf('order.id * 2 + 1')).toBe('15');
    expect(await valueOf('order.name')).toBe('"tea"');
    await expect(valueOf('nosuch')).rejects.toThrow(/nosuch/);
    const { scopes } = (await editor.scopesRequest({ frameId })).body;
    const inside = async (variablesReference: number | undefined, name: string) => {
      const asked = { variablesReference: variablesReference ?? 0 };
      const { variables } = (await editor.variablesRequest(asked)).body;
      return variables.find((one) => one.name === name);
    };
    const passed = scopes.find(({ name }) => name === 'Arguments');
    const order = await inside(passed?.variablesReference, 'order');
    const id = await inside(order?.variablesReference, 'id');
    expect(await valueOf(id?.evaluateName ?? '')).toBe('7');
    const set = await editor.send('setExpression', { expression: 'a', value: '100', frameId });
    expect(at(set, 'body')).toMatchObject({ value: '100', type: 'int' });
    expect(await valueOf('a')).toBe('100');
    const locals = (await editor.scopesRequest({ frameId })).body.scopes.find(
      ({ name }) => name === 'Locals',
    );
    const variable = { variablesReference: locals?.variablesReference ?? 0, name: 'a' };
    const { body: now } = await editor.setVariableRequest({ ...variable, value: '99' });
    expect(now).toMatchObject({ value: '99', type: 'int' });
    expect(await valuesIn(editor, pid)).toMatchObject({ a: '99' });
    const field = { variablesReference: order?.variablesReference ?? 0, name: 'total' };
    await editor.setVariableRequest({ ...field, value: '2.5' });
    expect(await valueOf('order.total')).toBe('2.5');
    await expect(editor.setVariableRequest({ ...field, value: 'dear' })).rejects.toThrow(/dear/);
    await editor.setVariableRequest({ ...variable, value: '100' });
    const memoryReference = order?.memoryReference ?? '';
    const memory = await editor.send('readMemory', { memoryReference, count: 4 });
    expect(Buffer.from(textAt(memory, 'body', 'data'), 'base64').readInt32LE()).toBe(7);
    const one = Buffer.alloc(4);
    one.writeInt32LE(9);
    const fresh = { memoryReference, data: one.toString('base64') };
    const wrote = await editor.send('writeMemory', fresh);
    expect(at(wrote, 'body', 'bytesWritten')).toBe(4);
    expect(await valueOf('order.id')).toBe('9');
    one.writeInt32LE(7);
    await editor.send('writeMemory', { memoryReference, data: one.toString('base64') });
    await editor.continueRequest({ threadId: pid });
    await outputSeen(client, sessionId, 'done 214');
    await editor.disconnectRequest();
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[editor.sources] an editor lists the source files of a program and the lines at which a breakpoint can be', async () => {
    const { sessionId, end } = await started();
    const editor = await editorOf(home);
    await joined(editor, sessionId);
    const loaded = listAt(await editor.send('loadedSources'), 'body', 'sources');
    expect(loaded).toContainEqual({ name: 'stops.cpp', path });
    const linesIn = async (from: number, endLine: number): Promise<unknown[]> => {
      const asked = { source: { path }, line: from, endLine };
      const found = listAt(await editor.send('breakpointLocations', asked), 'body', 'breakpoints');
      return found.map((one) => at(one, 'line'));
    };
    const [from, to] = [line('int work(int i'), line('return a + b;')];
    const found = await linesIn(from, to);
    for (const text of ['int a = twice(i)', 'b += 100', 'counter += k', 'return a + b'])
      expect(found).toContain(line(text));
    expect(found).not.toContain(line('b += 100') + 1);
    expect(await linesIn(1, line('struct Order') - 1)).toEqual([]);
    const { body } = await editor.setBreakpointsRequest({
      source: { path },
      breakpoints: found.map((one) => ({ line: Number(one) })),
    });
    expect(body.breakpoints.map(({ verified }) => verified)).toEqual(found.map(() => true));
    expect(body.breakpoints.slice(1).map((one) => one.line)).toEqual(found.slice(1));
    await editor.disconnectRequest();
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[editor.sources] files and lines of a program of Node', async () => {
    const script = targetSource('node/ticking.cjs');
    const { sessionId } = await launch(client, home, process.execPath, {
      args: [script],
      patterns: ['ticking.*'],
      projectRoot: dirname(script),
    });
    await outputSeen(client, sessionId, 'round 1');
    const editor = await editorOf(home);
    await joined(editor, sessionId);
    const loaded = listAt(await editor.send('loadedSources'), 'body', 'sources');
    expect(loaded).toContainEqual({ name: 'ticking.cjs', path: script });
    const text = readFileSync(script, 'utf8').split('\n');
    const place = text.findIndex((one) => one.includes('tick(new Beat')) + 1;
    const asked = { source: { path: script }, line: place - 1, endLine: place + 2 };
    const found = listAt(await editor.send('breakpointLocations', asked), 'body', 'breakpoints');
    expect(found.map((one) => at(one, 'line'))).toEqual(
      [-1, 0, 1, 2].map((offset) => place + offset),
    );
    await editor.send('disconnect', { terminateDebuggee: true });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
  });

  test('[editor.progress] what takes longer than a second is shown to an editor that shows progress, and to no other', async () => {
    const script = "trap '' TERM; echo deaf; exec sleep 1000";
    for (const supportsProgressReporting of [true, false]) {
      const editor = await editorOf(home, { supportsProgressReporting });
      const shown: unknown[] = [];
      for (const name of ['progressStart', 'progressUpdate', 'progressEnd'])
        editor.on(name, (one: DebugProtocol.Event) => shown.push(one));
      const isDeaf = new Promise<void>((resolve) => {
        editor.on('output', ({ body }: DebugProtocol.OutputEvent) => {
          if (body.output.includes('deaf')) resolve();
        });
      });
      const configured = editor
        .waitForEvent('initialized')
        .then(async () => editor.configurationDoneRequest());
      const launched = editor.send('launch', { program: '/bin/sh', args: ['-c', script] });
      await Promise.all([launched, configured]);
      await isDeaf;
      shown.length = 0;
      // SIGKILL comes two seconds after SIGTERM.
      await editor.send('restart');
      if (supportsProgressReporting) {
        const progressId = textAt(shown[0], 'body', 'progressId');
        expect(shown[0]).toMatchObject({
          event: 'progressStart',
          body: { title: 'Restarting', message: 'stopping the program' },
        });
        expect(shown.at(-1)).toMatchObject({ event: 'progressEnd', body: { progressId } });
      } else expect(shown).toEqual([]);
      await editor.disconnectRequest();
    }
  });

  test('[editor.data] an editor stops where a local, a field or a global is written, and sees the instructions', async () => {
    const { sessionId, pid, say, end } = await started();
    const editor = await editorOf(home);
    await joined(editor, sessionId, 'int b = added(a, order.id)');
    const stop = stoppedIn(editor);
    await say('a');
    await stop;
    const { body } = await editor.stackTraceRequest({ threadId: pid, startFrame: 0, levels: 1 });
    const [frame] = body.stackFrames;
    const frameId = frame?.id ?? 0;
    const infoOf = async (name: string): Promise<unknown> =>
      at(await editor.send('dataBreakpointInfo', { name, frameId }), 'body');
    expect(await infoOf('order.name')).toMatchObject({ dataId: null });
    expect(await infoOf('counter')).toMatchObject({ dataId: 'counter', canPersist: true });
    const local = textAt(await infoOf('b'), 'dataId');
    expect(local).toMatch(/^\*\(int\*\)0x[0-9a-f]+$/);
    const set = await editor.send('setDataBreakpoints', {
      breakpoints: [{ dataId: local, accessType: 'write' }],
    });
    expect(at(set, 'body', 'breakpoints', 0)).toMatchObject({ verified: true });
    const memoryReference = frame?.instructionPointerReference ?? '';
    const asked = { memoryReference, instructionOffset: -2, instructionCount: 5 };
    const instructions = listAt(await editor.send('disassemble', asked), 'body', 'instructions');
    expect(instructions).toHaveLength(5);
    expect(instructions[2]).toMatchObject({ address: memoryReference });
    expect(textAt(instructions[2], 'instruction')).toMatch(/^mov /);
    const written = stoppedIn(editor);
    await editor.continueRequest({ threadId: pid });
    expect(await written).toMatchObject({ reason: 'data breakpoint' });
    await editor.send('setDataBreakpoints', { breakpoints: [] });
    await editor.disconnectRequest();
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[editor.launch] an editor launches a program: it stops at the start of main and at breakpoints of its first moment, also after a restart; output, exit status', async () => {
    const editor = await editorOf(home);
    const program = buildTarget('e2e/early.cpp', ['-O0']);
    const earlyPath = targetSource('e2e/early.cpp');
    const early = readFileSync(earlyPath, 'utf8').split('\n');
    const output: string[] = [];
    editor.on('output', (event: DebugProtocol.OutputEvent) => output.push(event.body.output));
    const configured = editor.waitForEvent('initialized').then(async () => {
      const first = early.findIndex((one) => one.includes('value = 6 * 7')) + 1;
      await editor.setBreakpointsRequest({
        source: { path: earlyPath },
        breakpoints: [{ line: first }, { line: first, condition: 'no sense' }],
      });
      await editor.configurationDoneRequest();
    });
    const next = async (): Promise<{ reason: string; at: string; threadId: number }> => {
      const stop = await stoppedIn(editor);
      const threadId = numberAt(stop, 'threadId');
      const { body } = await editor.stackTraceRequest({ threadId, startFrame: 0, levels: 1 });
      const text = early[(body.stackFrames[0]?.line ?? 1) - 1]?.trim() ?? '';
      return { reason: textAt(stop, 'reason'), at: text, threadId };
    };
    const constructed = next();
    await Promise.all([editor.send('launch', { program, stopOnEntry: true }), configured]);
    const { threadId, ...first } = await constructed;
    expect(first).toEqual({ reason: 'breakpoint', at: 'value = 6 * 7;' });
    const main = next();
    await editor.continueRequest({ threadId });
    expect(await main).toEqual({ reason: 'entry', at: 'puts("main");', threadId });
    const again = next();
    await editor.send('restart');
    const second = await again;
    expect(second.at).toBe('value = 6 * 7;');
    const mainAgain = next();
    await editor.continueRequest({ threadId: second.threadId });
    expect(await mainAgain).toMatchObject({ reason: 'entry' });
    const ended = Promise.all([editor.waitForEvent('exited'), editor.waitForEvent('terminated')]);
    await editor.continueRequest({ threadId: second.threadId });
    expect((await ended)[0].body).toEqual({ exitCode: 42 });
    expect(output.join('')).toContain('main');
  });

  test('[editor.exceptions] an editor stops where exceptions of a type are thrown, and shows what they are', async () => {
    const program = buildTarget('e2e/raises.cpp', ['-O0']);
    const { sessionId, structured } = await launch(client, home, program, { stdin: 'open' });
    const threadId = numberAt(structured, 'pid');
    const editor = await editorOf(home);
    await joined(editor, sessionId);
    const { body } = await editor.send('setExceptionBreakpoints', {
      filters: [],
      filterOptions: [{ filterId: 'cpp', condition: 'std::runtime_error' }],
    });
    expect(body).toMatchObject({ breakpoints: [{ verified: true }] });
    const stop = stoppedIn(editor);
    const text = 'number\ncoin\n';
    await client.ok('debug_session', { action: 'input', sessionId, text, eof: true });
    expect(await stop).toMatchObject({ reason: 'exception', threadId });
    const info = await editor.send('exceptionInfo', { threadId });
    expect(at(info, 'body')).toMatchObject({
      exceptionId: 'shop::Refused',
      description: 'refused: coin',
    });
    await editor.continueRequest({ threadId });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
  });

  test('[editor.wrong] a wrong request is refused with the reason and the next step', async () => {
    const editor = await editorOf(home);
    const configured = editor
      .waitForEvent('initialized')
      .then(async () => editor.configurationDoneRequest());
    const refused = editor.send('attach', { session: 'nosuch' });
    await expect(refused).rejects.toThrow(/no session nosuch/);
    await configured;
    await expect(editor.send('nosuch')).rejects.toThrow(/does not answer "nosuch"/);
  });
});
