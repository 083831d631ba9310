import { inspect, types } from 'node:util';
import type { ScriptFunction } from '../../src/model/rewriting/rewrittenModule.ts';

/** Hooks that write down what a rewritten module tells, a line each: what a tracer is to a real program. */
export class RecordingHooks {
  readonly lines: string[] = [];
  readonly flags: Uint8Array;
  readonly #functions: readonly ScriptFunction[];
  readonly #open = new Map<number, string>();
  #last = 0;

  constructor(functions: readonly ScriptFunction[]) {
    this.#functions = functions;
    this.flags = new Uint8Array(functions.length).fill(1);
  }

  /** Calls that did not end. */
  get open(): string[] {
    return [...this.#open.values()];
  }

  readonly enter = (index: number, ...values: unknown[]): number => {
    const fn = this.#functions[index];
    if (fn === undefined || values.length !== fn.parameters.length)
      throw new Error(`function ${index} is entered with ${values.length} values`);
    this.#open.set(++this.#last, fn.qualifiedName);
    const told = values.map((value, i) => `${fn.parameters[i]}=${shown(value)}`).join(', ');
    this.lines.push(`${fn.qualifiedName}(${told})`);
    return this.#last;
  };

  readonly exit = (handle: number, result: unknown): void => {
    if (handle === 0) return;
    const end =
      result === this.flags ? '!' : result === this.enter ? 'closed' : `→ ${shown(result)}`;
    this.#tell(handle, end);
    this.#open.delete(handle);
  };

  readonly raise = (handle: number, value: unknown): unknown => this.#tell(handle, 'raises', value);
  readonly awaits = (handle: number, value?: unknown): unknown =>
    this.#tell(handle, 'awaits', value);
  readonly yields = (handle: number, value: unknown): unknown =>
    this.#tell(handle, 'yields', value);
  readonly resumes = (handle: number, value?: unknown): unknown =>
    this.#tell(handle, 'resumes', value);
  readonly fields = (): void => undefined;
  readonly handled = (handle: number, value: unknown): void => {
    this.#tell(handle, 'catches', value);
  };

  #tell(handle: number, ...[what, value]: [string, unknown?]): unknown {
    if (handle === 0) return value;
    const name = this.#open.get(handle);
    if (name === undefined) throw new Error(`${what} of a call that has ended`);
    this.lines.push(`${name} ${what}${value === undefined ? '' : ` ${shown(value)}`}`);
    return value;
  }
}

/** Runs nothing of what it shows. */
function shown(value: unknown): string {
  if (types.isPromise(value)) return 'promise';
  if (types.isNativeError(value)) return `${value.name}: ${value.message}`;
  if (typeof value === 'function') return 'function';
  if (typeof value !== 'object') return inspect(value);
  return inspect(value, { customInspect: false, showProxy: true, depth: 1, breakLength: Infinity });
}
