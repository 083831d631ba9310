import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RewriteRequest } from '../../protocol/nodeTracer.ts';
import { areAsBefore } from '../../symbols/javascript/stampedSources.ts';
import type { DefinedInSource } from '../../symbols/sourceLanguage.ts';
import type {
  FunctionsAnswer,
  FunctionsRequest,
  Rewriting,
  RewritingTask,
} from './rewriteWorker.ts';

type Request = RewriteRequest | FunctionsRequest;

/** Answers that are kept in memory, in characters. */
const MOST_KEPT = 64 << 20;
/** Of what rewriting gives: another form has other files. */
const FORM = 4;

/** Reads and rewrites modules in a thread of its own, each content once: answers are kept in a folder. */
export class Rewriter {
  readonly #workerPath: string;
  readonly #folder: string;
  #worker: Worker | null = null;
  readonly #waiting: ((made: Rewriting) => void)[] = [];
  readonly #answers = new Map<string, Promise<Rewriting>>();
  #kept = 0;

  constructor(workerPath: string, folder: string) {
    this.#workerPath = workerPath;
    this.#folder = folder;
  }

  /** JSON of a `RewriteAnswer`. */
  async rewrite(request: RewriteRequest): Promise<string> {
    return request.sites === undefined
      ? await this.#answer(request)
      : (await this.#ask({ request, keptAt: null })).answer;
  }

  /** The functions of a source file. Throws for a text that cannot be read. */
  async functions(text: string, path: string): Promise<readonly DefinedInSource[]> {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- by our own worker
    const answer = JSON.parse(
      await this.#answer({ path, text, format: 'source' }),
    ) as FunctionsAnswer;
    if ('why' in answer) throw new Error(answer.why);
    return answer.functions;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #answer(request: Request): Promise<string> {
    const key = keyOf(request);
    const known = this.#answers.get(key);
    if (known) {
      const { answer, sources } = await known;
      if (sources !== null && areAsBefore(sources)) return answer;
    }
    const made = this.#read(key, request);
    this.#answers.set(key, made);
    try {
      const { answer } = await made;
      this.#kept += answer.length;
      if (this.#kept > MOST_KEPT) {
        this.#answers.clear();
        this.#kept = 0;
      }
      return answer;
    } catch (error) {
      this.#answers.delete(key);
      throw error;
    }
  }

  async #read(key: string, request: Request): Promise<Rewriting> {
    const keptAt = join(this.#folder, key.slice(0, 2), key);
    return keptRewriting(keptAt) ?? (await this.#ask({ request, keptAt }));
  }

  async #ask(task: RewritingTask): Promise<Rewriting> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return await new Promise((resolve) => {
      this.#waiting.push(resolve);
      worker.postMessage(task);
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#workerPath);
    worker.unref();
    worker.on('message', (made: Rewriting) => this.#waiting.shift()?.(made));
    worker.on('error', (error) => this.#fail(String(error)));
    return worker;
  }

  /** What it was asked is left as it is; the next request starts another. */
  #fail(why: string): void {
    this.#worker = null;
    const answer = JSON.stringify({ why: `it could not be rewritten: ${why}` });
    for (const resolve of this.#waiting.splice(0)) resolve({ answer, sources: null });
  }
}

function keyOf(request: Request): string {
  const { path, format, text } = request;
  const { isLive = false, mapFor, probes } = format === 'source' ? {} : request;
  return (
    createHash('sha1')
      .update(`${FORM} ${format} ${isLive ? 'live ' : ''}${extname(path)}\n`)
      .update(probes === undefined ? '' : `${JSON.stringify(probes)} `)
      // A map names its file, and its sources by their way from there.
      .update(mapFor === undefined ? '' : `${mapFor} `)
      .update(mapFor !== undefined || text.includes('sourceMappingURL=') ? `${path}\n` : '')
      .update(text)
      .digest('hex')
  );
}

/** Null: there is none, or what it was made of has changed. */
function keptRewriting(path: string): Rewriting | null {
  try {
    // Small, and in the kernel's cache: threads that read it for this one would take far longer.
    const text = readFileSync(path, 'utf8');
    const at = text.indexOf('\n');
    // oxlint-disable-next-line typescript/consistent-type-assertions -- a file of our own form
    const sources = JSON.parse(text.slice(0, at)) as NonNullable<Rewriting['sources']>;
    return areAsBefore(sources) ? { answer: text.slice(at + 1), sources } : null;
  } catch {
    return null;
  }
}
