import { listMember, member, textMember } from '../../../src/client/messages.ts';
import type { SessionRow } from './sessionRows.ts';
import type { StrobeServer } from './strobeServer.ts';

/** A variable or memory with its value as it was read last. */
export interface WatchedValue {
  readonly session: SessionRow;
  readonly expression: string;
  /** `2500`, `{id=2, cents=250}`; null: it cannot be read now. */
  readonly value: string | null;
  /** Its type, or why it cannot be read. */
  readonly about: string;
  /** It was another one when it was read before. */
  readonly isChanged: boolean;
  /** The session samples it at calls of these functions; null: only the person watches it. */
  readonly sampledAt: string | null;
}

/** Places that one request reads. */
const mostPlaces = 16;

/** What the person watches, and what sessions watch, read from running programs without stopping them. */
export class WatchedValues {
  readonly #server: StrobeServer;
  readonly #before = new Map<string, string>();

  constructor(server: StrobeServer) {
    this.#server = server;
  }

  /** The values of all these in each session that runs, then the watches of the session itself. */
  async read(
    sessions: readonly SessionRow[],
    expressions: readonly string[],
  ): Promise<WatchedValue[]> {
    const live = sessions.filter((session) => session.isLive);
    const found = await Promise.all(live.map(async (session) => this.#of(session, expressions)));
    return found.flat();
  }

  /** Sets it, also in the program of another client: the person decides. Throws StrobeFailure. */
  async set(sessionId: string, expression: string, value: string): Promise<string | null> {
    const step = { write: expression, value };
    const asked = { sessionId, do: [step], takeOver: true };
    const { body } = await this.#server.call('debug_memory', asked);
    return textMember(listMember(body, 'results')[0], 'why') || null;
  }

  async #of(session: SessionRow, expressions: readonly string[]): Promise<WatchedValue[]> {
    const sampled = await this.#sampled(session.id);
    const own = expressions.filter((expression) => !sampled.has(expression));
    const all = [...own, ...sampled.keys()];
    const values: WatchedValue[] = [];
    for (let n = 0; n < all.length; n += mostPlaces) {
      const places = all.slice(n, n + mostPlaces);
      const steps = places.map((read) => ({ read }));
      const asked = { sessionId: session.id, do: steps };
      const results = await this.#server
        .call('debug_memory', asked)
        .then(({ body }) => listMember(body, 'results'))
        .catch((error: unknown) => places.map(() => ({ why: wordsOf(error) })));
      for (const [at, expression] of places.entries())
        values.push(this.#value(session, expression, results[at], sampled.get(expression)));
    }
    return values;
  }

  #value(
    session: SessionRow,
    expression: string,
    result: unknown,
    sampledAt: string | undefined,
  ): WatchedValue {
    const shown = member(result, 'value');
    const value = typeof shown === 'string' ? shown : null;
    const key = `${session.id} ${expression}`;
    const before = this.#before.get(key);
    if (value !== null) this.#before.set(key, value);
    return {
      session,
      expression,
      value,
      about: textMember(result, value === null ? 'why' : 'type'),
      isChanged: before !== undefined && value !== null && before !== value,
      sampledAt: sampledAt ?? null,
    };
  }

  /** The watches of a session with the functions at whose calls they are sampled. */
  async #sampled(sessionId: string): Promise<ReadonlyMap<string, string>> {
    const answer = await this.#server.call('debug_trace', { sessionId }).catch(() => null);
    return new Map(
      listMember(answer?.body, 'activeWatches').map((one) => [
        textMember(one, 'expr', textMember(one, 'label')),
        textMember(one, 'on', 'traced functions'),
      ]),
    );
  }
}

/** Bytes of a program from a place on, as they are now. */
export interface ShownBytes {
  /** `0x55e27a82a030`; empty: they cannot be read. */
  readonly address: string;
  /** Two digits each. */
  readonly bytes: string;
  readonly why: string;
}

/** Reads the bytes where a variable or an address leads, so many behind it. */
export async function readBytes(
  server: StrobeServer,
  sessionId: string,
  { place, bytes }: { readonly place: string; readonly bytes: number },
): Promise<ShownBytes> {
  const asked = { sessionId, do: [{ read: place, bytes }] };
  const [result] = await server
    .call('debug_memory', asked)
    .then(({ body }) => listMember(body, 'results'))
    .catch((error: unknown) => [{ why: wordsOf(error) }]);
  const shown = textMember(result, 'bytes');
  const why = textMember(result, 'why', shown === '' ? 'It cannot be read.' : '');
  return { address: textMember(result, 'address'), bytes: shown, why };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
