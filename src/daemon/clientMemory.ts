import type { KnownSession } from '../model/session.ts';
import type { ToolAnswer } from './report/answers/answer.ts';
import { legendsIn } from './report/text/legends.ts';
import { lineKey } from './report/text/lineTwin.ts';

/** Sessions that are remembered; older ones are introduced again. */
const sessionsKept = 200;

/** What one client has read already, so that later answers need not repeat it. */
export class ClientMemory {
  /** In the order in which answers first showed them. */
  readonly #sessions = new Map<string, KnownSession>();
  #latest: string | null = null;
  #isInterleaved = false;

  /** What the client has read of a session; undefined: no answer has introduced it. */
  of(sessionId: string): KnownSession | undefined {
    return this.#sessions.get(sessionId);
  }

  /** The client went back to an older session: it works on several at a time, or several agents share it. */
  get isInterleaved(): boolean {
    return this.#isInterleaved;
  }

  /** Learns from an answer that was given. */
  learn({ structured, text }: ToolAnswer): void {
    const id = sessionOf(structured);
    if (id === null) return;
    const known = this.#sessions.get(id);
    if (known && this.#latest !== id) this.#isInterleaved = true;
    this.#latest = id;
    this.#sessions.set(id, {
      notes: new Set([...(known?.notes ?? []), ...notesOf(structured)]),
      lastLine: lastLineOf(structured) ?? known?.lastLine ?? null,
      legends: new Set([...(known?.legends ?? []), ...legendsIn(text)]),
    });
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > sessionsKept && oldest !== undefined) this.#sessions.delete(oldest);
  }
}

/** The session an answer is about; null: none, or several. */
export function sessionOf(structured: object): string | null {
  const id = at(structured, 'sessionId') ?? at(at(structured, 'session'), 'sessionId');
  return typeof id === 'string' ? id : null;
}

function notesOf(structured: object): string[] {
  const notes = at(structured, 'notes');
  return Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : [];
}

function lastLineOf(structured: object): string | null {
  const lines = at(structured, 'output') ?? at(structured, 'lines');
  const line: unknown = Array.isArray(lines) ? lines.at(-1) : null;
  const time = at(line, 'timestampNs');
  const text = at(line, 'text');
  return typeof time === 'number' && typeof text === 'string' ? lineKey(time, text) : null;
}

function at(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const members: Readonly<Record<string, unknown>> = { ...value };
  return members[name];
}
