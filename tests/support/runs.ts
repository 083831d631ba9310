import { existsSync, readdirSync } from 'node:fs';
import { expect, vi } from 'vitest';
import type { TestClient } from './client.ts';
import type { TestHome } from './home.ts';
import { at, listAt, textAt } from './read.ts';

export interface Launched {
  readonly sessionId: string;
  readonly text: string;
  readonly structured: unknown;
}

/** Launches a program in the home's project folder. */
export async function launch(
  client: TestClient,
  home: TestHome,
  command: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Launched> {
  const answer = await client.ok('debug_launch', {
    command,
    projectRoot: home.project,
    ...options,
  });
  return {
    sessionId: textAt(answer.structured, 'sessionId'),
    text: answer.text,
    structured: answer.structured,
  };
}

/** Waits for the exit of a session and returns it: `{kind: 'exited', code}` or `{kind: 'signalled', …}`. */
export async function exitOf(client: TestClient, sessionId: string): Promise<unknown> {
  const answer = await client.ok('debug_session', {
    action: 'wait',
    sessionId,
    for: ['exit'],
    timeoutMs: 50_000,
  });
  if (at(answer.structured, 'happened') !== 'exit')
    throw new Error(`it did not end:\n${answer.text}`);
  return at(answer.structured, 'exit');
}

/** Launches a program and waits until it has ended. */
export async function runToEnd(
  client: TestClient,
  home: TestHome,
  command: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Launched & { readonly exit: unknown }> {
  const launched = await launch(client, home, command, options);
  return { ...launched, exit: await exitOf(client, launched.sessionId) };
}

/** Waits until a line of output contains `match`; returns the cursor for the next wait. */
export async function outputSeen(
  client: Pick<TestClient, 'ok'>,
  sessionId: string,
  match: string,
  after?: string,
): Promise<{ readonly cursor: string; readonly line: string }> {
  const answer = await client.ok('debug_session', {
    action: 'wait',
    sessionId,
    for: ['output'],
    match,
    timeoutMs: 20_000,
    ...(after === undefined ? {} : { after }),
  });
  if (at(answer.structured, 'happened') !== 'output')
    throw new Error(`no output "${match}":\n${answer.text}`);
  const lines = listAt(answer.structured, 'output').map((line) => textAt(line, 'text'));
  const line = lines.findLast((text) => text.includes(match));
  if (line === undefined) throw new Error(`the line with "${match}" is not shown:\n${answer.text}`);
  return { cursor: textAt(answer.structured, 'cursor'), line };
}

/** Waits until the status of a session matches; returns its text. */
export async function statusSays(
  client: Pick<TestClient, 'ok'>,
  sessionId: string,
  expected: RegExp,
): Promise<string> {
  return await vi.waitFor(
    async () => {
      const status = await client.ok('debug_session', { action: 'status', sessionId });
      expect(status.text).toMatch(expected);
      return status.text;
    },
    { timeout: 60_000, interval: 200 },
  );
}

/** Files of rings that a session has in shared memory. */
export function ringsLeft(sessionId: string): string[] {
  const folder = `/dev/shm/strobe-${process.getuid?.() ?? 0}/${sessionId}`;
  return existsSync(folder) ? readdirSync(folder) : [];
}
