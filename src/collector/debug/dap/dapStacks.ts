import { z } from 'zod';
import type { StackFrame, FrameVariable } from '../../../model/endings/crashReport.ts';
import type { StoppedThread } from '../../../model/debug/stop.ts';
import { processorNamed } from '../../../model/processors.ts';
import { unset } from '../../../model/decoding/dynamic.ts';
import type { KnownArguments } from '../../native/probes/probeStatements.ts';
import type { TracedSession } from '../../tracer.ts';
import type { DebugAdapter } from '../adapters/debugAdapter.ts';
import { DapError, type DapLink } from './dapLink.ts';
import { DapValues } from './dapValues.ts';

export const stack = z.looseObject({
  stackFrames: z.array(
    z.looseObject({
      id: z.number(),
      name: z.string(),
      line: z.number(),
      source: z.looseObject({ path: z.string().optional() }).optional(),
      instructionPointerReference: z.string().optional(),
      presentationHint: z.string().optional(),
    }),
  ),
});
type ToldFrame = z.output<typeof stack>['stackFrames'][number];
const scopes = z.looseObject({
  scopes: z.array(z.looseObject({ name: z.string(), variablesReference: z.number() })),
});
type Scopes = z.output<typeof scopes>['scopes'];
const evaluated = z.looseObject({ result: z.string() });

const mostFrames = 64;
const mostKnown = 4096;
/** Newest frames of the program's own whose variables are read: how deep, and by how many requests. */
const readings = [
  { levels: 3, requests: 40 },
  { levels: 2, requests: 15 },
  { levels: 1, requests: 5 },
] as const;
type Reading = (typeof readings)[number];
/** Results that have no name, what Go's compiler keeps, and what debugpy puts into a frame that an exception leaves. */
const unnamed = /^~r\d+$|^\.autotmp_\d+$|^__exception__$/;
/** What debugpy puts behind the frame that stands where an exception left others. */
const noteOnFrame = / \(Current frame\)$/;
/** As Delve names a variable that another one of its name hides. */
const shadowedName = /^\((\w+)\)$/;
const scopesOfFrames = /^(?:Arguments|Locals)/;
/** The general ones; adapters tell also those of vectors, which are many. */
const general = new Set(processorNamed(process.arch).registers);

/** What is known of code beside what an adapter tells; null: nothing. */
export interface CodeAt {
  /** Of the function that holds an address. */
  arguments(pc: bigint): Promise<KnownArguments | null>;
  /** The line that an instruction of the program itself belongs to. */
  line(pc: bigint): Promise<{ readonly file: string; readonly line: number } | null>;
}

/** A stack, and the number that the adapter has for each frame. */
export interface DapStack {
  readonly frames: readonly StackFrame[];
  readonly ids: readonly number[];
}

export type WholeStack = DapStack & Pick<StoppedThread, 'registers' | 'hasUnreadRegisters'>;

/** Reads stacks of strands that stand still. */
export class DapStacks {
  readonly #link: DapLink;
  readonly #adapter: DebugAdapter;
  readonly #session: TracedSession;
  readonly #code: CodeAt;
  /** By address: to find them takes 4 ms. */
  readonly #known = new Map<string, KnownArguments>();

  constructor(link: DapLink, adapter: DebugAdapter, session: TracedSession, code: CodeAt) {
    this.#link = link;
    this.#adapter = adapter;
    this.#session = session;
    this.#code = code;
  }

