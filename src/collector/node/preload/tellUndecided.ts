import { nodeNote } from '../../../protocol/nodeTracer.ts';
import { theAddon } from './addon.ts';

const told = new Set<string>();

/** Tells, once, of a condition that only running code of the program could decide. `of`: a function, or a breakpoint by its label. */
export function tellUndecided(of: string): void {
  if (told.has(of)) return;
  told.add(of);
  theAddon().note(`${nodeNote.undecided} ${of}\n`, true);
}
