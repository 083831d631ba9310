import { expect, test } from 'vitest';
import { ClientMemory } from '../../../src/daemon/clientMemory.ts';
import type { ToolAnswer } from '../../../src/daemon/report/answers/answer.ts';
import { withoutSession } from '../../../src/daemon/report/answers/nextSteps.ts';
import { legends, unread } from '../../../src/daemon/report/text/legends.ts';

const about = (sessionId: string, rest: object = {}, text = ''): ToolAnswer => ({
  text,
  structured: { sessionId, notes: [], ...rest },
});

test('[query.known] a client knows a session from the first answer about it on, its notes and its last line', () => {
  const memory = new ClientMemory();
  expect(memory.of('a')).toBeUndefined();
  memory.learn(about('a', { notes: ['It forked.'], output: [{ timestampNs: 5, text: 'hi' }] }));
  memory.learn(about('a', { notes: [] }));
  expect([...(memory.of('a')?.notes ?? [])]).toEqual(['It forked.']);
  expect(memory.of('a')?.lastLine).toBe('5 hi');
  memory.learn({ text: '', structured: { action: 'list', sessions: [about('b').structured] } });
  expect(memory.of('b')).toBeUndefined();
});

test('[query.known] the signs in answers are explained once per session', () => {
  const memory = new ClientMemory();
  const wanted = (id: string): string[] => {
    const known = memory.of(id);
    return unread(known ? { known } : {}, ['siblings', 'receiver']);
  };
  memory.learn(about('a', {}, `2 calls; ${legends.receiver}:`));
  expect(wanted('a')).toEqual([legends.siblings]);
  expect(wanted('b')).toEqual([legends.siblings, legends.receiver]);
});

test('[query.known] who goes back to an older session works on several', () => {
  const memory = new ClientMemory();
  for (const id of ['a', 'a', 'b', 'c']) memory.learn(about(id));
  expect(memory.isInterleaved).toBe(false);
  memory.learn(about('a'));
  expect(memory.isInterleaved).toBe(true);
});

test('[query.known] proposed calls name no session that is meant anyway, and keep every other', () => {
  const text = [
    'debug_query {"sessionId":"shop-1","view":"tree"}',
    'debug_session {"action":"wait","sessionId":"shop-1","for":["exit"]}',
    'debug_session {"action":"status","sessionId":"shop-1"}',
    'debug_trace {"sessionId":"shop-1"}',
    'debug_query {"view":"diff","other":{"sessionId":"shop-2"}}',
  ].join('\n');
  expect(withoutSession(text, 'shop-1').split('\n')).toEqual([
    'debug_query {"view":"tree"}',
    'debug_session {"action":"wait","for":["exit"]}',
    'debug_session {"action":"status"}',
    'debug_trace {}',
    'debug_query {"view":"diff","other":{"sessionId":"shop-2"}}',
  ]);
});