  /** The newest frames, without their variables. Throws DapError. */
  async read(threadId: number): Promise<DapStack> {
    const told = await this.#told(threadId, 8);
    const frames = told.map((one) => this.#frame(one));
    return {
      frames: frames.map((frame) => (frame.isOwn ? { ...frame, isUnread: true } : frame)),
      ids: told.map(({ id }) => id),
    };
  }

  /**
   * All frames, with variables of those that matter, and the registers of the newest where that is one of them: Delve
   * works out all that is in a frame before it tells its registers, 6 ms for one of Go's runtime. Throws DapError.
   */
  async readWhole(threadId: number): Promise<WholeStack> {
    const told = await this.#told(threadId, mostFrames);
    const [newest] = told;
    const ids = told.map(({ id }) => id);
    const hasNone = newest === undefined || this.#adapter.inSource;
    if (hasNone || !this.#frame(newest).isOwn) {
      const frames = await this.#framesWithVariables(told, null);
      return { frames, ids, registers: [], ...(hasNone ? {} : { hasUnreadRegisters: true }) };
    }
    const ofNewest = this.#scopes(newest.id);
    const [frames, registers] = await Promise.all([
      this.#framesWithVariables(told, ofNewest),
      this.#registers(ofNewest),
    ]);
    return { frames, ids, registers };
  }

  async #told(threadId: number, levels: number): Promise<readonly ToldFrame[]> {
    const asked = { threadId, startFrame: 0, levels };
    const frames = (await this.#link.ask('stackTrace', asked, stack)).stackFrames;
    const [newest, ...others] = frames;
    return newest === undefined ? [] : [await this.#placed(newest), ...others];
  }

  /** Delve knows no line of `main.init`, which sets variables of the package. */
  async #placed(frame: ToldFrame): Promise<ToldFrame> {
    const pc = frame.instructionPointerReference;
    if (frame.source?.path !== undefined || pc === undefined) return frame;
    const place = await this.#code.line(BigInt(pc));
    return place === null ? frame : { ...frame, source: { path: place.file }, line: place.line };
  }

  async #scopes(frameId: number): Promise<Scopes> {
    return (await this.#link.ask('scopes', { frameId }, scopes)).scopes;
  }

  /** `ofNewest`: the scopes of the newest frame, where they were asked for; null: they were not. */
  async #framesWithVariables(
    told: readonly ToldFrame[],
    ofNewest: Promise<Scopes> | null,
  ): Promise<readonly StackFrame[]> {
    const all = told.map((one) => ({ one, frame: this.#frame(one) }));
    const hasOwn = all.some(({ frame }) => frame.isOwn);
    const meant = all.filter(({ frame }) => frame.isOwn === hasOwn);
    return await Promise.all(
      all.map(async (each) => {
        const { one, frame } = each;
        const reading = readings[meant.indexOf(each)];
        if (reading === undefined) return frame.isOwn ? { ...frame, isUnread: true } : frame;
        const [frameAddress, { variables, isCut }] = await Promise.all([
          this.#number(one.id),
          this.#variables(one, reading, one === told[0] ? ofNewest : null),
        ]);
        // All that there is to it is read when it is looked at.
        const isPart = isCut && reading !== readings[0];
        return { ...frame, frameAddress, variables, ...(isPart ? { isUnread: true } : {}) };
      }),
    );
  }

  /** Whether a frame stands still: a thread in native code does when it comes out of that. */
  async canRead(frameId: number | undefined): Promise<boolean> {
    if (frameId === undefined) return false;
    try {
      for (const { variablesReference } of (await this.#scopes(frameId)).slice(0, 1))
        await this.#link.tell('variables', { variablesReference });
      return true;
    } catch (error) {
      if (error instanceof DapError) return false;
      throw error;
    }
  }

  /** The variables of a frame, by its position. Throws DapError. */
  async variables(threadId: number, position: number): Promise<readonly FrameVariable[]> {
    const asked = { threadId, startFrame: position, levels: 1 };
    const [frame] = (await this.#link.ask('stackTrace', asked, stack)).stackFrames;
    return frame ? (await this.#variables(frame, readings[0], null)).variables : [];
  }

  /** Of the newest frame. Throws DapError. */
  async registers(frameId: number): Promise<StoppedThread['registers']> {
    return await this.#registers(this.#scopes(frameId));
  }

  /** The general ones of a frame; none where the adapter does not tell them. Throws DapError. */
  async #registers(ofFrame: Promise<Scopes>): Promise<StoppedThread['registers']> {
    const scope = (await ofFrame).find(({ name }) => name.startsWith('Registers'));
    if (!scope) return [];
    const values = new DapValues(this.#link, [], this.#adapter);
    let told = await values.variables(scope.variablesReference);
    // They may be in sets, the general ones first.
    const [first] = told;
    if (first?.value === '' && first.variablesReference > 0)
      told = await values.variables(first.variablesReference);
    return told.flatMap(({ name, value }) => {
      const [number] = /^(?:0x[0-9a-f]+|-?\d+)/i.exec(value) ?? [];
      const lower = name.trim().toLowerCase();
      if (number === undefined || !general.has(lower)) return [];
      return [{ name: lower, value: `0x${BigInt.asUintN(64, BigInt(number)).toString(16)}` }];
    });
  }

  /** Sets a variable of a frame, or what is in it. Throws DapError. */
  async setVariable(frameId: number, path: string, value: string): Promise<void> {
    const names = path.split(/\.|->|(?=\[)/);
    const name = names.pop() ?? '';
    const all = await this.#scopes(frameId);
    const values = new DapValues(this.#link, [], this.#adapter);
    for (const scope of all.filter((one) => scopesOfFrames.test(one.name))) {
      let variablesReference = scope.variablesReference;
      let parts = await values.variables(variablesReference);
      for (const step of names) {
        variablesReference = parts.find((one) => one.name === step)?.variablesReference ?? 0;
        parts = variablesReference === 0 ? [] : await values.variables(variablesReference);
        // What a pointer of Go leads to has no name.
        const [object] = parts;
        if (parts.length === 1 && object?.name === '' && object.variablesReference > 0) {
          ({ variablesReference } = object);
          parts = await values.variables(variablesReference);
        }
      }
      if (!parts.some((one) => one.name === name)) continue;
      await this.#link.tell('setVariable', { variablesReference, name, value });
      return;
    }
    throw new DapError(`it sets variables by their names, and none here is named "${path}"`);
  }

  #frame({
    name,
    line,
    source,
    instructionPointerReference,
    presentationHint,
  }: ToldFrame): StackFrame {
    const file = source?.path ?? null;
    const isOwn = presentationHint !== 'subtle' && file !== null && !this.#adapter.isLibrary(file);
    return {
      pc: instructionPointerReference ?? '0x0',
      function: name.replace(noteOnFrame, ''),
      module: this.#session.image,
      frameAddress: null,
      offset: 0,
      file,
      line: file === null ? null : line,
      isInlined: false,
      isInterrupted: false,
      isGuess: false,
      isOwn,
      variables: [],
    };
  }

  /** Null: it is not known. */
  async #number(frameId: number): Promise<string | null> {
    const expression = this.#adapter.frameNumber;
    if (expression === null) return `0x${frameId.toString(16)}`;
    try {
      const { result } = await this.#link.ask(
        'evaluate',
        { expression, frameId, context: 'watch' },
        evaluated,
      );
      return `0x${BigInt.asUintN(64, BigInt(result)).toString(16)}`;
    } catch {
      return null; // Only what changed since the last stop is not known then.
    }
  }

  async #variables(
    frame: ToldFrame,
    reading: Reading,
    asked: Promise<Scopes> | null,
  ): Promise<{ readonly variables: FrameVariable[]; readonly isCut: boolean }> {
    const { levels, requests } = reading;
    const values = new DapValues(
      this.#link,
      this.#session.limits.secretNames,
      this.#adapter,
      requests,
    );
    const found: FrameVariable[] = [];
    // Delve and lldb tell arguments and locals as one.
    const [all, ofFunction] = await Promise.all([
      asked ?? this.#scopes(frame.id),
      this.#knownArguments(frame),
    ]);
    const isApart = all.some(({ name }) => name.startsWith('Arguments'));
    const known = isApart ? null : ofFunction;
    for (const scope of all) {
      if (!scopesOfFrames.test(scope.name)) continue;
      const told = await values.variables(scope.variablesReference);
      const shadowed = new Set(told.flatMap(({ name }) => shadowedName.exec(name)?.[1] ?? []));
      for (const one of told) {
        if (unnamed.test(one.name)) continue;
        const { name, type = null } = one;
        const isParameter =
          scope.name.startsWith('Arguments') ||
          (known?.names.includes(shadowedName.exec(name)?.[1] ?? name) === true &&
            !shadowed.has(name));
        try {
          const value = known?.unset.includes(name) ? unset : await values.value(name, one, levels);
          found.push({ name, type, isParameter, value });
        } catch (error) {
          if (!(error instanceof DapError)) throw error;
          const value = { kind: 'notCaptured', reason: error.message } as const;
          found.push({ name, type, isParameter, value });
        }
      }
    }
    return { variables: found, isCut: values.isCut };
  }

  /** Null: it is not known, and none is called an argument. */
  async #knownArguments({
    name,
    instructionPointerReference: pc,
  }: ToldFrame): Promise<KnownArguments | null> {
    if (pc === undefined) return null;
    const known = this.#known.get(pc) ?? (await this.#code.arguments(BigInt(pc)));
    if (this.#known.size >= mostKnown) this.#known.clear();
    if (known !== null) this.#known.set(pc, known);
    // Of inlined code an address means the function that it is inlined in.
    return known?.function === name || known?.function === lastName(name) ? known : null;
  }
}

/** Of `shop::sell(int)`. */
function lastName(name: string): string | undefined {
  return name.replace(/\(.*$/s, '').split('::').at(-1);
}
