import { readFileSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import type { Frames, PythonFrame } from './pythonFrames.ts';
import type { Objects } from './objects.ts';
import { takenAt } from './takenLocks.ts';
import { readOr } from './unreadable.ts';

/** A thread whose frames are known. */
export interface ReadThread {
  readonly tid: number;
  /** `threading.get_ident` of it. */
  readonly ident: number;
  readonly frames: readonly PythonFrame[];
  /** Address of the futex it waits for. */
  readonly futex: number | null;
}

/** A lock that a thread waits for. */
export interface LockWait {
  readonly lock: number;
  /** `the Lock accounts` */
  readonly text: string;
  /** Null: not known. */
  readonly holder: number | null;
  /** In words: `that thread 12 holds`; null: nothing more to say. */
  readonly holding: string | null;
}

type Holder = Pick<LockWait, 'holder' | 'holding'>;

const unknown: Holder = {
  holder: null,
  holding: '(which thread holds it cannot be known: a Lock keeps no owner)',
};
const noOwner: Holder = { holder: null, holding: null };

const kinds: ReadonlyMap<string, string> = new Map([
  ['_thread.lock', 'Lock'],
  ['_thread.RLock', 'RLock'],
]);
/** Both kinds begin with what is waited for; an RLock has its owner behind it. */
const place = { lock: 16, owner: 24 } as const;
/** Frames in which it is looked for: `Condition.wait` and its like call `acquire` themselves. */
const MOST_FRAMES = 6;
/** Objects whose attributes are looked through for its name. */
const MOST_OBJECTS = 24;
/** From this version on a lock waits in a list of the interpreter's own (struct wait_entry of parking_lot.c). */
const FIRST_PARKED = 14;

/** Which lock a thread waits for, and which thread holds it. */
export class Locks {
  readonly #objects: Objects;
  readonly #frames: Frames;

  constructor(objects: Objects, frames: Frames) {
    this.#objects = objects;
    this.#frames = frames;
  }

  waitOf(thread: ReadThread, all: readonly ReadThread[]): LockWait | null {
    const lock = readOr(null, () => this.#lockOf(thread));
    if (lock === null) return null;
    const kind = kinds.get(this.#objects.typeName(lock)) ?? 'Lock';
    const [name] = thread.frames
      .slice(0, MOST_FRAMES)
      .flatMap((frame) => readOr([], () => [...this.#namesIn(frame, lock)]));
    const text = `the ${kind}${name === undefined ? '' : ` ${name}`}`;
    if (kind === 'RLock') {
      const owner = this.#owner(lock, all);
      return { lock, text, ...(owner === null ? noOwner : heldBy(owner)) };
    }
    const others = all.filter(
      (one) => one !== thread && readOr(null, () => this.#lockOf(one)) !== lock,
    );
    const holder = this.#withHolder(lock, others);
    return { lock, text, ...(holder === null ? this.#taker(lock, others) : heldBy(holder)) };
  }

  #lockOf({ futex, frames }: ReadThread): number | null {
    if (futex === null) return null;
    if (this.#objects.layout.minor >= FIRST_PARKED) {
      const lock = this.#objects.pointer(futex - 8) - place.lock;
      return this.#isLock(lock) ? lock : null;
    }
    for (const frame of frames.slice(0, MOST_FRAMES)) {
      for (const object of readOr([], () => this.#objectsOf(frame))) {
        const lock = this.#lockIn(object);
        if (lock !== null && this.#objects.pointer(lock + place.lock) === futex) return lock;
      }
    }
    return null;
  }

  #objectsOf(frame: PythonFrame): number[] {
    const locals = [...this.#frames.locals(frame)].map(([, value]) => value);
    return [...this.#frames.stackOf(frame), ...locals];
  }

  /** It is one, or a method of one. */
  #lockIn(object: number): number | null {
    return readOr(null, () => {
      if (object === 0) return null;
      if (this.#isLock(object)) return object;
      const bound = this.#objects.bound(object);
      return bound !== null && this.#isLock(bound.to) ? bound.to : null;
    });
  }

  #isLock(object: number): boolean {
    return readOr(false, () => kinds.has(this.#objects.typeName(object)));
  }

  /** As the frame may spell it: a local, an attribute of a local, a global, an attribute of a global. */
  *#namesIn(frame: PythonFrame, lock: number): Generator<string> {
    const locals = [...this.#frames.locals(frame)];
    const globals = [...this.#objects.entries(this.#frames.globals(frame))];
    for (const variables of [locals, globals]) {
      for (const [name, value] of variables) if (value === lock) yield this.#objects.text(name);
      for (const [name, value] of variables.slice(0, MOST_OBJECTS)) {
        const attribute = readOr(null, () => this.#attributeOf(value, lock));
        if (attribute !== null) yield `${this.#objects.text(name)}.${attribute}`;
      }
    }
  }

  #attributeOf(object: number, value: number): string | null {
    for (const [name, one] of this.#objects.attributes(object)) {
      if (one === value) return this.#objects.text(name);
    }
    return null;
  }

  #owner(lock: number, all: readonly ReadThread[]): number | null {
    const owner = readOr(0, () => this.#objects.pointer(lock + place.owner));
    return all.find(({ ident }) => ident === owner)?.tid ?? null;
  }

  /** A Lock knows no owner; a `with` keeps what it will call at its end on the stack of its frame. */
  #withHolder(lock: number, others: readonly ReadThread[]): number | null {
    const holder = others.find(({ frames }) =>
      frames.some((frame) =>
        readOr(false, () => isHeldIn(this.#objects, this.#frames, frame, lock, '__exit__')),
      ),
    );
    return holder?.tid ?? null;
  }

  /** The only thread in whose functions, as they are written, it was taken by `acquire` and not released yet. */
  #taker(lock: number, others: readonly ReadThread[]): Holder {
    const takers = others.flatMap(({ tid, frames }) => {
      const [at] = frames.flatMap((frame) => readOr(null, () => this.#takenIn(frame, lock)) ?? []);
      return at === undefined ? [] : [{ tid, at }];
    });
    const [taker, another] = takers;
    if (taker === undefined || another !== undefined) return unknown;
    const { tid, at } = taker;
    return {
      holder: tid,
      holding: `that thread ${tid} took at ${at} and has not released there`,
    };
  }

  #takenIn(frame: PythonFrame, lock: number): string | null {
    const names = [...this.#namesIn(frame, lock)];
    if (names.length === 0 || !isAbsolute(frame.file)) return null;
    const line = takenAt(textOf(frame.file), frame.firstLine, frame.line, names);
    return line === null ? null : `${basename(frame.file)}:${line}`;
  }
}

function heldBy(tid: number): Holder {
  return { holder: tid, holding: `that thread ${tid} holds` };
}

/** Of a source file; empty where it cannot be read. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Whether a `with` of this frame holds it: up to 3.13 by a method of it, then by itself. */
export function isHeldIn(
  objects: Objects,
  frames: Frames,
  frame: PythonFrame,
  lock: number,
  exit: '__exit__' | '__aexit__',
): boolean {
  return frames.stackOf(frame).some((object) => {
    if (object === lock) return objects.layout.minor >= FIRST_PARKED;
    const bound = readOr(null, () => (object === 0 ? null : objects.bound(object)));
    return bound !== null && bound.to === lock && bound.name === exit;
  });
}
