import type { SessionNs } from '../../model/ids.ts';
import type { UnfinishedLine } from '../../model/questions/query.ts';
import type { Sqlite, Statement } from '../sqlite.ts';

/** A line longer than this is stored in pieces. */
export const maxLineBytes = 65536;

/** Output as it was read: whole lines or any part of them. */
export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr';
  readonly pid: number;
  readonly time: SessionNs;
  readonly bytes: Uint8Array;
}

type LineRow = [
  id: number,
  time: number,
  stream: number,
  pid: number,
  text: string,
  bytes: Buffer | null,
];

/** The line a stream is in the middle of. */
interface Unfinished {
  readonly id: number;
  readonly time: SessionNs;
  parts: Uint8Array[];
  size: number;
  changed: boolean;
  /** Characters in its row; null: it has none yet. */
  shown: number | null;
}

/** What a later writer needs to go on, beside the rows themselves. */
export interface OutputState {
  readonly nextId: number;
  readonly kept: number;
  readonly lines: number;
  readonly bytes: number;
  /** `tail`: the begin of a character that is not in the row yet, base64. */
  readonly unfinished: readonly {
    readonly id: number;
    readonly time: SessionNs;
    readonly stream: 'stdout' | 'stderr';
    readonly pid: number;
    readonly tail: string;
  }[];
}

export const streamCode = { stdout: 1, stderr: 2 } as const;
const NEWLINE = 10;
const RETURN = 13;

/**
 * Cuts output into lines. A line gets its id and time with its first byte; while it is
 * unfinished each commit shows what is there, and its end replaces that row.
 */
export class OutputLines {
  readonly #insert: Statement<LineRow>;
  readonly #insertText: Statement<[id: number, text: string]>;
  readonly #replace: Statement<LineRow>;
  readonly #replaceText: Statement<[id: number, text: string]>;
  readonly #dropLines: Statement<[before: number]>;
  readonly #dropText: Statement<[before: number]>;
  readonly #oldest: Statement<[], { id: number; time_ns: number; bytes: number }>;
  readonly #shown: Statement<[id: number], { text: string; bytes: Buffer | null }>;
  readonly #strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #lenient = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #unfinished = new Map<string, { chunk: OutputChunk; line: Unfinished }>();
  readonly #maxBytes: number;
  readonly #terminal: boolean;
  #nextId = 1;
  #kept = 0;
  lines = 0;
  bytes = 0;

