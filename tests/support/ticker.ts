import { expect, onTestFinished } from 'vitest';
import { callsOf, linesOf, type SeenCall } from './calls.ts';
import { startClient, type TestClient } from './client.ts';
import { openHome, type TestHome } from './home.ts';
import { at, numberAt } from './read.ts';
import { launch, outputSeen } from './runs.ts';
import { buildTarget } from './targets.ts';

/** A traced program that prints a line per round (targets/e2e/ticker.cpp), in a home of its own. */
export interface Ticker {
  readonly home: TestHome;
  readonly client: TestClient;
  readonly sessionId: string;
  readonly pid: number;
  /** The calls of `clockwork::tick` that are stored. */
  ticks(): Promise<SeenCall[]>;
  /** Waits for three more rounds: it runs, and its output arrives. */
  goesOn(): Promise<void>;
  /** Stops it; fails unless it ends as it should and no line of output is missing. Closes the client. */
  stop(): Promise<unknown>;
}

export interface TickerOptions {
  readonly home?: TestHome;
  readonly client?: (home: TestHome) => Promise<TestClient>;
}

/** After its third round. */
export async function startTicker(options: TickerOptions = {}): Promise<Ticker> {
  const home = options.home ?? openHome();
  if (!options.home) onTestFinished(async () => home.close());
  const client = await (options.client ?? startClient)(home);
  const { sessionId, structured } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
    patterns: ['clockwork::**'],
  });
  await outputSeen(client, sessionId, 'round 3');
  return {
    home,
    client,
    sessionId,
    pid: numberAt(structured, 'pid'),
    ticks: () => callsOf(client, sessionId, { function: { equals: 'clockwork::tick' } }),
    async goesOn() {
      const { line } = await outputSeen(client, sessionId, 'round');
      await outputSeen(client, sessionId, `round ${roundOf(line) + 3}`);
    },
    async stop() {
      const { structured: stopped } = await client.ok('debug_session', {
        action: 'stop',
        sessionId,
      });
      expect(at(stopped, 'exit')).toEqual({ kind: 'exited', code: 0 });
      const lines = (await linesOf(client, sessionId)).map(({ text }) => text);
      const rounds = lines.filter((text) => text.startsWith('round ')).map(roundOf);
      expect(rounds).toEqual(rounds.map((_round, index) => index + 1));
      expect(lines.at(-1)).toBe('stopped');
      await client.close();
      return stopped;
    },
  };
}

/** Fails unless `after` goes on from `before` without repeating a call. */
export function expectContinued(before: readonly SeenCall[], after: readonly SeenCall[]): void {
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.length).toBeGreaterThan(before.length);
  expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
}

function roundOf(line: string): number {
  return Number(line.split(' ')[1]);
}
