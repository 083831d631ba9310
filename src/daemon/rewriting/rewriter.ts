import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RewriteRequest } from '../../protocol/nodeTracer.ts';

/** Answers that are kept in memory, in characters. */
const MOST_KEPT = 64 << 20;
/** Of what rewriting gives: another form has other files. */
const FORM = 1;

/** Rewrites modules in a thread of its own, each content once: answers are kept in a folder. */
export class Rewriter {
  readonly #workerPath: string;
  readonly #folder: string;
  #worker: Worker | null = null;
  readonly #waiting: ((answer: string) => void)[] = [];
  readonly #answers = new Map<string, Promise<string>>();
  #kept = 0;

  constructor(workerPath: string, folder: string) {
    this.#workerPath = workerPath;
    this.#folder = folder;
  }

  /** JSON of a `RewriteAnswer`. */
  async rewrite(request: RewriteRequest): Promise<string> {
    // The files that a text with a map was made of may change.
    if (request.sites !== undefined || request.text.includes('sourceMappingURL'))
      return await this.#ask(request);
    const key = keyOf(request);
    const known = this.#answers.get(key);
    if (known) return await known;
    const answer = this.#read(key, request);
    this.#answers.set(key, answer);
    try {
      const text = await answer;
      this.#kept += text.length;
      if (this.#kept > MOST_KEPT) {
        this.#answers.clear();
        this.#kept = 0;
      }
      return text;
    } catch (error) {
      this.#answers.delete(key);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #read(key: string, request: RewriteRequest): Promise<string> {
    const path = join(this.#folder, key.slice(0, 2), key);
    try {
      return await readFile(path, 'utf8');
    } catch {
      const answer = await this.#ask(request);
      await keep(path, answer);
      return answer;
    }
  }

  async #ask(request: RewriteRequest): Promise<string> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return await new Promise((resolve) => {
      this.#waiting.push(resolve);
      worker.postMessage(request);
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#workerPath);
    worker.unref();
    worker.on('message', (answer: string) => this.#waiting.shift()?.(answer));
    worker.on('error', (error) => this.#fail(String(error)));
    return worker;
  }

  /** What it was asked is left as it is; the next request starts another. */
  #fail(why: string): void {
    this.#worker = null;
    for (const answer of this.#waiting.splice(0))
      answer(JSON.stringify({ why: `it could not be rewritten: ${why}` }));
  }
}

function keyOf({ path, format, text, isLive = false, mapFor }: RewriteRequest): string {
  return (
    createHash('sha1')
      .update(`${FORM} ${format} ${isLive ? 'live ' : ''}${extname(path)}\n`)
      // A map names its file.
      .update(mapFor === undefined ? '' : `${mapFor} ${path}\n`)
      .update(text)
      .digest('hex')
  );
}

/** A cache that cannot be written is none. */
async function keep(path: string, answer: string): Promise<void> {
  const draft = `${path}.${process.pid}.partial`;
  try {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    await writeFile(draft, answer, { mode: 0o600 });
    await rename(draft, path);
  } catch {
    // Then it is rewritten again.
  }
}
