/** Cuts a stream of bytes into lines, each with a limit, so that a peer cannot fill the memory. */
export class LineReader {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #length = 0;
  #skipping = false;

  /** `limit`: bytes of one line without its newline. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * The lines that are complete now, decoded as UTF-8, empty ones left out; null stands for a
   * line that was longer than the limit and was skipped.
   */
  push(chunk: Buffer): (string | null)[] {
    const lines: (string | null)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#take(chunk.subarray(start, end));
      start = end + 1;
      if (this.#skipping) lines.push(null);
      else {
        const line = Buffer.concat(this.#parts).toString('utf8').trim();
        if (line !== '') lines.push(line);
      }
      this.#parts = [];
      this.#length = 0;
      this.#skipping = false;
    }
    this.#take(chunk.subarray(start));
    return lines;
  }

  #take(part: Buffer): void {
    if (part.length === 0 || this.#skipping) return;
    this.#length += part.length;
    if (this.#length > this.#limit) {
      this.#skipping = true;
      this.#parts = [];
      return;
    }
    this.#parts.push(part);
  }
}

/** A line of JSON-RPC: a message, or what is wrong with it. `id`: of the request, where it can be read. */
export type JsonRpcLine =
  | { readonly message: object; readonly refused: null }
  | { readonly message: null; readonly refused: Refusal };

export interface Refusal {
  /** Absent where the request's is unknown: no schema of MCP allows `null`. */
  readonly id?: string | number;
  /** Of a batch: those of its requests, each of which gets an answer. */
  readonly ids?: readonly (string | number)[];
  readonly code: number;
  readonly text: string;
  readonly data?: unknown;
}

const codes = { parse: -32700, request: -32600, method: -32601, params: -32602 } as const;

/** Reads one line; `line` null: it was longer than `mostBytes`. */
export function readJsonRpc(line: string | null, mostBytes: number): JsonRpcLine {
  if (line === null) return refused(codes.request, `Request larger than ${mostBytes >> 20} MB.`);
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refused(codes.parse, `Parse error: ${why}.`);
  }
  if (Array.isArray(message))
    return refused(
      codes.request,
      'Batches are not supported: only MCP 2025-03-26 had them. Send each message on its own line.',
      { ids: message.flatMap(idOfRequest) },
    );
  if (typeof message !== 'object' || message === null)
    return refused(codes.request, 'Not a JSON-RPC message: expected an object.');
  return checked(message);
}

function checked(message: object): JsonRpcLine {
  const { id, method, params, result, error }: Record<string, unknown> = { ...message };
  if (typeof id === 'number' && Number.isInteger(id) && !Number.isSafeInteger(id))
    return refused(codes.request, 'The id is not a safe integer: send it as a string.');
  const known = typeof id === 'string' || typeof id === 'number' ? { id } : {};
  const isAnswer = result !== undefined || error !== undefined;
  if (typeof method !== 'string') {
    if (isAnswer) return { message, refused: null };
    return refused(codes.request, 'Not a JSON-RPC message: it has no method.', known);
  }
  if (params !== undefined && (typeof params !== 'object' || params === null))
    return refused(codes.params, `params of ${method} must be an object.`, known);
  if ('id' in known && method.startsWith('notifications/'))
    return refused(codes.method, `${method} is a notification: send it without id.`, known);
  return { message, refused: null };
}

function idOfRequest(message: unknown): (string | number)[] {
  if (typeof message !== 'object' || message === null) return [];
  const { id, method }: Record<string, unknown> = { ...message };
  const isRequest =
    typeof method === 'string' && (typeof id === 'string' || typeof id === 'number');
  return isRequest ? [id] : [];
}

function refused(code: number, text: string, known: Pick<Refusal, 'id' | 'ids'> = {}): JsonRpcLine {
  return { message: null, refused: { ...known, code, text } };
}

/** The answer to a line that was refused; to a batch with requests in it, one for each of them. */
export function refusalMessage({ id, ids = [], code, text, data }: Refusal): object {
  const error = { code, message: text, ...(data === undefined ? {} : { data }) };
  if (ids.length > 0) return ids.map((one) => ({ jsonrpc: '2.0', id: one, error }));
  return { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error };
}
