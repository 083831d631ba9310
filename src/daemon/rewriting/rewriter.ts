import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { answerHead } from '../../protocol/keptAnswers.ts';
import type { RewriteRequest } from '../../protocol/nodeTracer.ts';
import { areAsBefore } from '../../symbols/javascript/stampedSources.ts';
import type { DefinedInSource } from '../../symbols/sourceLanguage.ts';
import { AnswerLog, type Rewriting } from './answerLog.ts';
import type { FunctionsAnswer, FunctionsRequest, RewritingTask } from './rewriteWorker.ts';

type Request = RewriteRequest | FunctionsRequest;

/** Answers that are kept in memory, in characters. */
const MOST_KEPT = 64 << 20;

/** Reads and rewrites modules in a thread of its own, each content once: answers are kept in a file. */
export class Rewriter {
  readonly #workerPath: string;
  readonly #folder: string;
  #log: AnswerLog | null | undefined;
  #worker: Worker | null = null;
  readonly #waiting: ((made: Rewriting) => void)[] = [];
  readonly #answers = new Map<string, Promise<Rewriting>>();
  #kept = 0;
  /** Sent together: each message costs more than what it holds. */
  #unsent: RewritingTask[] = [];

  constructor(workerPath: string, folder: string) {
    this.#workerPath = workerPath;
    this.#folder = folder;
  }

  /** JSON of a `RewriteAnswer`. */
  async rewrite(request: RewriteRequest): Promise<string> {
    return request.sites === undefined
      ? await this.#answer(request)
      : (await this.#ask({ request, key: null })).answer;
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
    this.#log?.close();
    this.#log = null;
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
        this.#log?.scan();
      }
      return answer;
    } catch (error) {
      this.#answers.delete(key);
      throw error;
    }
  }

  async #read(key: string, request: Request): Promise<Rewriting> {
    if (this.#log === undefined) this.#log = AnswerLog.open(this.#folder);
    return this.#log?.find(key) ?? (await this.#ask({ request, key }));
  }

  async #ask(task: RewritingTask): Promise<Rewriting> {
    return await new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#unsent.push(task);
      if (this.#unsent.length === 1) setImmediate(() => this.#send());
    });
  }

  #send(): void {
    const tasks = this.#unsent.splice(0);
    if (tasks.length === 0) return;
    this.#worker ??= this.#start();
    this.#worker.postMessage(tasks);
  }

  #start(): Worker {
    const worker = new Worker(this.#workerPath, { workerData: this.#folder });
    worker.unref();
    worker.on('message', (made: readonly Rewriting[]) => {
      for (const one of made) this.#waiting.shift()?.(one);
    });
    worker.on('error', (error) => this.#fail(String(error)));
    return worker;
  }

  /** What it was asked is left as it is; the next request starts another. */
  #fail(why: string): void {
    this.#worker = null;
    this.#unsent = [];
    const answer = JSON.stringify({ why: `it could not be rewritten: ${why}` });
    for (const resolve of this.#waiting.splice(0)) resolve({ answer, sources: null });
  }
}

function keyOf(request: Request): string {
  return createHash('sha1').update(answerHead(request)).update(request.text).digest('hex');
}
