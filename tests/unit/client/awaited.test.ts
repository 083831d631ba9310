import { describe, expect, test } from 'vitest';
import { awaitedMs } from '../../../src/client/shell/debuggerWords.ts';
import { untilStopped } from '../../../src/client/shell/untilStopped.ts';

const answered = (state: string, stops: readonly string[]) => ({
  structuredContent: { state, stops },
});

describe('await on the command line [stop.cli]', () => {
  test('waits for 300 s or as long as it is given, and takes no other text', () => {
    expect(awaitedMs([])).toEqual({ words: [], ms: 300_000 });
    expect(awaitedMs(['--timeout', '0.5', '--json'])).toEqual({ words: ['--json'], ms: 500 });
    expect(awaitedMs(['--timeout-ms', '20']).ms).toBeUndefined();
    expect(() => awaitedMs(['--timeout', 'soon'])).toThrow('"soon" is no number of seconds');
  });

  test('asks again while the program runs, never for more than one call may take', async () => {
    const asked: number[] = [];
    const answers = [answered('running', []), answered('running', []), answered('stopped', ['s1'])];
    const ask = (timeoutMs: number): Promise<unknown> =>
      Promise.resolve(answers[asked.push(timeoutMs) - 1]);
    expect(await untilStopped(ask, 300_000)).toBe(answers[2]);
    expect(asked).toHaveLength(3);
    expect(Math.max(...asked)).toBe(50_000);
  });

  test('ends with the program, with a refusal, and when its time is over', async () => {
    for (const answer of [answered('ended', []), { isError: true }, answered('running', [])]) {
      let calls = 0;
      const ask = (): Promise<unknown> => Promise.resolve(++calls === 1 ? answer : 'asked again');
      expect(await untilStopped(ask, 20)).toBe(answer);
    }
  });
});
