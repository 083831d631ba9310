import { secretIn } from '../../../model/values/redaction.ts';

/** A name and its value, as debuggers print them: a text, or all up to the next one. */
const assigned =
  /([A-Za-z_$][\w$.]*) = (?:(?:0x[0-9a-f]+ )?"(?:[^"\\]|\\.)*"(?:\.\.\.)?|[^,}\n]*)/gi;

/** What a console printed, without values whose names look like secrets. */
export function withoutSecrets(text: string, secretNames: readonly string[]): string {
  return text.replaceAll(assigned, (whole, name: string) =>
    secretIn(name, secretNames) === null ? whole : `${name} = <redacted>`,
  );
}
