import { WebSocket } from 'ws';
import { originalPosition, type SourceMap } from '../../src/model/rewriting/sourceMap.ts';
import { readSourceMap } from '../../src/model/rewriting/readSourceMap.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

interface Script {
  readonly scriptId: string;
  readonly url: string;
  readonly sourceMapURL?: string;
}

interface Place {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface Frame {
  readonly functionName: string;
  readonly location: Place;
}

/** Functions with the original places where they are, and the text of a source. */
export interface SeenStack {
  readonly frames: readonly string[];
  readonly content: string | null;
}

/** As a debugger that reads source maps is: a client of `node --inspect-brk`. */
export class InspectorClient {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (result: unknown) => void>();
  readonly #scripts: Script[] = [];
  readonly #pauses: (readonly Frame[])[] = [];
  #awaited: (() => void) | null = null;
  #sent = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      // oxlint-disable-next-line typescript/consistent-type-assertions -- the inspector's protocol
      this.#take(JSON.parse(data.toString()) as Message);
    });
  }

  static async connect(url: string): Promise<InspectorClient> {
    const socket = new WebSocket(url);
    const client = new InspectorClient(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    await client.#post('Runtime.enable');
    await client.#post('Debugger.enable');
    return client;
  }

  close(): void {
    this.#socket.close();
  }

  /**
   * What a program's functions and original lines are on the stack, innermost first, where it reaches a line of a
   * source, and what the source is. `script`: the end of the name of the file that runs.
   */
  async stackAt(
    script: string,
    source: string,
    line: number,
    mapOf: (script: Script) => SourceMap,
  ): Promise<SeenStack> {
    await this.#post('Runtime.runIfWaitingForDebugger');
    await this.#paused();
    const running = this.#scripts.find(({ url }) => url.endsWith(script));
    if (!running) throw new Error(`${script} does not run`);
    const map = mapOf(running);
    const from = map.sources.findIndex((name) => name.endsWith(source));
    const lineNumber = map.lines.findIndex((segments) =>
      segments.some(({ original }) => original?.source === from && original.line === line - 1),
    );
    const { scriptId } = running;
    await this.#post('Debugger.setBreakpoint', { location: { scriptId, lineNumber } });
    await this.#post('Debugger.resume');
    const frames = (await this.#paused()).flatMap(({ functionName, location }) => {
      if (location.scriptId !== scriptId) return [];
      const place = originalPosition(map, {
        line: location.lineNumber,
        column: location.columnNumber,
      });
      const name = place && map.sources[place.source]?.split('/').at(-1);
      return [`${functionName} ${place ? `${name}:${place.line + 1}` : '?'}`];
    });
    await this.#post('Debugger.disable');
    return { frames, content: map.contents[from] ?? null };
  }

  async #paused(): Promise<readonly Frame[]> {
    while (this.#pauses.length === 0)
      await new Promise<void>((resolve) => {
        this.#awaited = resolve;
      });
    return this.#pauses.shift() ?? [];
  }

  async #post(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#sent;
    return await new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  #take({ id, method, params, result }: Message): void {
    if (id !== undefined) this.#answers.get(id)?.(result);
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the inspector's protocol
    if (method === 'Debugger.scriptParsed') this.#scripts.push(params as Script);
    if (method === 'Debugger.paused') {
      // oxlint-disable-next-line typescript/consistent-type-assertions -- the same
      this.#pauses.push((params as { readonly callFrames: readonly Frame[] }).callFrames);
      this.#awaited?.();
    }
  }
}

/** Of a script with its map in its text. */
export function inlineMapOf({ sourceMapURL = '' }: Pick<Script, 'sourceMapURL'>): SourceMap {
  return readSourceMap(Buffer.from(sourceMapURL.split('base64,')[1] ?? '', 'base64').toString());
}
