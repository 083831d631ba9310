import { forbidsAll, ownCalls } from '../../../protocol/fromOutside.ts';
import { refusals, verdictCodes } from '../../../protocol/refusals.ts';

/** What is lost without which calls of the system; those that lose nothing are not named. */
const losses: readonly {
  readonly without: readonly (typeof ownCalls)[number][];
  readonly ofGo?: true;
  readonly text: string;
}[] = [
  {
    without: ['process_vm_readv'],
    text: 'strings and what else pointers lead to are shown as unreadable, but for constants and what is on the stack in use',
  },
  {
    without: ['gettid', 'madvise'],
    text: 'threads whose first traced call comes later are not recorded, and their calls count as lost',
  },
  { without: ['clock_gettime'], ofGo: true, text: 'panics are not described' },
];

/** Whole sentences: what recording does without because of a filter that the program set at `seconds` of the session. `calls`: bits of fileHeader `forbidden`. */
export function forbiddenNote(calls: number, seconds: number, isGo: boolean): string {
  const at = `+${seconds.toFixed(3)}s`;
  if (calls >>> forbidsAll === 1)
    return `The program entered the strict mode of seccomp at ${at}, in which recording may end it: nothing is recorded from there on.`;
  const isForbidden = (name: string): boolean =>
    ownCalls.some((call, bit) => call === name && ((calls >>> bit) & 1) === 1);
  const lost = losses.filter(({ without, ofGo }) => without.some(isForbidden) && (isGo || !ofGo));
  const names = lost.flatMap(({ without }) => without.filter(isForbidden));
  const set = `The program set a seccomp filter at ${at}`;
  return lost.length === 0
    ? `${set}: recording makes no system call any more that it forbids, and loses nothing by that.`
    : `${set} that forbids ${names.join(', ')}. Recording does without from there on: ${lost.map(({ text }) => text).join('; ')}.`;
}

/** The same where it is not seen when the program sets one. */
export function unwatchedNote(verdictCode: number): string {
  const code = verdictCodes[verdictCode] ?? 'hooked';
  return `A seccomp filter that the program sets is not seen before it is in force, and may end it for a system call that recording makes: what makes its system calls cannot be hooked (${refusals[code]}).`;
}
