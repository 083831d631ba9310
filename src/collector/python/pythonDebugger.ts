import { basename } from 'node:path';
import { runsOthers } from '../../base/systemPaths.ts';
import { StrobeError } from '../../model/errors.ts';
import { debugpy, findDebugpy, isPythonLibrary } from '../debug/adapters/debugpy.ts';
import { debugpyName, type AdapterSettings } from '../debug/adapters/chosenAdapter.ts';
import { ChoosingDebugger } from '../debug/choosingDebugger.ts';
import { DapDebugger } from '../debug/dap/dapDebugger.ts';
import type { DebugBackend, DebugSink } from '../debug/debugger.ts';
import type { SourceDebugger } from '../source/sourceDebugger.ts';
import { SourceGround } from '../source/sourceGround.ts';
import type { StoppingParts } from '../source/sourceSession.ts';
import { pythonKind } from './pythonProgram.ts';
import { PythonProcess } from './pythonProcess.ts';
import type { PythonParts } from './pythonParts.ts';
import { pythonLiteral, pythonText } from './pythonText.ts';

/** Stops threads of Python: by code of ours in the program, or by debugpy where that is asked for. */
export class PythonDebugger extends ChoosingDebugger<SourceDebugger<Buffer>> {
  readonly isInside = true;
  readonly #parts: StoppingParts<Buffer>;
  readonly #settings: AdapterSettings;
  readonly #warn: PythonParts['warn'];

  constructor(
    parts: StoppingParts<Buffer>,
    { adapters, warn }: Pick<PythonParts, 'adapters' | 'warn'>,
    sink: DebugSink,
    own: (sink: DebugSink) => SourceDebugger<Buffer>,
  ) {
    super(adapters.use, sink, own);
    this.#parts = parts;
    this.#settings = adapters;
    this.#warn = warn;
  }

  /** debugpy lives in the program, beside tracing. */
  override holds(): boolean {
    return false;
  }

  override adapterIn(): null {
    return null;
  }

  override isFor(pid: number): boolean {
    return this.own.isFor(pid);
  }

  override comesLate(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async use(adapter: string): Promise<void> {
    if (adapter === debugpyName) {
      const { image } = this.#parts.session;
      // A shell, or env, becomes Python where it is a shim of pyenv.
      if (!runsOthers(image) && (await pythonKind(image)) === null)
        throw new StrobeError(
          'CANNOT_DEBUG',
          `debugpy stops programs of Python, and ${basename(image)} is none.`,
          'debug_breakpoint {"adapter":"fits"} lets Strobe choose.',
        );
      await findDebugpy(this.#settings.debugpy);
    }
    this.choose(adapter);
  }

  protected wish(): Promise<string | null> {
    return Promise.resolve(this.wanted === debugpyName ? debugpyName : null);
  }

  protected make(): DebugBackend {
    const { session, probes, processOf } = this.#parts;
    const language = {
      name: 'Python',
      raised: 'python',
      text: pythonText,
      condition: (expression: Parameters<typeof pythonText>[0]) =>
        `bool(${pythonText(expression)})`,
      literal: pythonLiteral,
      isLibrary: isPythonLibrary,
    } as const;
    const adapter = debugpy(this.#settings.debugpy, async (pid, text) => {
      const process = processOf(pid);
      if (process instanceof PythonProcess) await process.run(text);
    });
    // Tracing stays where it is.
    const stays = () => Promise.resolve();
    const sink = { ...this.sink, withdraw: stays, comeBack: stays };
    return new DapDebugger(session, new SourceGround(language, probes), adapter, sink, this.#warn);
  }

  /** Strobe's own leaves no breakpoint behind. */
  protected override async leave(one: DebugBackend): Promise<void> {
    if (one === this.own) await one.apply([], { own: [], pid: null, isHeld: false });
    await super.leave(one);
  }
}
