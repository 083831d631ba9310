import type { TestClient } from './client.ts';
import type { TestHome } from './home.ts';
import { listAt, numberAt, textAt } from './read.ts';
import { exitOf, launch, outputSeen } from './runs.ts';

/** A program that says `ready` and reads commands, with what tests do to its stops. */
export async function stopProgram(
  client: TestClient,
  home: TestHome,
  program: string,
  options: Readonly<Record<string, unknown>> = {},
) {
  const launched = await launch(client, home, program, { stdin: 'open', ...options });
  const { sessionId, structured } = launched;
  let { cursor } = await outputSeen(client, sessionId, 'ready');
  const place = async (...add: readonly unknown[]) =>
    client.ok('debug_breakpoint', { sessionId, add });
  const say = async (text: string) =>
    client.ok('debug_session', { action: 'input', sessionId, text: `${text}\n` });
  const seen = async (text: string): Promise<void> => {
    ({ cursor } = await outputSeen(client, sessionId, text, cursor));
  };
  const go = async (action: string, more: Readonly<Record<string, unknown>> = {}) => {
    const asked = { sessionId, action, timeoutMs: 20_000, ...more };
    const { structured: answer, text } = await client.ok('debug_continue', asked);
    const [stop] = listAt(answer, 'stops');
    return { stop, text, state: textAt(answer, 'state') };
  };
  const look = async (view: string, more: Readonly<Record<string, unknown>> = {}) =>
    client.ok('debug_inspect', { sessionId, view, ...more });
  const end = async (): Promise<unknown> => {
    await client.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
    return exitOf(client, sessionId);
  };
  const { text } = launched;
  return { sessionId, text, pid: numberAt(structured, 'pid'), place, say, seen, go, look, end };
}

/** `file.c:22` of where a stop is. */
export function placeOf(stop: unknown): string {
  return textAt(stop, 'place').replace(/.*\//, '');
}
