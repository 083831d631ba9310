import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import type { CallPolicy, Verdict } from '../../model/functions/traceable.ts';
import { StrobeError } from '../../model/errors.ts';
import {
  nodeNote,
  nodeProblems,
  type ModuleNote,
  type NodeProblem,
  type UncaughtNote,
} from '../../protocol/nodeTracer.ts';
import type { PlacedAgent } from '../frida/agentLinks.ts';
import { NotesFile, type Note } from '../program/notesFile.ts';
import type { TraceableProcess, Tracer } from '../tracer.ts';
import type { NodeParts } from './nodeParts.ts';
import { wishesOf, type NodeWatchPlan } from './wishes.ts';

/** What entering Node takes. */
export interface NodeOptions {
  readonly process: TraceableProcess;
  readonly agent: PlacedAgent;
  readonly parts: NodeParts;
  readonly servicePath: string;
  readonly projectRoot: string;
  /** Source files of the project, loaded or not. */
  readonly sources: readonly string[];
  readonly onUnits: () => void;
  readonly onUncaught: (uncaught: UncaughtNote) => void;
  readonly onNote: (text: string) => void;
  readonly onClosed: () => void;
}

/** Modules that load one after the other are reported together. */
const GATHER_MS = 25;

/** Our presence in one Node process. */
export class NodeProcess implements Tracer<SourceFunction> {
  readonly pid: number;
  readonly notes: readonly string[] = [];
  hooked = 0;
  readonly #options: NodeOptions;
  readonly #told: NotesFile;
  /** Source files that were loaded, with why they were left alone; null: they were not. */
  readonly #loaded = new Map<string, string | null>();
  /** Functions of loaded files that were left alone, and why. */
  readonly #left = new Map<string, string>();
  readonly #units: Set<string>;
  #wishes = '{"files":{}}';
  #wanted: readonly SourceFunction[] = [];
  #policies: ReadonlyMap<string, CallPolicy> = new Map();
  #watches: NodeWatchPlan = new Map();
  #turn: Promise<unknown> = Promise.resolve();
  #gathering: NodeJS.Timeout | null = null;
  readonly #said = new Set<string>();

  private constructor(options: NodeOptions) {
    this.pid = options.process.pid;
    this.#options = options;
    this.#units = new Set(options.sources);
    this.#told = new NotesFile(notesPath(options.agent), (note) => this.#take(note));
  }

  static async enter(options: NodeOptions): Promise<NodeProcess> {
    const entered = new NodeProcess(options);
    try {
      const { parts, servicePath, projectRoot, process, agent } = options;
      const { libraryPath, preloadPath, enginePath } = parts;
      const { problem } = await agent.link.call<{ problem: number }>('node', [
        {
          libraryPath,
          enginePath,
          preloadPath,
          notesPath: notesPath(agent),
          servicePath,
          projectRoot,
        },
      ]);
      const name = nodeProblems[problem] ?? 'noEngine';
      if (name !== 'fits') throw refusal(process.pid, name);
      return entered;
    } catch (error) {
      entered.#dispose();
      throw error;
    }
  }

  units(): readonly string[] {
    return [...this.#units];
  }

  async setWanted(
    wanted: readonly SourceFunction[],
    policies: ReadonlyMap<string, CallPolicy>,
  ): Promise<ReadonlyMap<string, Verdict>> {
    return await this.#inTurn(async () => {
      this.#wanted = wanted;
      this.#policies = policies;
      return await this.#apply();
    });
  }

  /** Has these watches sampled and no others. */
  async setWatches(watches: NodeWatchPlan): Promise<void> {
    await this.#inTurn(async () => {
      this.#watches = watches;
      await this.#apply();
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn;
    return await turn;
  }

  /** What the process told up to now. */
  read(): void {
    try {
      this.#told.read();
    } catch {
      // The session's folder is gone: so is its program.
    }
  }

  async close(live: boolean): Promise<void> {
    this.read();
    this.#dispose();
    this.#options.onClosed();
    if (live) await this.#options.agent.link.call('nodeWant', [], Buffer.alloc(0));
  }

  async #apply(): Promise<ReadonlyMap<string, Verdict>> {
    const wanted = this.#wanted;
    const { link } = this.#options.agent;
    const wishes = JSON.stringify(wishesOf(wanted, this.#policies, this.#watches));
    if (wishes !== this.#wishes) {
      await link.call('nodeWant', [], Buffer.from(wishes));
      this.#wishes = wishes;
    }
    this.#told.read();
    const verdicts = new Map<string, Verdict>(wanted.map((fn) => [fn.id, this.#verdictOn(fn)]));
    this.hooked = [...verdicts.values()].filter(({ kind }) => kind === 'hooked').length;
    return verdicts;
  }

  #verdictOn(fn: SourceFunction): Verdict {
    const why = this.#left.get(keyOf(fn.unit, fn.offset)) ?? this.#loaded.get(fn.unit);
    if (why === undefined) return { kind: 'pending', waitsFor: fn.unit };
    return why === null
      ? { kind: 'hooked' }
      : { kind: 'refused', code: 'notRewritten', text: `it was left as it is: ${why}` };
  }

  #take({ word, text }: Note): void {
    if (word === nodeNote.module) this.#moduleCame(moduleNote(text));
    else if (word === nodeNote.uncaught) {
      const uncaught = uncaughtNote(text);
      if (uncaught) this.#options.onUncaught(uncaught);
    } else if (word === nodeNote.failed) this.#say(text);
  }

  #moduleCame(module: ModuleNote | null): void {
    if (!module) return;
    for (const path of module.sources ?? [module.path]) {
      this.#loaded.set(path, module.why ?? null);
      this.#units.add(path);
    }
    for (const { file = module.path, offset, why = '' } of module.left ?? [])
      this.#left.set(keyOf(file, offset), why);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null;
      this.#options.onUnits();
    }, GATHER_MS).unref();
  }

  #say(text: string): void {
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.#options.onNote(text);
  }

  #dispose(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    this.#told[Symbol.dispose]();
  }
}

function keyOf(unit: string, offset: number): string {
  return `${offset} ${unit}`;
}

/** Null: the target wrote something else into its notes. */
function moduleNote(text: string): ModuleNote | null {
  try {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the preload of the same build wrote it
    return JSON.parse(text) as ModuleNote;
  } catch {
    return null;
  }
}

/** The same. */
function uncaughtNote(text: string): UncaughtNote | null {
  try {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the preload of the same build wrote it
    return JSON.parse(text) as UncaughtNote;
  } catch {
    return null;
  }
}

function notesPath({ ringPath }: PlacedAgent): string {
  return `${ringPath}.notes`;
}

const reasons: Readonly<Record<Exclude<NodeProblem, 'fits'>, string>> = {
  noEngine: 'the hook engine is not loaded in it',
  longPath:
    'the path of Strobe, of its home or of NODE_OPTIONS is too long, or holds a quotation mark',
};

function refusal(pid: number, problem: Exclude<NodeProblem, 'fits'>): StrobeError {
  return new StrobeError(
    'INSTRUMENTATION_FAILED',
    `JavaScript functions of process ${pid} cannot be traced: ${reasons[problem]}.`,
    'Output, exit status, and calls of native code are captured all the same.',
  );
}
