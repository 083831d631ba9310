import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { DapFrames, framed } from '../../../base/dap/dapFrames.ts';
import { within } from '../../../base/deadline.ts';

const answer = z.looseObject({
  type: z.literal('response'),
  request_seq: z.number(),
  success: z.boolean(),
  message: z.string().optional(),
  body: z.unknown().optional(),
});
const event = z.looseObject({
  type: z.literal('event'),
  event: z.string(),
  body: z.unknown().optional(),
});
const said = z.looseObject({ error: z.looseObject({ format: z.string() }) });

/** An adapter refused a request, does not answer, or has ended. */
export class DapError extends Error {}

const answerMs = 10_000;

interface Waiting {
  readonly take: (body: unknown) => void;
  readonly refuse: (error: DapError) => void;
}

/** A connection to a debug adapter. What it sends is another program's: all of it is checked. */
export class DapLink {
  /** Resolves when the adapter writes nothing more. */
  readonly closed: Promise<void>;
  readonly #output: Writable;
  readonly #onEvent: (name: string, body: unknown) => void;
  readonly #frames = new DapFrames();
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;
  #isClosed = false;

  constructor(input: Readable, output: Writable, onEvent: (name: string, body: unknown) => void) {
    this.#output = output;
    this.#onEvent = onEvent;
    output.on('error', () => undefined); // The end of the input tells the same.
    this.closed = this.#readAll(input);
  }

  /** The body of the answer. Throws DapError. */
  async ask<T>(
    command: string,
    args: Readonly<Record<string, unknown>>,
    body: z.ZodType<T>,
    limitMs = answerMs,
  ): Promise<T> {
    if (this.#isClosed) throw new DapError('it has ended');
    const seq = this.#next++;
    const answered = new Promise<unknown>((take, refuse) =>
      this.#waiting.set(seq, { take, refuse }),
    );
    this.#output.write(framed({ seq, type: 'request', command, arguments: args }));
    const late = (): DapError =>
      new DapError(`it did not answer "${command}" within ${limitMs / 1000} s`);
    try {
      const read = body.safeParse(await within(limitMs, answered, late));
      if (!read.success) throw new DapError(`its answer to "${command}" cannot be read`);
      return read.data;
    } finally {
      this.#waiting.delete(seq);
    }
  }

  /** Asks what is answered by nothing of interest. Throws DapError. */
  async tell(
    command: string,
    args: Readonly<Record<string, unknown>>,
    limitMs?: number,
  ): Promise<void> {
    await this.ask(command, args, z.unknown(), limitMs);
  }

  end(): void {
    this.#output.end();
  }

  async #readAll(input: Readable): Promise<void> {
    try {
      for await (const chunk of input)
        if (Buffer.isBuffer(chunk))
          for (const { message } of this.#frames.push(chunk)) this.#take(message);
    } catch {
      // A connection that breaks has ended.
    }
    this.#isClosed = true;
    for (const { refuse } of this.#waiting.values()) refuse(new DapError('it has ended'));
    this.#waiting.clear();
  }

  #take(message: object | null): void {
    const told = event.safeParse(message);
    if (told.success) {
      this.#onEvent(told.data.event, told.data.body);
      return;
    }
    const { data } = answer.safeParse(message);
    const waiting = data && this.#waiting.get(data.request_seq);
    if (!waiting) return;
    if (data.success) waiting.take(data.body);
    else
      waiting.refuse(
        new DapError(said.safeParse(data.body).data?.error.format ?? data.message ?? 'it refused'),
      );
  }
}
