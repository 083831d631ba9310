import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import { toldUnit } from '../../model/channels/channelFunctions.ts';
import type { Verdict } from '../../model/functions/traceable.ts';
import { commandOf } from '../../base/proc.ts';
import { StrobeError } from '../../model/errors.ts';
import {
  nodeNote,
  nodeProblems,
  type ModuleNote,
  type NodeProblem,
  type SiteNote,
  type StandingFrame,
  type StandingRequest,
  type Unwritten,
  type UncaughtNote,
  type WireExpression,
} from '../../protocol/nodeTracer.ts';
import type { NodeAnswer } from '../../protocol/agent.ts';
import { ringNames } from '../rings/ringNames.ts';
import { ToldValues } from '../source/toldValues.ts';
import type { Note } from '../source/notesFile.ts';
import { undecidedText } from '../source/undecidedText.ts';
import { SourceProcess, type SourceEntry, type SourceWishes } from '../source/sourceProcess.ts';
import { entryWords } from './entryWords.ts';
import { denoSilent } from './denoProgram.ts';
import { nodeFileNotes } from './nodeFile.ts';
import { nodeFileOf, packageFolders, programOf } from './nodeProgram.ts';
import { NodeStanding } from './nodeStanding.ts';
import { FrameArguments } from './frameArguments.ts';
import type { NodeStops } from './nodeStops.ts';
import type { NodeParts } from './nodeParts.ts';
import { uncaughtException } from './uncaughtException.ts';
import type { WishFiles } from './wishFiles.ts';
import { wishesTable } from './wishes.ts';

/** What entering Node takes besides. */
export interface NodeOptions {
  readonly parts: NodeParts;
  readonly servicePath: string;
  readonly linkPath: string;
  readonly projectRoot: string;
  readonly wishFiles: WishFiles;
  readonly stops: NodeStops;
  readonly secretNames: readonly string[];
}

type EnterAnswer = NodeAnswer & { readonly problem: number };

const BUSY =
  'The main thread of the program did not return to its event loop for 2 s: what is traced changes when it does.';

const DENO_TELLS_NONE = 'Deno does not tell which call makes a request';

const BUILDS_SNAPSHOT =
  'It builds a startup snapshot, in which Node loads no tracer: its JavaScript functions are not traced.';

/** Why V8's debugger has a breakpoint, which costs more than a call that is written into the module. */
const whyUnwritten: Readonly<Record<Unwritten, string>> = {
  loaded:
    'Its module was loaded before it was set: one of debug_launch at a file of the project is written into it, at 2 µs a hit.',
  otherThread:
    'Another thread reads the ES modules of this Node: only Node 22 and newer have it written into them.',
  noPlace: 'Its statement has no place for a call, so it is not written into the module.',
};

/** Our presence in one Node process. */
export class NodeProcess extends SourceProcess<WireExpression> {
  readonly #image: string;
  readonly #projectRoot: string;
  /** Source files that were loaded, with why they were left alone; null: they were not. */
  readonly #loaded = new Map<string, string | null>();
  /** Functions of loaded files that were left alone, and why. */
  readonly #left = new Map<string, string>();
  readonly #wishFiles: WishFiles;
  readonly #stops: Disposable;
  /** Values come with what their numbers mean. */
  readonly #values: () => ToldValues;
  /** Breakpoints by key. */
  #ids: ReadonlyMap<string, string> = new Map();
  /** Threads that stand still, by `tid number`. */
  readonly #standing = new Map<string, NodeStanding>();
  #handed: Buffer | null = null;
  /** Whether the interpreter tells of requests. */
  #tellsRequests: Verdict = { kind: 'hooked' };
  /** The preload has run. */
  #isStarted = false;

