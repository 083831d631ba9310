import inspector from 'node:inspector';
import { fileURLToPath } from 'node:url';

/** A text that runs in this thread. */
export interface Script {
  readonly id: string;
  readonly path: string;
  readonly isModule: boolean;
  /** A map leads to the files it was made of. */
  readonly isMapped: boolean;
}

export interface Location {
  readonly scriptId: string;
  /** From 0. */
  readonly lineNumber: number;
  readonly columnNumber: number;
  readonly type?: string;
}

/** A call of a thread that stands still. */
export interface CallFrame {
  readonly callFrameId: string;
  readonly functionName: string;
  readonly location: Location;
  readonly scopeChain: readonly {
    readonly type: string;
    readonly object: { readonly objectId?: string };
  }[];
}

/** A value as the inspector tells it. */
export interface RemoteValue {
  readonly objectId?: string;
  readonly value?: unknown;
  readonly unserializableValue?: string;
  readonly description?: string;
  /** Of an exception. */
  readonly uncaught?: boolean;
}

/** Why V8 stops a thread, and where. */
export interface Paused {
  readonly callFrames: readonly CallFrame[];
  /** `exception`, `promiseRejection`, and others. */
  readonly reason: string;
  readonly data?: RemoteValue;
}

/** What is done where V8 stops a thread, which continues when it returns. */
export interface PausedTaker {
  paused(paused: Paused, tracer: LiveDebugger): void;
}

interface Parsed {
  readonly scriptId: string;
  readonly url: string;
  readonly isModule?: boolean;
  readonly sourceMapURL?: string;
}

/** The inspector of this thread, as far as it sets breakpoints: each answer is there at once. */
export class LiveDebugger {
  readonly #onScript: (script: Script) => void;
  readonly #taker: PausedTaker | null;
  #session: inspector.Session | null = null;
  readonly #scripts = new Map<string, Script>();

  /** `onScript`: one is about to run. */
  constructor(onScript: (script: Script) => void = () => undefined, taker?: PausedTaker) {
    this.#onScript = onScript;
    this.#taker = taker ?? null;
  }

  get isOn(): boolean {
    return this.#session !== null;
  }

  /** Those of files, as they came in. */
  get scripts(): readonly Script[] {
    return [...this.#scripts.values()];
  }

  begin(): void {
    if (this.#session) return;
    const session = new inspector.Session();
    session.connect();
    session.on('Debugger.scriptParsed', ({ params }: { readonly params: Parsed }) => {
      const path = pathOf(params.url);
      if (path === null) return;
      const { scriptId: id, isModule = false, sourceMapURL = '' } = params;
      const script = { id, path, isModule, isMapped: sourceMapURL !== '' };
      this.#scripts.set(id, script);
      this.#onScript(script);
    });
    session.on('Debugger.paused', ({ params }: { readonly params: Paused }) =>
      this.#taker?.paused(params, this),
    );
    this.#session = session;
    this.#post('Debugger.enable');
    if (this.#taker) this.#post('Debugger.setBlackboxPatterns', { patterns: notStepped });
  }

  end(): void {
    if (!this.#session) return;
    this.#post('Debugger.disable');
    this.#session.disconnect();
    this.#session = null;
    this.#scripts.clear();
  }

  /** The file that a place is in; null: it is in none. */
  pathOf({ scriptId }: Location): string | null {
    return this.#scripts.get(scriptId)?.path ?? null;
  }

  textOf({ id }: Script): string {
    return (
      this.#post<{ scriptSource?: string }>('Debugger.getScriptSource', { scriptId: id })
        .scriptSource ?? ''
    );
  }

  /** Where the function that holds a place can be stopped. */
  places(start: Location): readonly Location[] {
    const asked = { start, restrictToFunction: true };
    return (
      this.#post<{ locations?: Location[] }>('Debugger.getPossibleBreakpoints', asked).locations ??
      []
    );
  }

  /** Its id; null: there can be none. */
  set({ scriptId, lineNumber, columnNumber }: Location, condition: string): string | null {
    const location = { scriptId, lineNumber, columnNumber };
    return (
      this.#post<{ breakpointId?: string }>('Debugger.setBreakpoint', { location, condition })
        .breakpointId ?? null
    );
  }

  /** The thread that stands still continues until there. */
  step(kind: 'over' | 'into' | 'out'): void {
    this.#post(steps[kind]);
  }

  /** The thread stops at the next statement of the program. */
  pause(): void {
    this.#post('Debugger.pause');
  }

  until(location: Location): void {
    this.#post('Debugger.continueToLocation', { location });
  }

  /** Has an expression worked out in a call, which runs code. */
  run(callFrameId: string, expression: string): void {
    this.#post('Debugger.evaluateOnCallFrame', { callFrameId, expression, silent: true });
  }

  /** Exceptions that stop the thread. */
  stopAtExceptions(state: 'none' | 'uncaught' | 'all'): void {
    this.#post('Debugger.setPauseOnExceptions', { state });
  }

  /** What a text comes to in a call, which runs code of the program; `thrown`: what it threw. */
  result(
    callFrameId: string,
    expression: string,
  ): { readonly value: RemoteValue | null; readonly thrown: RemoteValue | null } {
    const asked = { callFrameId, expression, silent: true, timeout: mostRunMs };
    const { result = null, exceptionDetails } = this.#post<{
      result: RemoteValue;
      exceptionDetails?: { readonly exception?: RemoteValue; readonly text?: string };
    }>('Debugger.evaluateOnCallFrame', asked);
    if (!exceptionDetails) return { value: result, thrown: null };
    const { exception, text } = exceptionDetails;
    return { value: null, thrown: exception ?? { description: text ?? '' } };
  }

  /** Hands a value to `$strobe`, with this key. */
  hand({ objectId, value, unserializableValue }: RemoteValue, key: string): void {
    const { result } = this.#post<{ result: RemoteValue }>('Runtime.evaluate', {
      expression: 'globalThis',
    });
    if (result?.objectId === undefined) return;
    const handed =
      objectId === undefined
        ? unserializableValue === undefined
          ? { value }
          : { unserializableValue }
        : { objectId };
    this.#post('Runtime.callFunctionOn', {
      objectId: result.objectId,
      functionDeclaration: `function(value){$strobe('${key}',value)}`,
      arguments: [handed],
      silent: true,
    });
  }

  namesOf(objectId: string): readonly string[] {
    const asked = { objectId, ownProperties: true };
    const { result = [] } = this.#post<{ result: readonly { readonly name: string }[] }>(
      'Runtime.getProperties',
      asked,
    );
    return result.map(({ name }) => name);
  }

  remove(breakpointId: string): void {
    this.#post('Debugger.removeBreakpoint', { breakpointId });
  }

  #post<T extends object>(method: string, params: object = {}): Partial<T> {
    let answer: Partial<T> = {};
    this.#session?.post(method, params, (error, told) => {
      if (!error) answer = (told ?? {}) as Partial<T>;
    });
    return answer;
  }
}

/** Code of the program that an expression runs. */
const mostRunMs = 3000;
const steps = {
  over: 'Debugger.stepOver',
  into: 'Debugger.stepInto',
  out: 'Debugger.stepOut',
} as const;
/** Node's own code, and what runs before the program. */
const notStepped = ['^node:', `^(file://)?${__filename.replace(/[^\w/]/g, '\\$&')}$`];

function pathOf(url: string): string | null {
  if (url.startsWith('/')) return url;
  if (!url.startsWith('file://')) return null;
  try {
    return fileURLToPath(url.replace(/[?#].*$/, ''));
  } catch {
    return null;
  }
}
