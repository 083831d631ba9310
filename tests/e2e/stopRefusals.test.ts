import { readFileSync } from 'node:fs';
import { describe, expect, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { pythons } from '../support/pythons.ts';
import { runStrobe } from '../support/strobe.ts';
import { stopProgram } from '../support/stopProgram.ts';
import { withClient } from '../support/suite.ts';
import { targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000 });

const script = targetSource('python/stops.py');
const lines = readFileSync(script, 'utf8').split('\n');
const path = pythons.find(({ minor, isSystem }) => minor === 14 && !isSystem)?.path ?? '';

describe('what a stopped thread cannot do', () => {
  const { home, client } = withClient();

  itNeeds(
    'cpython',
    '[stop.refused] what Python has not, and what a name or call comes to, is refused with what works',
    async () => {
      const args = [script];
      const { sessionId, place, say, go, seen, end } = await stopProgram(client, home, path, {
        args,
      });
      const inspected = async (asked: object): Promise<string> =>
        (await client.refused('debug_inspect', { sessionId, ...asked })).text;
      const line = lines.findIndex((one) => one.includes('a = twice(i)')) + 1;
      await place({ file: 'stops.py', line });
      await say('work 2');
      await go('wait');
      expect(await inspected({ view: 'registers' })).toMatch(/No registers[^]*"view":"locals"/);
      const disassembly = await inspected({ view: 'disassembly' });
      expect(disassembly).toMatch(/no machine instructions[^]*"view":"stack"/);
      const one = { sessionId, action: 'overInstruction' };
      expect((await client.refused('debug_continue', one)).text).toMatch(
        /gdb, lldb and Delve do[^]*"action":"over"/,
      );
      const nowhere = await inspected({ view: 'value', expression: 'nowhere' });
      expect(nowhere).toMatch(/has a variable nowhere; its frame has/);
      const called = await inspected({ view: 'value', expression: 'twice(3)' });
      expect(called).toContain('{"do":[{"evaluate":"twice(3)","sideEffects":true}]}');
      const watched = await client.ok('debug_breakpoint', { sessionId, add: [{ data: 'i' }] });
      expect(watched.text).toMatch(/b2 write i failed: .*"condition".*"watches" of debug_trace/);
      const wrong = { sessionId, do: [{ write: 'nowhere', value: 3 }] };
      const { structured } = await client.ok('debug_memory', wrong);
      expect(structured).toMatchObject({ outcome: 'refused' });
      const set = async (name: string) => {
        const words = ['set', name, '3', '--session-id', sessionId, '--take-over'];
        return await runStrobe({ env: home.env, cwd: home.project }, words);
      };
      expect((await set('nowhere')).code).toBe(1);
      expect((await set('i')).code).toBe(0);
      const off = { sessionId, change: [{ id: 'b1', enabled: false }] };
      const { text } = await client.ok('debug_breakpoint', off);
      expect(text).toMatch(/b1 .* off · 1 hit\n[^]*next:\n.*"enabled":true/);
      await go('continue', { timeoutMs: 0 });
      await seen('done');
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
      const over = { sessionId, action: 'continue' };
      expect((await client.refused('debug_continue', over)).text).toMatch(/^SESSION_ENDED/);
    },
  );
});
