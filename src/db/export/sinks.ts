import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { StrobeError } from '../../model/errors.ts';
import type { ExportTarget } from './exportMessages.ts';
import type { Piece } from './port.ts';

/** Where pieces go; they may be kept until `flush`. */
export interface Sink {
  readonly bytes: number;
  add(piece: Piece): void;
  flush(): Promise<void>;
  /** After the last piece. */
  finish(): Promise<readonly string[]>;
  /** However it ended. */
  close(): void;
}

const CHUNK = 1 << 20;
/** Bytes of a character of JavaScript's at most. */
const WIDEST = 3;

export function sinkFor(target: ExportTarget): Sink {
  return target.kind === 'file' ? new FileSink(target.path) : new CollectorSink(target.url);
}

/** Throws EXPORT_FAILED when the file takes no more. */
class FileSink implements Sink {
  readonly #file: number;
  /** Texts become bytes at once: as many small ones that live on they cost a third of the whole time. */
  readonly #chunk = Buffer.allocUnsafe(CHUNK);
  #filled = 0;
  bytes = 0;

  constructor(path: string) {
    this.#file = writing(() => openSync(path, 'r+'));
  }

  add(piece: Piece): void {
    if (piece.length === 0) return;
    const most = typeof piece === 'string' ? piece.length * WIDEST : piece.length;
    if (this.#filled + most > CHUNK) this.#writeChunk();
    if (most > CHUNK) this.#write(typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece);
    else if (typeof piece === 'string') this.#filled += this.#chunk.write(piece, this.#filled);
    else {
      this.#chunk.set(piece, this.#filled);
      this.#filled += piece.length;
    }
  }

  flush(): Promise<void> {
    this.#writeChunk();
    return Promise.resolve();
  }

  finish(): Promise<readonly string[]> {
    this.#writeChunk();
    writing(() => fsyncSync(this.#file));
    return Promise.resolve([]);
  }

  close(): void {
    closeSync(this.#file);
  }

  #writeChunk(): void {
    this.#write(this.#chunk.subarray(0, this.#filled));
    this.#filled = 0;
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      at += writing(() => writeSync(this.#file, bytes, at));
    }
    this.bytes += bytes.length;
  }
}

function writing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new StrobeError('EXPORT_FAILED', error instanceof Error ? error.message : String(error));
  }
}

/** A request may take this long. */
const REQUEST_MS = 10_000;
const TRIES = 5;
/** Answers after which the same request may be made again (OTLP, "Failures"). */
const retryable = new Set([429, 502, 503, 504]);

/** Sends each line as one request, one after the other. Throws EXPORT_FAILED when one is refused. */
class CollectorSink implements Sink {
  readonly #url: string;
  #begun = '';
  #requests: string[] = [];
  #rejected = 0;
  #why = '';
  bytes = 0;

  constructor(url: string) {
    this.#url = url;
  }

  add(piece: Piece): void {
    const text = typeof piece === 'string' ? piece : Buffer.from(piece).toString();
    const [rest = '', ...lines] = text.split('\n').toReversed();
    for (const line of lines.toReversed()) {
      this.#requests.push(`${this.#begun}${line}\n`);
      this.#begun = '';
    }
    this.#begun += rest;
  }

  async flush(): Promise<void> {
    for (const request of this.#requests.splice(0)) await this.#send(Buffer.from(request));
  }

  async finish(): Promise<readonly string[]> {
    await this.flush();
    const why = this.#why === '' ? '' : `: ${this.#why}`;
    return this.#rejected === 0 ? [] : [`The collector rejected ${this.#rejected} spans${why}`];
  }

  close(): void {
    this.#requests = [];
  }

  async #send(body: Buffer): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const { status, text } = await this.#post(body);
      if (status >= 200 && status < 300) {
        this.bytes += body.length;
        this.#countRejected(text);
        return;
      }
      if (!retryable.has(status) || attempt === TRIES) {
        throw refused(`${this.#url} answered ${status}: ${text.slice(0, 300)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
    }
  }

  async #post(body: Buffer): Promise<{ status: number; text: string }> {
    try {
      const answer = await fetch(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new Uint8Array(body),
        redirect: 'error',
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      const why = cause instanceof Error ? cause.message || cause.name : String(cause);
      throw refused(`${this.#url} cannot be reached: ${why}`);
    }
  }

  /** A 2xx answer may still leave spans out (ExportTracePartialSuccess). */
  #countRejected(text: string): void {
    const found = /"rejectedSpans"\s*:\s*"?(\d+)/.exec(text);
    if (!found || Number(found[1]) === 0) return;
    this.#rejected += Number(found[1]);
    this.#why = /"errorMessage"\s*:\s*"([^"]{0,200})/.exec(text)?.[1] ?? this.#why;
  }
}

function refused(message: string): StrobeError {
  return new StrobeError(
    'EXPORT_FAILED',
    message,
    'Spans sent before it stay there; sending again gives the same span ids. Check that a collector takes OTLP/HTTP (JSON) at that address.',
  );
}
