import { listMember } from '../../../src/client/messages.ts';
import { duration, stamp } from '../../../src/daemon/report/text/timeText.ts';
import { sourcePlace, type SourcePlace } from './sourcePlace.ts';
import type { StrobeServer } from './strobeServer.ts';
import { callText } from './tracedLines.ts';

/** A call as the timeline shows it. */
export interface TimelineRow {
  readonly at: string;
  readonly depth: number;
  readonly name: string;
  readonly values: string;
  readonly took: string;
  readonly place: SourcePlace | null;
}

/** Rows of one answer. */
export const pageRows = 100;
const mostAnchors = 500;
const budget = 50_000;

/**
 * All calls of a session in order of time, by their number. Any page is found quickly among millions of calls: every
 * n-th call's time is known, and a page is asked for from the one before it.
 */
export class CallTimeline {
  readonly #server: StrobeServer;
  readonly #session: { readonly id: string; readonly projectRoot: string };
  total = 0;
  #stride = 1;
  #anchors: readonly number[] = [];

  constructor(
    server: StrobeServer,
    session: { readonly id: string; readonly projectRoot: string },
  ) {
    this.#server = server;
    this.#session = session;
  }

  /** Counts the calls that are there now. */
  async refresh(): Promise<number> {
    const [first] = await this.#ask('SELECT count(*) FROM calls', [], 1);
    this.total = Number(first?.[0] ?? 0);
    this.#stride = Math.max(pageRows, Math.ceil(this.total / (mostAnchors - 1)));
    const anchors = await this.#ask(
      'SELECT timestamp_ns FROM (SELECT timestamp_ns, row_number() OVER (ORDER BY timestamp_ns) AS n FROM calls) WHERE n % ? = 1 ORDER BY 1',
      [this.#stride],
      mostAnchors,
    );
    this.#anchors = anchors.map(([time]) => Number(time));
    return this.total;
  }

  /** The calls from this number on. */
  async page(from: number, count = pageRows): Promise<TimelineRow[]> {
    const anchor = Math.floor(from / this.#stride);
    const start = this.#anchors[anchor] ?? 0;
    const end = this.#anchors[anchor + 2] ?? Number.MAX_SAFE_INTEGER;
    const rows = await this.#ask(
      "SELECT timestamp_ns, depth, function_name, arguments, return_value, duration_ns, source_file, line_number FROM calls('', ?, ?) ORDER BY timestamp_ns LIMIT ? OFFSET ?",
      [start, end, count, from - anchor * this.#stride],
      count,
    );
    return rows.map((row) => this.#row(row));
  }

  #row(row: readonly unknown[]): TimelineRow {
    const [time, depth, name, passed, returned, took, file, line] = row;
    return {
      at: stamp(Number(time), 6),
      depth: Number(depth),
      name: String(name),
      values: callText(passed, returned),
      took: typeof took === 'number' ? duration(took) : 'runs',
      place: sourcePlace(`${String(file)}:${String(line)}`, this.#session.projectRoot),
    };
  }

  async #ask(sql: string, params: readonly number[], limit: number) {
    const asked = { view: 'sql', sessionId: this.#session.id, sql, params, limit, budget };
    const { body } = await this.#server.call('debug_query', asked);
    return listMember(body, 'rows').map((row): readonly unknown[] =>
      Array.isArray(row) ? row : [],
    );
  }
}
