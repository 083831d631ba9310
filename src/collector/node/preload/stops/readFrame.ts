import { momentOf } from '../sites/site.ts';
import type { Moment } from '../expressionValue.ts';

/** What code that is run in a call of a thread that stands still calls `$strobe` with. */
export const frameKey = 'frame';
/** The same to have this thread stand still. */
export const pauseKey = 'pause';

let wanted: readonly string[] = [];
let moment: Moment | null = null;

/** The text of a function that reads names by their place, where it is; `isThere`: of the others it reads nothing. */
export function readerOf(
  names: readonly string[],
  isThere: (name: string) => boolean = () => true,
): string {
  const cases = names.flatMap((name, i) => (isThere(name) ? [`case ${i}:return ${name}`] : []));
  return `$strobe$=>{switch($strobe$){${[...cases, 'default:return $strobe'].join(';')}}}`;
}

/** What these names are in a call; null: V8 cannot say. `run`: runs a text there. */
export function momentIn(names: readonly string[], run: (text: string) => void): Moment | null {
  wanted = names;
  moment = null;
  run(`$strobe('${frameKey}',${readerOf(names)})`);
  return moment;
}

/** `none`: what the reader gives for a name that is not there. */
export function readFrame([read]: readonly unknown[], none: unknown): void {
  if (typeof read === 'function') moment = momentOf(wanted, read as (at: number) => unknown, none);
}
