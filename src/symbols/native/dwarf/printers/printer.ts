import type { Shape } from '../../../../model/values/shape.ts';
import type { TypeView } from '../types/typeView.ts';

/** How a library's type is read. */
export interface Printer {
  /** Names it may have, without namespaces. */
  readonly names: RegExp;
  /** Null when its fields are not those of the library. */
  readonly shape: (view: TypeView) => Shape | null;
}
