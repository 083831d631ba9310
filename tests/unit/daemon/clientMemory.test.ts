import { expect, test } from 'vitest';
import { ClientMemory } from '../../../src/daemon/clientMemory.ts';
import { withoutSession } from '../../../src/daemon/report/answers/nextSteps.ts';

const about = (sessionId: string, rest: object = {}): object => ({ sessionId, notes: [], ...rest });

test('[query.known] a client knows a session from the first answer about it on, its notes and its last line', () => {
  const memory = new ClientMemory();
  expect(memory.of('a')).toBeUndefined();
  memory.learn(about('a', { notes: ['It forked.'], output: [{ timestampNs: 5, text: 'hi' }] }));
  memory.learn(about('a', { notes: [] }));
  expect([...(memory.of('a')?.notes ?? [])]).toEqual(['It forked.']);
  expect(memory.of('a')?.lastLine).toBe('5 hi');
  memory.learn({ action: 'list', sessions: [about('b')] });
  expect(memory.of('b')).toBeUndefined();
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
