import { expect } from 'vitest';
import type { TestClient } from './client.ts';
import { at, listAt, numberAt, textAt } from './read.ts';

/** A call as an `events` answer shows it. */
export interface SeenCall {
  readonly id: string;
  readonly function: string;
  /** Values by parameter name, as JSON. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly returns: unknown;
  readonly pid: number;
  readonly threadName: string;
  readonly parent: string | null;
  readonly durationNs: number | null;
  /** Of that: for how long it was suspended; absent: it was not. */
  readonly suspendedNs?: number;
  readonly end: string;
  /** `task first`. */
  readonly strand?: string;
}

/** All calls an `events` query finds, page by page, in the order answered. */
export async function callsOf(
  client: Pick<TestClient, 'ok'>,
  sessionId: string,
  query: Readonly<Record<string, unknown>> = {},
): Promise<SeenCall[]> {
  const asked = { eventType: ['call'], verbose: true, ...query };
  return (await eventsOf(client, sessionId, asked)).map(seenCall);
}

/** All events an `events` query finds, page by page, as answered; with a `limit` the first page alone. */
export async function eventsOf(
  client: Pick<TestClient, 'ok'>,
  sessionId: string,
  query: Readonly<Record<string, unknown>>,
): Promise<unknown[]> {
  const found: unknown[] = [];
  let cursor: string | null = null;
  do {
    const answer = await client.ok('debug_query', {
      view: 'events',
      sessionId,
      budget: 20_000,
      limit: 500,
      ...query,
      ...(cursor === null ? {} : { cursor }),
    });
    found.push(...listAt(answer.structured, 'events'));
    const next = at(answer.structured, 'cursor');
    cursor = at(answer.structured, 'hasMore') === true && typeof next === 'string' ? next : null;
  } while (cursor !== null && query['limit'] === undefined);
  return found;
}

function seenCall(event: unknown): SeenCall {
  const duration = at(event, 'durationNs');
  const suspended = at(event, 'suspendedNs');
  const parent = at(event, 'parentEventId');
  const given = at(event, 'arguments');
  const end = at(event, 'end');
  return {
    id: textAt(event, 'id'),
    function: textAt(event, 'functionName'),
    arguments:
      typeof given === 'object' && given !== null ? Object.fromEntries(Object.entries(given)) : {},
    returns: at(event, 'returnValue'),
    pid: Number(at(event, 'pid')),
    threadName: textAt(event, 'threadName'),
    parent: typeof parent === 'string' ? parent : null,
    durationNs: typeof duration === 'number' ? duration : null,
    ...(typeof suspended === 'number' ? { suspendedNs: suspended } : {}),
    end: typeof end === 'string' ? end : 'returned',
    ...strandOf(event),
  };
}

function strandOf(event: unknown): Pick<SeenCall, 'strand'> {
  const strand = at(event, 'strand');
  return typeof strand === 'string' ? { strand } : {};
}

/** Lines of a session's output, all pages. */
export async function linesOf(
  client: Pick<TestClient, 'ok'>,
  sessionId: string,
  query: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly stream: string; readonly text: string }[]> {
  const found: { stream: string; text: string }[] = [];
  let cursor: string | null = null;
  do {
    const answer = await client.ok('debug_query', {
      view: 'output',
      sessionId,
      budget: 20_000,
      limit: 500,
      ...query,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const line of listAt(answer.structured, 'lines')) {
      found.push({ stream: textAt(line, 'stream'), text: textAt(line, 'text') });
    }
    const next = at(answer.structured, 'cursor');
    cursor = at(answer.structured, 'hasMore') === true && typeof next === 'string' ? next : null;
  } while (cursor !== null);
  return found;
}

/** Fails unless every event that was seen is stored, lost or sampled. */
export function expectReconciled(counters: unknown): void {
  const parts = ['stored', 'lost', 'sampled'].map((part) => numberAt(counters, part));
  expect(parts.reduce((sum, count) => sum + count, 0)).toBe(numberAt(counters, 'seen'));
}
