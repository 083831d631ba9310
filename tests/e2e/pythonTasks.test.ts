import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { pythons } from '../support/pythons.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Frames of the program, each with the task it awaits in. */
function framesOf(structured: unknown): string[] {
  return listAt(structured, 'frames')
    .filter((frame) => at(frame, 'isOwn') === true)
    .map(
      (frame) => `${textAt(frame, 'function')}${at(frame, 'isAwaiting') === true ? ' awaits' : ''}`,
    );
}

/** What waits for `ledger`, the nearest first. */
const waiting = ['gathers', 'shields', 'waits', 'limits', 'groups', 'main'];

describe.each(pythons.map(({ name, path, minor }) => [name, path, minor] as const))(
  'tasks at a stop of Python %s',
  (_name, path, minor) => {
    const { home, client } = withClient();

    /** The program stopped where a line has this text. */
    async function stoppedAt(file: string, text: string, args: readonly string[] = []) {
      const source = targetSource(`python/${file}`);
      const line = readFileSync(source, 'utf8')
        .split('\n')
        .findIndex((one) => one.includes(text));
      const { sessionId } = await launch(client, home, path, {
        args: [source, ...args],
        projectRoot: dirname(source),
        breakpoints: [`${source}:${line + 1}`],
      });
      const stop = await client.ok('debug_continue', {
        sessionId,
        action: 'wait',
        timeoutMs: 30_000,
      });
      expect(stop.text).toContain('stopped');
      const look = async (asked: object) => client.ok('debug_inspect', { sessionId, ...asked });
      return { sessionId, look };
    }

    itNeeds(
      'cpython',
      '[stop.tasks] tasks are listed with what they wait for, and the stack of each has its coroutines with variables and the tasks that wait for it',
      async () => {
        const { sessionId, look } = await stoppedAt('gathered.py', 'stops here');
        const { text, structured } = await look({ view: 'threads' });
        const tasks = listAt(structured, 'tasks');
        expect(tasks.map((task) => textAt(task, 'name')).toSorted()).toEqual(
          [
            'Task-1',
            'gatherer',
            'grouper',
            'idle',
            'ledger',
            'limiter',
            'nap',
            'shielder',
            'waiter',
          ].toSorted(),
        );
        const named = (name: string): unknown =>
          tasks.find((task) => textAt(task, 'name') === name);
        const id = (name: string): string => textAt(named(name), 'task');
        const [held] = listAt(structured, 'threads');
        expect([at(named('ledger'), 'state'), at(named('ledger'), 'thread')]).toEqual([
          'runs',
          numberAt(held, 'thread'),
        ]);
        expect(text).toMatch(/task\d+ idle waits for asyncio Queue\.get: idles gathered\.py:48/);
        expect(text).toMatch(/task\d+ Task-1 waits for task grouper: main gathered\.py:54/);

        const running = await look({ view: 'stack' });
        const own = ['price', 'ledger', '<module>'];
        expect(framesOf(running.structured)).toEqual([
          ...own,
          ...waiting.map((name) => `${name} awaits`),
        ]);
        expect(running.text).toMatch(/#\d+-#\d+ \d+ frames of the event loop: /);
        expect(framesOf((await look({ view: 'stack', thread: id('ledger') })).structured)).toEqual(
          framesOf(running.structured),
        );
        const shielder = await look({ view: 'stack', thread: id('shielder') });
        expect(framesOf(shielder.structured)).toEqual([
          'shields',
          ...waiting.slice(2).map((name) => `${name} awaits`),
        ]);

        const frames = listAt(running.structured, 'frames').map((frame) =>
          textAt(frame, 'function'),
        );
        const frame = frames.indexOf('gathers');
        const kept = await look({ view: 'value', expression: 'kept', frame });
        expect(kept.text).toContain('"of gather"');
        const idle = { thread: id('idle'), frame: 1 };
        expect((await look({ view: 'locals', ...idle })).text).toMatch(/asked="nothing yet"/);
        expect((await look({ view: 'value', expression: 'asked', ...idle })).text).toMatch(
          /"nothing yet"/,
        );

        const step = { sessionId, action: 'over', thread: id('idle') };
        const refused = await client.refused('debug_continue', step);
        expect(refused.text).toMatch(/task\d+ is suspended: it waits for asyncio Queue\.get/);
        await client.ok('debug_continue', { ...step, thread: id('ledger'), timeoutMs: 20_000 });
        const later = listAt((await look({ view: 'threads' })).structured, 'tasks');
        const before = new Map(tasks.map((task) => [textAt(task, 'name'), textAt(task, 'task')]));
        for (const task of later)
          expect(before.get(textAt(task, 'name'))).toBe(textAt(task, 'task'));
        await client.ok('debug_continue', { sessionId, timeoutMs: 0 });
        await outputSeen(client, sessionId, '21 nothing yet');
        expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
      },
    );

    itNeeds(
      'cpython',
      '[stop.tasks] no code of the program runs for that; of thousands of tasks some are shown and the others counted',
      async () => {
        const { sessionId, look } = await stoppedAt('hostileTasks.py', 'stops here', ['3000']);
        const { text, structured } = await look({ view: 'threads' });
        const tasks = listAt(structured, 'tasks');
        const hostile = tasks.find((task) => textAt(task, 'name') === 'hostile');
        expect(tasks.length + numberAt(structured, 'tasksLeftOut')).toBe(3002);
        expect(text).toMatch(/… [\d,. ]+ more tasks/);
        if (minor < 14) expect(text).toContain('3 tasks done, not collected');
        const thread = textAt(hostile, 'task');
        const stack = await look({ view: 'stack', thread });
        expect(framesOf(stack.structured)).toEqual(['waits']);
        const frame = listAt(stack.structured, 'frames').length - 1;
        expect((await look({ view: 'locals', thread, frame })).text).toMatch(/value=Value/);
        await client.ok('debug_continue', { sessionId, timeoutMs: 0 });
        expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
        const output = await client.ok('debug_query', { sessionId, view: 'output' });
        expect(listAt(output.structured, 'lines').map((line) => textAt(line, 'text'))).toEqual([
          'ready 3',
          'whole 3000',
        ]);
      },
    );
  },
);
