/** CSI and OSC sequences of ECMA-48: colours, cursor movements, titles, links. */
// oxlint-disable-next-line no-control-regex -- the escape character is what is looked for
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

/** The text without colour codes and carriage returns. */
export function plainText(text: string): string {
  return text.includes('\u001b') || text.includes('\r')
    ? text.replace(escapes, '').replaceAll('\r\n', '\n').replaceAll('\r', '\n')
    : text;
}

/** The end of a text, at most about `most` characters, cut between lines where it can be. */
export function tailOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(-most);
  const line = cut.indexOf('\n');
  return line >= 0 && line < most / 2 ? cut.slice(line + 1) : cut;
}

/** Output kept per test: more is in the run's output file. */
export const mostOutput = 16_384;