  private constructor(entry: SourceEntry<WireExpression>, options: NodeOptions) {
    const { parts, projectRoot, wishFiles, stops, secretNames } = options;
    super({ ...entry, sources: [...entry.sources, ...packageFolders(projectRoot)] });
    this.#wishFiles = wishFiles;
    const values = (): ToldValues =>
      new ToldValues('javascript', secretNames, ringNames(entry.agent.ringPath));
    this.#values = values;
    const idOf = (key: string): string | null => this.#ids.get(key) ?? null;
    const known = new FrameArguments(parts);
    const argumentsOf = async (frame: StandingFrame) => known.of(frame);
    const reading = { pid: this.pid, projectRoot, values, idOf, argumentsOf };
    this.#stops = stops.take(this.pid, async (request) => {
      const stands = this.#standing.get(numberOf(request));
      if (stands || !request.said) return stands ? await stands.order(request) : { do: 'go' };
      const standing = await NodeStanding.come(request, request.said, reading);
      this.#standing.set(numberOf(request), standing);
      void standing.closed.then(() => this.#standing.delete(numberOf(request)));
      entry.onStopped(standing);
      return await standing.order(request);
    });
    this.#image = entry.process.image;
    this.#projectRoot = projectRoot;
  }

  static async enter(
    entry: SourceEntry<WireExpression>,
    options: NodeOptions,
  ): Promise<NodeProcess> {
    const entered = new NodeProcess(entry, options);
    return await entered.begin(async () => await entered.#enter(entry, options));
  }

  async #enter({ own, process }: SourceEntry<WireExpression>, options: NodeOptions): Promise<void> {
    if ((await programOf(process.image)) === 'deno')
      this.#tellsRequests = { kind: 'refused', code: 'notTold', text: DENO_TELLS_NONE };
    this.unitsCame([toldUnit]);
    if (own && process.environ) {
      const { parts, servicePath, linkPath, projectRoot } = options;
      const { notesPath } = this;
      const entry = { ...parts, notesPath, servicePath, linkPath, projectRoot, plan: own.plan };
      await process.environ(entryWords(this.pid, entry));
    } else await this.#enterBy(options);
    if (commandOf(this.pid).includes('--build-snapshot')) this.say(BUILDS_SNAPSHOT);
    const file = await nodeFileOf(process.image);
    for (const note of file ? nodeFileNotes(file) : []) this.say(note);
  }

  /** By the agent that is there. */
  async #enterBy({ parts, servicePath, projectRoot }: NodeOptions): Promise<void> {
    const { libraryPath, preloadPath, enginePath } = parts;
    const { notesPath } = this;
    const { atExec } = this;
    const { problem, isDone } = await this.agent.link.call<EnterAnswer>('node', [
      { libraryPath, enginePath, preloadPath, notesPath, servicePath, projectRoot, atExec },
    ]);
    const name = nodeProblems[problem] ?? 'noEngine';
    if (name !== 'fits') throw refusal(this.pid, name);
    if (!isDone) this.say(BUSY);
  }

  protected override async hand(wishes: SourceWishes<WireExpression>): Promise<void> {
    const table = wishesTable(wishes);
    const { functions, sites, raises } = wishes;
    this.#ids = new Map([
      ...sites.map(({ key, probe }) => [key, probe.id] as const),
      ...raises.map(({ key }) => [key, key] as const),
    ]);
    const isNothing = functions.length + sites.length + raises.length === 0;
    if (this.#handed === null ? isNothing : this.#handed.equals(table)) return;
    using file = this.#wishFiles.open(table, this.notesPath);
    const { isDone } = await this.agent.link.call<NodeAnswer>('nodeWant', [file.path]);
    if (!isDone) this.say(BUSY);
    await Promise.all([...this.#standing.values()].map(async (one) => one.want()));
    this.#handed = table;
  }

  async pause(tid = 0): Promise<readonly number[]> {
    const asked = await this.agent.link.call<readonly number[]>('nodePause', [tid]);
    if (asked.length > 0) return asked;
    throw new StrobeError(
      'CANNOT_DEBUG',
      tid === 0 ? 'No JavaScript of it runs yet.' : `Thread ${tid} runs no JavaScript.`,
      'Ask again: debug_continue {"action": "pause"}.',
    );
  }

  protected override async leave(): Promise<void> {
    await this.agent.link.call('nodeLeave', []);
  }

  override async close(live: boolean): Promise<void> {
    this.#stops[Symbol.dispose]();
    await super.close(live);
    // Where it may not load the tracer, it cannot say so.
    if (!this.#isStarted && (await programOf(this.#image)) === 'deno') this.say(denoSilent);
  }

  protected override verdictOn(fn: SourceFunction): Verdict {
    if (fn.unit === toldUnit) return this.#tellsRequests;
    const why = this.#left.get(keyOf(fn.unit, fn.offset)) ?? this.#loaded.get(fn.unit);
    if (why === undefined) return { kind: 'pending', waitsFor: fn.unit };
    return why === null
      ? { kind: 'hooked' }
      : { kind: 'refused', code: 'notRewritten', text: `it was left as it is: ${why}` };
  }

  protected override take({ word, text }: Note): void {
    if (word === nodeNote.started) this.#isStarted = true;
    else if (word === nodeNote.module) this.#moduleCame(moduleNote(text));
    else if (word === nodeNote.site) this.#siteCame(siteNote(text));
    else if (word === nodeNote.uncaught) {
      const uncaught = uncaughtNote(text);
      if (uncaught)
        this.tell(uncaughtException(uncaught, this.pid, this.#projectRoot, this.#values()));
    } else if (word === nodeNote.undecided) this.say(undecidedText(text));
    else if (word === nodeNote.failed) this.say(text);
  }

  #siteCame(site: SiteNote | null): void {
    if (!site) return;
    const { key, why, isWritten = false, unwritten } = site;
    const note = unwritten === undefined ? {} : { note: whyUnwritten[unwritten] };
    this.siteCame(
      key,
      why === undefined ? { isBound: true, isWritten, ...note } : { isBound: false, why },
    );
  }

  #moduleCame(module: ModuleNote | null): void {
    if (!module) return;
    const paths = module.sources ?? [module.path];
    for (const path of paths) this.#loaded.set(path, module.why ?? null);
    for (const { file = module.path, offset, why = '' } of module.left ?? [])
      this.#left.set(keyOf(file, offset), why);
    this.unitsCame(paths);
  }
}

function numberOf({ standing: { tid, number } }: StandingRequest): string {
  return `${tid} ${number}`;
}

function keyOf(unit: string, offset: number): string {
  return `${offset} ${unit}`;
}

/** The same. */
function siteNote(text: string): SiteNote | null {
  try {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the preload of the same build wrote it
    return JSON.parse(text) as SiteNote;
  } catch {
    return null;
  }
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

const reasons: Readonly<Record<Exclude<NodeProblem, 'fits'>, string>> = {
  noEngine: 'the hook engine is not loaded in it',
  longPath:
    'the path of Strobe, of its home or of NODE_OPTIONS is too long, or holds a quotation mark',
  unknownVersion:
    'it was running, and its version of Node cannot be entered so: 20 to 26 can. Launch it with debug_launch',
};

function refusal(pid: number, problem: Exclude<NodeProblem, 'fits'>): StrobeError {
  return new StrobeError(
    'INSTRUMENTATION_FAILED',
    `JavaScript functions of process ${pid} cannot be traced: ${reasons[problem]}.`,
    'Output, exit status, and calls of native code are captured all the same.',
  );
}
