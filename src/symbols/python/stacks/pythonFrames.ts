import { lineAt } from './lineTables.ts';
import { Unreadable, readOr } from './unreadable.ts';
import type { Objects } from './objects.ts';

/** A call of a Python function that runs, or waits. */
export interface PythonFrame {
  /** Qualified in its module. */
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** That of its definition. */
  readonly firstLine: number;
  /** Where it lies, and its code. */
  readonly address: number;
  readonly code: number;
}

const MOST_FRAMES = 400;
/** Of `frame_owner`: frames of the interpreter's own C stack, from 3.11 on. */
const FIRST_OWN = 3;
/** `co_filename` and the like say no more. */
const MOST_TABLE = 1 << 20;
/** The first member of a generator up to 3.10 is its frame. */
const GENERATOR_HEAD = 16;
/** The first state of a generator (pycore_frame.h) that means it has ended. */
const firstEnded = { signed: 1, other: 5 } as const;
const FIRST_WITH_OTHER_STATES = 15;
/** The only member of a cell. */
const CELL_CONTENT = 16;

/** Stacks of threads and coroutines. Members throw `Unreadable`. */
export class Frames {
  readonly #objects: Objects;
  readonly #codes = new Map<number, Pick<PythonFrame, 'name' | 'file' | 'firstLine'>>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** The newest call first. What cannot be read ends the stack. */
  ofThread(thread: number): PythonFrame[] {
    const { threadCframe, threadFrame, frameObjectBack, framePrevious } = this.#objects.layout;
    const from = threadCframe < 0 ? thread : this.#objects.pointer(thread + threadCframe);
    const back = frameObjectBack < 0 ? framePrevious : frameObjectBack;
    const frames: PythonFrame[] = [];
    let frame = this.#objects.pointer(from + threadFrame);
    for (let count = 0; frame !== 0 && count < MOST_FRAMES; count++) {
      const seen = this.#at(frame);
      if (seen !== null) frames.push(seen);
      const older = frame + back;
      frame = readOr(0, () => this.#objects.pointer(older));
    }
    return frames;
  }

  /** The frame of a coroutine or generator that has not ended; null for what is none. */
  ofCoroutine(object: number): PythonFrame | null {
    const frame = this.isCoroutine(object) ? this.frameOf(object) : 0;
    return frame === 0 ? null : this.#at(frame);
  }

  isCoroutine(object: number): boolean {
    return suspends.has(this.#objects.typeName(object));
  }

  /** Where the frame of a coroutine or generator lies; 0: it has ended. */
  frameOf(object: number): number {
    const { generatorFrame, generatorState, minor } = this.#objects.layout;
    if (generatorFrame < 0) return this.#objects.pointer(object + GENERATOR_HEAD);
    const state = this.#objects.bytes(object + generatorState, 1).readInt8(0);
    const ended = minor < FIRST_WITH_OTHER_STATES ? firstEnded.signed : firstEnded.other;
    return state >= ended ? 0 : object + generatorFrame;
  }

  /** Locals of a frame by name, those of functions around it among them. */
  *locals({ address, code }: PythonFrame): Generator<readonly [name: number, value: number]> {
    const { coNamesOfLocals, coCellvars, coFreevars, frameLocals } = this.#objects.layout;
    // From 3.11 on the first tuple has the names of cells, too.
    const tuples = coCellvars < 0 ? [coNamesOfLocals] : [coNamesOfLocals, coCellvars, coFreevars];
    const names = tuples.flatMap((at) => this.#objects.tuple(this.#objects.pointer(code + at)));
    const values = this.#objects.pointers(address + frameLocals, names.length);
    for (const [i, name] of names.entries()) {
      const value = this.#outOfCell(untagged(values[i] ?? 0));
      if (value !== 0) yield [name, value];
    }
  }

  #outOfCell(value: number): number {
    if (value === 0 || readOr('', () => this.#objects.typeName(value)) !== 'cell') return value;
    return readOr(0, () => this.#objects.pointer(value + CELL_CONTENT));
  }

  globals({ address }: PythonFrame): number {
    return this.#objects.pointer(address + this.#objects.layout.frameGlobals);
  }

  /** What lies on the stack of a frame; while it runs also what lay there before. The newest comes last. */
  stackOf({ address, code }: PythonFrame): number[] {
    const { layout } = this.#objects;
    const from = address + layout.frameLocals + 8 * this.#localsOf(code);
    const most = this.#objects.int32(code + layout.coStacksize);
    if (most < 0 || most > MOST_TABLE) throw new Unreadable();
    const used = this.#depthOf(address, from, code);
    return this.#objects.pointers(from, Math.min(used ?? most, most)).map(untagged);
  }

  /** Null while it runs, where its depth is not written down then. */
  #depthOf(frame: number, from: number, code: number): number | null {
    const { minor, frameStacktop, frameStackdepth } = this.#objects.layout;
    if (frameStacktop >= 0) {
      const top = this.#objects.pointer(frame + frameStacktop);
      return top < from ? null : (top - from) / 8;
    }
    const depth = this.#objects.int32(frame + frameStackdepth);
    if (depth <= 0) return null;
    return minor === 10 ? depth : depth - this.#localsOf(code);
  }

  #localsOf(code: number): number {
    const { layout } = this.#objects;
    const size = (at: number): number =>
      this.#objects.tuple(this.#objects.pointer(code + at)).length;
    if (layout.coCellvars < 0) return size(layout.coNamesOfLocals);
    return (
      this.#objects.int32(code + layout.coNlocals) +
      size(layout.coCellvars) +
      size(layout.coFreevars)
    );
  }

  /** Null for a frame of the interpreter itself. */
  #at(address: number): PythonFrame | null {
    const { layout } = this.#objects;
    if (layout.frameOwner >= 0) {
      const owner = this.#objects.bytes(address + layout.frameOwner, 1).readInt8(0);
      if (owner >= FIRST_OWN) return null;
    }
    const code = untagged(this.#objects.pointer(address + layout.frameCode));
    if (code === 0 || this.#objects.typeName(code) !== 'code') return null;
    const known = this.#codes.get(code) ?? this.#describe(code);
    return { ...known, line: this.#lineOf(address, code), address, code };
  }

  #describe(code: number): Pick<PythonFrame, 'name' | 'file' | 'firstLine'> {
    const { coQualname, coName, coFilename, coFirstlineno } = this.#objects.layout;
    const name = coQualname < 0 ? coName : coQualname;
    const described = {
      name: this.#objects.text(this.#objects.pointer(code + name)),
      file: this.#objects.text(this.#objects.pointer(code + coFilename)),
      firstLine: this.#objects.int32(code + coFirstlineno),
    };
    this.#codes.set(code, described);
    return described;
  }

  #lineOf(frame: number, code: number): number {
    const { minor, frameInstruction, coCode, coLines, coFirstlineno } = this.#objects.layout;
    const first = this.#objects.int32(code + coFirstlineno);
    const table = this.#objects.content(this.#objects.pointer(code + coLines), MOST_TABLE);
    const offset =
      minor <= 10
        ? this.#objects.int32(frame + frameInstruction) * (minor === 10 ? 2 : 1)
        : this.#objects.pointer(frame + frameInstruction) - (code + coCode);
    return lineAt(minor, table, first, Math.max(0, offset));
  }
}

const suspends: ReadonlySet<string> = new Set(['coroutine', 'generator', 'async_generator']);

/** From 3.14 on the lowest bits of what a frame has say how it is counted. */
function untagged(pointer: number): number {
  return pointer - (pointer % 4);
}
