import type { ValueType } from '../../model/values/valueType.ts';
import { record } from '../../protocol/record.ts';
import { walkStep } from '../../protocol/walk.ts';
import { innerText, type CaptureRules } from './captureRules.ts';
import { compileWalk } from './walks.ts';

type Tree = Extract<ValueType, { kind: 'tree' }>;

/** All walks of a session, one after the other; equal ones are kept once. */
export class Walks {
  readonly #known = new Map<string, number>();
  /** Most functions share types, and compiling the walk of a large one takes milliseconds. */
  readonly #ofTypes = new Map<number, WeakMap<Tree, number | null>>();
  readonly #steps: Buffer[] = [];
  #count = 0;

  /** Steps that there are. */
  get count(): number {
    return this.#count;
  }

  /** The steps from index `from` on, which must be a `count` there was. */
  since(from: number): Uint8Array {
    return Buffer.concat(this.#steps).subarray(from * walkStep.bytes);
  }

  /** Index of the first step of the type's walk; null when there are too many. */
  add(type: Tree, rules: CaptureRules): number | null {
    const ofTypes = this.#ofTypes.get(innerText(rules)) ?? new WeakMap<Tree, number | null>();
    this.#ofTypes.set(innerText(rules), ofTypes);
    const known = ofTypes.get(type);
    if (known !== undefined) return known;
    const first = this.#addWalk(type, rules);
    ofTypes.set(type, first);
    return first;
  }

  #addWalk(type: Tree, rules: CaptureRules): number | null {
    const bytes = compileWalk(type, rules);
    const key = bytes.toString('base64');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const count = bytes.length / walkStep.bytes;
    if (this.#count + count > record.maxSteps || count > 0xffff) return null;
    const first = this.#count;
    this.#known.set(key, first);
    this.#steps.push(bytes);
    this.#count += count;
    return first;
  }
}
