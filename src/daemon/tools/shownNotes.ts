import type { CallView } from '../../model/questions/query.ts';
import { withShown } from '../../model/questions/shownValues.ts';

/** Names of arguments that an answer lists. */
const mostNamed = 8;

/** Why values that are asked for are in none of some calls. */
export function shownNotes(
  calls: readonly CallView[],
  show: readonly string[] | undefined = [],
): string[] {
  if (calls.length === 0) return [];
  return show
    .filter((path) => calls.every((call) => isEmpty(withShown(call, [path]))))
    .map((path) => `"${path}" is in none of these calls: ${why(calls)}`);
}

function isEmpty({ arguments: given, returns }: CallView): boolean {
  return given.length === 0 && returns.kind === 'void';
}

function why(calls: readonly CallView[]): string {
  const names = [...new Set(calls.flatMap((call) => call.arguments.map(({ name }) => name)))];
  if (names.length > 0)
    return `they have ${names.slice(0, mostNamed).join(', ')}${names.length > mostNamed ? ', …' : ''}.`;
  return calls.every(({ file }) => file === null)
    ? 'their functions have no debug information, so no arguments are recorded. Build with -g; or trace with "when": "args[0] == 3", which reads the registers as a call begins.'
    : 'their functions have no arguments that are recorded.';
}
