import { StrobeError } from '../../../model/errors.ts';
import { secretIn } from '../../../model/values/redaction.ts';
import type { DebugAdapter } from '../adapters/debugAdapter.ts';

/** A name and its value, as debuggers print them: a text, or all up to the next one. */
const assigned =
  /([A-Za-z_$][\w$.]*) = (?:(?:0x[0-9a-f]+ )?"(?:[^"\\]|\\.)*"(?:\.\.\.)?|[^,}\n]*)/gi;

/** What a console printed, without values whose names look like secrets. */
export function withoutSecrets(text: string, secretNames: readonly string[]): string {
  return text.replaceAll(assigned, (whole, name: string) =>
    secretIn(name, secretNames) === null ? whole : `${name} = <redacted>`,
  );
}

/** The line of its console that an adapter runs for a text. Throws BAD_PARAMETER. */
export function consoleLine(
  { name, console }: Pick<DebugAdapter, 'name' | 'console'>,
  text: string,
  secretNames: readonly string[],
): string {
  const refused = (why: string, hint?: string): StrobeError =>
    new StrobeError('BAD_PARAMETER', why, hint);
  if (console === null)
    throw refused(
      `${name} has no console, and runs nothing for an expression.`,
      `gdb and lldb have one: debug_breakpoint {"adapter":"gdb"}.`,
    );
  const word = secretIn(text, secretNames);
  if (word !== null) throw refused(`"${word}" looks like a secret: nothing is run.`);
  if (console.moves(text))
    throw refused(
      `It would let the program run, or let go of it, and no stop would say so.`,
      'debug_continue does that, and debug_session ends the program.',
    );
  return console.line(text);
}
