import { eventsOf } from './calls.ts';
import type { TestClient } from './client.ts';
import type { TestHome } from './home.ts';
import { exitOf, launch, outputSeen } from './runs.ts';

/** A program that says `ready`, and `done` after each line that it reads, with what tests of breakpoints do to it. */
export async function breakpointProgram(
  client: TestClient,
  home: TestHome,
  program: string,
  options: Readonly<Record<string, unknown>> = {},
) {
  const { sessionId } = await launch(client, home, program, { stdin: 'open', ...options });
  let { cursor } = await outputSeen(client, sessionId, 'ready');
  const place = async (...add: readonly unknown[]) =>
    client.ok('debug_breakpoint', { sessionId, add });
  const say = async (text: string): Promise<void> => {
    await client.ok('debug_session', { action: 'input', sessionId, text: `${text}\n` });
    ({ cursor } = await outputSeen(client, sessionId, 'done', cursor));
  };
  const end = async (): Promise<unknown> => {
    await client.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
    return exitOf(client, sessionId);
  };
  // All pages: how many hits fit into an answer depends on how many digits their times have.
  const hits = async (filter: Readonly<Record<string, unknown>> = {}) =>
    eventsOf(client, sessionId, { eventType: ['logpoint'], ...filter });
  return { sessionId, place, say, end, hits };
}
