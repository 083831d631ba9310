import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { framesIn } from '../support/editors/seen.ts';
import { Wire } from '../support/editors/wire.ts';
import { pythons } from '../support/pythons.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

/** The newest that is here. */
const pythonPath = pythons.at(-1)?.path ?? 'python3';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

interface Asked {
  readonly program: string;
  readonly args?: readonly string[];
  /** Where it stops: what stands in that line. */
  readonly text: string;
  readonly filters?: readonly string[];
}

/** A page of what is in a variable, a text each. */
type Page = (range: object) => Promise<readonly string[]>;

describe('an editor and the languages of programs', () => {
  const { home } = withClient();

  /** Launches a program with breakpoints, as an editor does. */
  async function launched(path: string, { program, args = [], text, filters = [] }: Asked) {
    const lines = readFileSync(path, 'utf8').split('\n');
    const line = lines.findIndex((one) => one.includes(text)) + 1;
    const wire = new Wire(home);
    onTestFinished(async () => wire.kill());
    await wire.request('initialize', { adapterID: 'strobe' });
    const began = wire.request('launch', { program, args, cwd: home.project });
    await wire.event('initialized');
    const breakpoints = line === 0 ? [] : [{ line }];
    await wire.request('setBreakpoints', { source: { path }, breakpoints });
    await wire.request('setExceptionBreakpoints', { filters });
    await wire.request('configurationDone');
    await began;

    const stopped = async () => {
      const event = await wire.event('stopped');
      const threadId = numberAt(event, 'threadId');
      const frames = framesIn(await wire.request('stackTrace', { threadId }));
      const go = async (): Promise<unknown> => wire.request('continue', { threadId });
      return { reason: at(event, 'reason'), threadId, frames, go };
    };
    const variable = async (frameId: number, scope: string, name: string): Promise<unknown> => {
      const scopes = listAt(await wire.request('scopes', { frameId }), 'scopes');
      const meant = scopes.find((one) => at(one, 'name') === scope);
      const variablesReference = numberAt(meant, 'variablesReference');
      const all = listAt(await wire.request('variables', { variablesReference }), 'variables');
      return all.find((one) => at(one, 'name') === name);
    };
    const pagesOf = (found: unknown): Page => {
      const variablesReference = numberAt(found, 'variablesReference');
      return async (range) => {
        const asked = { variablesReference, ...range };
        return listAt(await wire.request('variables', asked), 'variables').map(
          (one) => `${textAt(one, 'name')}=${textAt(one, 'value')}`,
        );
      };
    };
    return { wire, line, stopped, variable, pagesOf };
  }

  test('[editor.awaiting] of JavaScript the stack shows the async functions that wait for what runs, which have no variables to read', async () => {
    const path = targetSource('node/awaiting.mjs');
    const asked = { program: process.execPath, args: [path], text: 'return numbers[count]' };
    const { wire, stopped } = await launched(path, asked);
    const { frames, threadId, go } = await stopped();
    const names = frames.map(({ name }) => name);
    expect(names[0]).toBe('priced');
    expect(names.slice(-2)).toEqual(['ordered (awaits)', '(anonymous) (awaits)']);
    const waiting = frames.at(-2);
    const places = { startFrame: frames.length - 2, levels: 1 };
    const [shown] = listAt(
      await wire.request('stackTrace', { threadId, ...places }),
      'stackFrames',
    );
    expect(at(shown, 'source', 'path')).toBe(path);
    const evaluated = wire.request('evaluate', { expression: 'counts', frameId: waiting?.id });
    await expect(evaluated).rejects.toThrow(/awaits the one before it/);
    await go();
    await wire.event('exited');
    expect(wire.output).toBe('sum 6\nRangeError\n');
  });

  test('[editor.tasks] of Python the tasks that are suspended are rows among the threads, each with the stack of its coroutines, variables, and the tasks that wait for it', async () => {
    const path = targetSource('python/gathered.py');
    const asked = { program: pythonPath, args: [path], text: 'stops here' };
    const { wire, stopped, variable } = await launched(path, asked);
    const { frames, threadId, go } = await stopped();
    const own = (all: readonly { readonly name: string }[]): string[] =>
      all.map(({ name }) => name).filter((name) => /awaits|^(?:price|ledger|shields)/.test(name));
    const waiting = ['gathers', 'shields', 'waits', 'limits', 'groups', 'main'];
    expect(own(frames).slice(0, 2)).toEqual(['price', 'ledger']);
    for (const name of waiting)
      expect(own(frames).find((one) => one.startsWith(`${name} (`))).toMatch(/task\d+ awaits/);
    const known = frames.find(({ name }) => name.startsWith('gathers'))?.id ?? 0;
    expect(at(await variable(known, 'Locals', 'kept'), 'value')).toBe('"of gather"');

    const threads = listAt(await wire.request('threads'), 'threads');
    const row = threads.find((one) =>
      /^task\d+ shielder: shields waits for /.test(textAt(one, 'name')),
    );
    const suspended = numberAt(row, 'id');
    expect(suspended).toBeGreaterThan(2 ** 22);
    expect(threads.some((one) => textAt(one, 'name').includes(' ledger: '))).toBe(false);
    const stack = framesIn(await wire.request('stackTrace', { threadId: suspended }));
    expect(stack[0]?.name).toBe('shields');
    const idle = threads.find((one) => textAt(one, 'name').includes(' idle: '));
    const idles = framesIn(await wire.request('stackTrace', { threadId: numberAt(idle, 'id') }));
    const frameId = idles.at(-1)?.id;
    const value = await wire.request('evaluate', { expression: 'asked', frameId });
    expect(at(value, 'result')).toBe('"nothing yet"');
    const set = wire.request('setExpression', { expression: 'asked', value: '1', frameId });
    await expect(set).rejects.toThrow(/is suspended: its variables can be read, not set/);
    await expect(wire.request('next', { threadId: suspended })).rejects.toThrow(
      /is suspended: it waits for .* Step or continue thread/,
    );
    expect(threadId).toBeLessThan(2 ** 22);
    await go();
    await wire.event('exited');
    expect(wire.output).toBe('21 nothing yet\n');
    await expect(wire.request('stackTrace', { threadId: suspended })).rejects.toThrow(
      /no program|has ended/,
    );
  });

  test('[editor.pages] the rest of a long list is read when it is unfolded, page by page; of what has no numbers it says how many more there are', async () => {
    const script = targetSource('node/awaiting.mjs');
    const node = { program: process.execPath, args: [script], text: "console.log('sum'" };
    const c = { program: buildTarget('e2e/paged.c', ['-O0']), text: 'printf' };
    const places = [
      { path: script, asked: node, scope: 'Locals', each: 2 },
      { path: targetSource('e2e/paged.c'), asked: c, scope: 'Locals', each: 5 },
    ];
    for (const { path, asked, scope, each } of places) {
      const { stopped, variable, pagesOf, wire } = await launched(path, asked);
      const { frames, go } = await stopped();
      const numbers = await variable(frames[0]?.id ?? 0, scope, 'numbers');
      expect(at(numbers, 'indexedVariables')).toBe(1000);
      const page = pagesOf(numbers);
      const row = (i: number): string => `[${i}]=${i * each}`;
      expect(await page({ filter: 'indexed', start: 0, count: 2 })).toEqual([row(0), row(1)]);
      expect(await page({ filter: 'indexed', start: 998, count: 100 })).toEqual([
        row(998),
        row(999),
      ]);
      expect(await page({ filter: 'named' })).toEqual([]);
      await go();
      await wire.event('exited');
    }
    const path = targetSource('python/raised.py');
    const asked = { program: pythonPath, args: [path], text: 'return int(text)' };
    const { stopped, variable, pagesOf } = await launched(path, asked);
    const { frames } = await stopped();
    const known = await variable(frames[0]?.id ?? 0, 'Locals', 'known');
    expect(await pagesOf(known)({ start: 700, count: 1 })).toEqual(['[700]=2100']);
    const prices = await variable(frames.at(-1)?.id ?? 0, 'Locals', 'prices');
    const rows = await pagesOf(prices)({});
    expect(rows.at(-1)).toBe(`…=${500 - (rows.length - 1)} more`);
  });

  test('[editor.exceptions] where Python and JavaScript raise, all or what nothing catches', async () => {
    const python = targetSource('python/raised.py');
    const script = targetSource('node/awaiting.mjs');
    const nowhere = 'no such line';
    const cases = [
      {
        path: python,
        asked: { program: pythonPath, args: [python], text: nowhere },
        filters: ['python', 'pythonUncaught'],
        types: ['ValueError', 'ValueError'],
      },
      {
        path: script,
        asked: { program: process.execPath, args: [script], text: nowhere },
        filters: ['js', 'jsUncaught'],
        types: ['RangeError', 'SyntaxError'],
      },
    ];
    for (const { path, asked, filters, types } of cases)
      for (const [i, filter] of filters.entries()) {
        const { wire, stopped } = await launched(path, { ...asked, filters: [filter] });
        for (const type of types.slice(i)) {
          const { reason, threadId, frames, go } = await stopped();
          expect([reason, frames[0]?.name]).toEqual(['exception', 'parsed']);
          const info = await wire.request('exceptionInfo', { threadId });
          expect(at(info, 'exceptionId')).toBe(type);
          await go();
        }
        expect(at(await wire.event('exited'), 'exitCode')).toBe(1);
      }
  });

  test('[editor.instructions] a stop at an instruction, in code that is inlined, with the frames of both functions', async () => {
    const path = targetSource('e2e/paged.c');
    const program = buildTarget('e2e/paged.c', ['-O0']);
    const { wire, stopped, line } = await launched(path, { program, text: 'int doubled' });
    const { frames, go } = await stopped();
    const asked = { memoryReference: frames[0]?.pc, instructionCount: 20 };
    const code = listAt(await wire.request('disassemble', asked), 'instructions');
    const inlined = code.find((one) => at(one, 'line') === line + 1);
    const breakpoints = [{ instructionReference: textAt(inlined, 'address') }];
    const set = await wire.request('setInstructionBreakpoints', { breakpoints });
    expect(at(set, 'breakpoints', 0)).toMatchObject({ verified: true, line: line + 1 });
    await go();
    const there = await stopped();
    expect(there.frames.slice(0, 2).map(({ name }) => name)).toEqual(['twice (inlined)', 'sum']);
    expect(there.frames[0]?.pc).toBe(textAt(inlined, 'address'));
    await there.go();
    expect(at(await wire.event('exited'), 'exitCode')).toBe(0);
  });
});
