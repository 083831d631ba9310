/** Colours a text of ours, line by line; the text itself stays as it is. */
export type Painter = (text: string) => string;

/** For a terminal that shows colours and a person who wants them (no-color.org); else the text as it is. */
export function painter(isTerminal: boolean, env: NodeJS.ProcessEnv): Painter {
  const { NO_COLOR: unwanted = '', TERM: terminal = 'dumb' } = env;
  if (!isTerminal || unwanted !== '' || terminal === 'dumb') return (text) => text;
  return (text) => text.split('\n').map(painted).join('\n');
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
type Style = keyof typeof codes;

/** What of a line has which style: the whole match, or its first group. The first rule that fits a line holds. */
const lines: readonly (readonly [pattern: RegExp, style: Style])[] = [
  [/^(?:CRASH |✗).*/, 'red'],
  [/^[A-Z]+_[A-Z_]+:/, 'red'],
  [/^! .*/, 'yellow'],
  [/^✓/, 'green'],
  [/^… .*/, 'dim'],
  [/^[\w.-]+-\d{4}-\d\d-\d\d-\S+ · .*/, 'dim'],
  [/^events: .*/, 'dim'],
  [/^(?:next|Next):/, 'bold'],
  [/^ {2}strobe .*?(?= {2}— |$)/, 'cyan'],
];
const inner: readonly (readonly [pattern: RegExp, style: Style])[] = [
  [/✗ unwound.*?(?= {2}|$)/, 'red'],
  [/ {2}\[c\d+\.\d+\]$/, 'dim'],
];

function painted(line: string): string {
  const first = lines.find(([pattern]) => pattern.test(line));
  if (first) return line.replace(first[0], styled(first[1]));
  return inner.reduce((text, [pattern, style]) => text.replace(pattern, styled(style)), line);
}

function styled(style: Style): (text: string) => string {
  return (text) => `\x1b[${codes[style]}m${text}\x1b[0m`;
}