  /** `terminal`: lines end with CR LF. */
  constructor(db: Sqlite, maxBytes: number, terminal: boolean) {
    this.#maxBytes = maxBytes;
    this.#terminal = terminal;
    this.#insert = db.prepare('INSERT INTO output VALUES (?, ?, ?, ?, ?, ?)');
    this.#insertText = db.prepare('INSERT INTO output_text (rowid, text) VALUES (?, ?)');
    this.#replace = db.prepare('REPLACE INTO output VALUES (?, ?, ?, ?, ?, ?)');
    this.#replaceText = db.prepare('REPLACE INTO output_text (rowid, text) VALUES (?, ?)');
    this.#dropLines = db.prepare('DELETE FROM output WHERE id < ?');
    this.#dropText = db.prepare('DELETE FROM output_text WHERE rowid < ?');
    this.#shown = db.prepare('SELECT text, bytes FROM output WHERE id = ?');
    this.#oldest = db.prepare(
      'SELECT id, time_ns, coalesce(length(bytes), octet_length(text)) AS bytes FROM output ORDER BY id LIMIT 10000',
    );
  }

  /** After `write`. */
  state(): OutputState {
    const unfinished = [...this.#unfinished.values()].map(({ chunk, line }) => {
      const bytes = joined(line.parts);
      const tail = Buffer.from(bytes.subarray(bytes.length - brokenTail(bytes))).toString('base64');
      return { id: line.id, time: line.time, stream: chunk.stream, pid: chunk.pid, tail };
    });
    const { lines, bytes } = this;
    return { nextId: this.#nextId, kept: this.#kept, lines, bytes, unfinished };
  }

  /** Goes on where an earlier writer of the file ended. */
  continueFrom(state: OutputState): void {
    this.#nextId = state.nextId;
    this.#kept = state.kept;
    this.lines = state.lines;
    this.bytes = state.bytes;
    for (const { id, time, stream, pid, tail } of state.unfinished) {
      const shown = this.#shown.get(id);
      const parts = [shown?.bytes ?? Buffer.from(shown?.text ?? ''), Buffer.from(tail, 'base64')];
      const size = parts.reduce((sum, part) => sum + part.length, 0);
      const line: Unfinished = {
        id,
        time,
        parts,
        size,
        changed: true,
        shown: shown?.text.length ?? null,
      };
      const chunk = { stream, pid, time, bytes: new Uint8Array(0) };
      this.#unfinished.set(`${stream} ${pid}`, { chunk, line });
    }
  }

  append(chunk: OutputChunk): void {
    this.bytes += chunk.bytes.length;
    this.#kept += chunk.bytes.length;
    const key = `${chunk.stream} ${chunk.pid}`;
    const { bytes } = chunk;
    let from = 0;
    while (from < bytes.length) {
      const line = this.#unfinished.get(key)?.line ?? this.#begin(chunk, key);
      const room = maxLineBytes - line.size;
      const newline = bytes.indexOf(NEWLINE, from);
      const lineEnd = newline < 0 ? bytes.length : newline;
      if (lineEnd - from > room) {
        from = this.#fill(line, bytes, from, from + room);
        this.#finish(chunk, key, line);
        continue;
      }
      from = this.#fill(line, bytes, from, lineEnd);
      if (newline >= 0) {
        from++;
        if (this.#terminal) dropReturn(line);
        this.#finish(chunk, key, line);
      }
    }
  }

  /** Lines that something may be added to, as they are shown. */
  get unfinished(): readonly UnfinishedLine[] {
    return [...this.#unfinished.values()]
      .map(({ line: { id, time, shown } }) => ({ id, time, length: shown ?? 0 }))
      .toSorted((a, b) => a.id - b.id);
  }

  /** Shows the lines which are not finished yet. */
  write(): void {
    for (const { chunk, line } of this.#unfinished.values()) {
      if (!line.changed) continue;
      line.changed = false;
      const bytes = joined(line.parts);
      this.#store(chunk, line, bytes.subarray(0, bytes.length - brokenTail(bytes)));
    }
  }

  /** Nothing follows: what could have begun a character is no part of one. */
  end(): void {
    for (const { chunk, line } of this.#unfinished.values())
      this.#store(chunk, line, joined(line.parts));
    this.#unfinished.clear();
  }

  /** Removes the oldest lines while more is kept than allowed; tells how many and until when. */
  trim(): { lines: number; untilNs: SessionNs } {
    let lines = 0;
    let untilNs = 0;
    while (this.#kept > this.#maxBytes) {
      const oldest = this.#oldest.all();
      let before = 0;
      for (const row of oldest) {
        if (this.#kept <= this.#maxBytes) break;
        this.#kept -= row.bytes + 1;
        lines++;
        untilNs = row.time_ns;
        before = row.id + 1;
      }
      if (before === 0) break;
      this.#dropLines.run(before);
      this.#dropText.run(before);
    }
    this.lines -= lines;
    return { lines, untilNs };
  }

  #begin(chunk: OutputChunk, key: string): Unfinished {
    const line: Unfinished = {
      id: this.#nextId++,
      time: chunk.time,
      parts: [],
      size: 0,
      changed: true,
      shown: null,
    };
    this.lines++;
    this.#unfinished.set(key, { chunk: { ...chunk, bytes: new Uint8Array(0) }, line });
    return line;
  }

  #fill(line: Unfinished, bytes: Uint8Array, from: number, to: number): number {
    if (to > from) line.parts.push(bytes.slice(from, to));
    line.size += to - from;
    line.changed = true;
    return to;
  }

  #finish(chunk: OutputChunk, key: string, line: Unfinished): void {
    this.#unfinished.delete(key);
    const bytes = joined(line.parts);
    const tail = line.size >= maxLineBytes ? brokenTail(bytes) : 0;
    this.#store(chunk, line, bytes.subarray(0, bytes.length - tail));
    if (tail === 0) return;
    const rest = this.#begin(chunk, key);
    this.#fill(rest, bytes, bytes.length - tail, bytes.length);
  }

  #store(chunk: OutputChunk, line: Unfinished, bytes: Uint8Array): void {
    const { text, isValid } = this.#decode(bytes);
    const raw = isValid ? null : Buffer.from(bytes);
    const row: LineRow = [line.id, line.time, streamCode[chunk.stream], chunk.pid, text, raw];
    (line.shown === null ? this.#insert : this.#replace).run(...row);
    (line.shown === null ? this.#insertText : this.#replaceText).run(line.id, text);
    line.shown = text.length;
  }

  #decode(bytes: Uint8Array): { text: string; isValid: boolean } {
    try {
      return { text: this.#strict.decode(bytes), isValid: true };
    } catch {
      // Not UTF-8: the raw bytes are kept beside the readable form.
      return { text: this.#lenient.decode(bytes), isValid: false };
    }
  }
}

/** The carriage return a terminal puts before a newline. */
function dropReturn(line: Unfinished): void {
  const last = line.parts.at(-1);
  if (last?.at(-1) !== RETURN) return;
  line.parts[line.parts.length - 1] = last.subarray(0, -1);
  line.size--;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only ? only : Buffer.concat(parts);
}

/** Bytes at the end that begin a UTF-8 character which is not complete (RFC 3629 §3). */
function brokenTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const need = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return need > back ? back : 0;
  }
  return 0;
}
