import type { Box } from '../box.ts';

/** What OCR or a program of the user, a model for instance, finds in a picture. */
export interface Guess extends Box {
  readonly role: string;
  readonly name: string;
  /** The share of its range, 0 to 1. */
  readonly value: number | null;
  readonly confidence: number;
  /** Who found it. */
  readonly by: string;
}
