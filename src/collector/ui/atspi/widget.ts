import type { Box } from '../box.ts';
import type { Described, Reference } from './accessibility.ts';

/** A widget as its program tells it. */
export interface Widget extends Described {
  readonly reference: Reference;
  name: string;
  readonly children: Widget[];
  value: { readonly now: number; readonly low: number; readonly high: number } | null;
  text: string | null;
  /** On the display, in pixels, or in its window (isPlacedInWindow); null where it has no place. */
  extents: Box | null;
}
