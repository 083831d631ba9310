import type { ThrownNote, WantedRaise } from '../../../../protocol/nodeTracer.ts';
import { descriptorOf, isProxy, prototypeOf } from '../intrinsics.ts';

/** Exceptions at which this thread stands still. */
export class Raises {
  #wanted: readonly WantedRaise[] = [];
  /** By key: how many were of the type. */
  readonly #met = new Map<string, number>();

  want(raises: readonly WantedRaise[]): void {
    this.#wanted = raises;
  }

  get state(): 'none' | 'uncaught' | 'all' {
    if (this.#wanted.length === 0) return 'none';
    return this.#wanted.every(({ isUncaught }) => isUncaught) ? 'uncaught' : 'all';
  }

  /** Keys of those that an exception means, which is thrown in code of this file. */
  keysOf(value: unknown, { isUncaught, file }: ThrownAt): string[] {
    const types = typesOf(value);
    return this.#wanted.flatMap((one) => {
      const isMeant =
        one.type === ''
          ? isUncaught || isOwn(file)
          : types.includes(one.type.slice(one.type.lastIndexOf('.') + 1));
      if (!isMeant || (one.isUncaught && !isUncaught)) return [];
      return this.#isDue(one) ? [one.key] : [];
    });
  }

  #isDue({ key, after, every, most }: WantedRaise): boolean {
    const met = (this.#met.get(key) ?? 0) + 1;
    this.#met.set(key, met);
    const nth = met - after;
    const step = Math.max(every, 1);
    return nth > 0 && nth % step === 0 && (most === 0 || nth / step <= most);
  }
}

interface ThrownAt {
  readonly isUncaught: boolean;
  /** Null: none. */
  readonly file: string | null;
}

/** Its type and message, for which nothing runs. */
export function thrownNote(value: unknown): ThrownNote {
  const [type = typeof value] = typesOf(value);
  if (typeof value !== 'object' || value === null) return { type, message: String(value) };
  const message: unknown = isProxy(value) ? '' : descriptorOf(value, 'message')?.value;
  return { type, message: typeof message === 'string' ? message : '' };
}

function isOwn(file: string | null): boolean {
  return file !== null && !file.includes('/node_modules/');
}

const mostTypes = 32;

/** Names of its class and of those that is derived from. */
function typesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [typeof value];
  const names: string[] = [];
  let from: object | null = isProxy(value) ? null : prototypeOf(value);
  for (let i = 0; from !== null && i < mostTypes && !isProxy(from); i++) {
    const maker: unknown = descriptorOf(from, 'constructor')?.value;
    const name: unknown = typeof maker === 'function' ? descriptorOf(maker, 'name')?.value : null;
    if (typeof name === 'string') names.push(name);
    from = prototypeOf(from);
  }
  return names;
}
