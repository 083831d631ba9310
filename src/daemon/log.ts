import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { wallMs } from '../base/clock.ts';
import { secretIn, secretNames } from '../model/values/redaction.ts';

/** Who is talking. */
export type LogTag =
  | 'daemon'
  | 'rpc'
  | 'mcp'
  | 'session'
  | 'frida'
  | 'store'
  | 'symbols'
  | 'run'
  | 'settings'
  | 'tests';

const order = { error: 0, warn: 1, info: 2, debug: 3 } as const;
export type LogLevel = keyof typeof order;
export type LogFields = Readonly<Record<string, unknown>>;

/** Longest text of one field; payloads are cut before they are written. */
const longestField = 2000;

/** Lines kept in memory. */
const recentLines = 200;

/**
 * The daemon's log: JSON lines, 0600, put aside as `<file>.1` when it has grown to its limit.
 * Writing never throws: a full disk must not end the daemon.
 */
export class Log {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #levels: ReadonlyMap<string, number>;
  #fd: number;
  #bytes: number;
  #recent: string[] = [];

  private constructor(path: string, fd: number, options: { levels: string; maxBytes: number }) {
    this.#path = path;
    this.#fd = fd;
    this.#bytes = fstatSync(fd).size;
    this.#maxBytes = options.maxBytes;
    this.#levels = readLevels(options.levels);
  }

  /** `levels`: as the setting `log.levels`. */
  static open(path: string, options: { levels: string; maxBytes: number }): Log {
    return new Log(path, openSync(path, 'a', 0o600), options);
  }

  error(tag: LogTag, msg: string, fields: LogFields = {}): void {
    this.#write('error', tag, msg, fields);
  }

  warn(tag: LogTag, msg: string, fields: LogFields = {}): void {
    this.#write('warn', tag, msg, fields);
  }

  info(tag: LogTag, msg: string, fields: LogFields = {}): void {
    this.#write('info', tag, msg, fields);
  }

  debug(tag: LogTag, msg: string, fields: LogFields = {}): void {
    this.#write('debug', tag, msg, fields);
  }

  /** The last lines, oldest first. */
  get recent(): readonly string[] {
    return this.#recent;
  }

  close(): void {
    closeSync(this.#fd);
    this.#fd = -1;
  }

  #write(level: LogLevel, tag: LogTag, msg: string, fields: LogFields): void {
    const wanted = this.#levels.get(tag) ?? this.#levels.get('') ?? order.info;
    if (order[level] > wanted || this.#fd < 0) return;
    const line = JSON.stringify({
      t: new Date(wallMs()).toISOString(),
      level,
      tag,
      msg: cut(msg),
      ...shortened(fields),
    });
    this.#recent.push(line);
    if (this.#recent.length > recentLines) this.#recent.shift();
    try {
      if (this.#bytes > this.#maxBytes) this.#rotate();
      this.#bytes += writeSync(this.#fd, `${line}\n`);
    } catch {
      // There is nowhere left to say it; the line stays in `recent`.
    }
  }

  #rotate(): void {
    renameSync(this.#path, `${this.#path}.1`);
    const fd = openSync(this.#path, 'a', 0o600);
    closeSync(this.#fd);
    this.#fd = fd;
    this.#bytes = 0;
  }
}

function readLevels(text: string): Map<string, number> {
  const levels = new Map<string, number>();
  for (const part of text.split(',')) {
    const [tag, level] = part.includes('=') ? part.split('=') : ['', part];
    const rank = Object.entries(order).find(([name]) => name === level)?.[1];
    if (tag !== undefined && rank !== undefined) levels.set(tag, rank);
  }
  return levels;
}

function shortened(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, plain(value)]));
}

function plain(value: unknown): unknown {
  if (value instanceof Error) return cut(value.stack ?? value.message);
  if (typeof value === 'string') return cut(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  return cut(
    JSON.stringify(value, (key, member: unknown) => {
      if (typeof member === 'bigint') return String(member);
      const isText = typeof member === 'string' || typeof member === 'number';
      return isText && secretIn(key, secretNames) !== null ? '<redacted>' : member;
    }),
  );
}

function cut(text: string): string {
  return text.length > longestField
    ? `${text.slice(0, longestField)}… (${text.length} characters)`
    : text;
}
