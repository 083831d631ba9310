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

interface Parsed {
  readonly scriptId: string;
  readonly url: string;
  readonly isModule?: boolean;
  readonly sourceMapURL?: string;
}

/** The inspector of this thread, as far as it sets breakpoints: each answer is there at once. */
export class LiveDebugger {
  readonly #onScript: (script: Script) => void;
  #session: inspector.Session | null = null;
  readonly #scripts = new Map<string, Script>();

  /** `onScript`: one is about to run. */
  constructor(onScript: (script: Script) => void = () => undefined) {
    this.#onScript = onScript;
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
    this.#session = session;
    this.#post('Debugger.enable');
  }

  end(): void {
    if (!this.#session) return;
    this.#post('Debugger.disable');
    this.#session.disconnect();
    this.#session = null;
    this.#scripts.clear();
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

function pathOf(url: string): string | null {
  if (url.startsWith('/')) return url;
  if (!url.startsWith('file://')) return null;
  try {
    return fileURLToPath(url.replace(/[?#].*$/, ''));
  } catch {
    return null;
  }
}
