/** The first failure that a test program's own text tells; `file` as written there. */
export interface ToldFailure {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly message: string;
  /** What the program wrote besides. */
  readonly besides: string;
}

/** What frameworks of C and C++ write about a failed assertion: a place, and a text to which names may belong. */
const forms: readonly RegExp[] = [
  // GoogleTest, Catch2, doctest, CppUTest, cmocka: the text follows on the next lines.
  /^(?<file>\S+?\.\w+):(?<line>\d+): (?:Failure|FAILED:|ERROR:|error:)[ \t]*\n?(?<text>(?:.*\n?){1,6})/m,
  // Unity
  /^(?<file>\S+?\.\w+):(?<line>\d+):(?<name>\w+):FAIL:? ?(?<text>.*)/m,
  // Boost.Test
  /^(?<file>\S+?\.\w+)\((?<line>\d+)\): (?:fatal )?error: in "(?<name>[^"]+)": (?<text>.*)/m,
  // Check
  /^(?<file>\S+?\.\w+):(?<line>\d+):[FE]:[^:\n]*:(?<name>[^:\n]+):\d+: (?<text>.*)/m,
  // Qt Test
  /^FAIL! +: (?<name>[^\s(]+)\([^)\n]*\) (?<text>(?:.*\n)+?) *Loc: \[(?<file>[^\n(]+)\((?<line>\d+)\)\]/m,
  // assert of C
  /(?<file>\S+?\.\w+):(?<line>\d+): .*?: (?<text>Assertion .* failed)/,
];

/** Finds the first form that fits; null when the text tells of no failed assertion. */
export function toldFailure(output: string): ToldFailure | null {
  for (const form of forms) {
    const found = form.exec(output);
    const { file, line, name, text } = found?.groups ?? {};
    if (!found || file === undefined) continue;
    const message = (text ?? '').replace(/^(?:=+|\[doctest\])[^]*/m, '').trimEnd();
    const before = output.slice(0, found.index).replace(/[^\n]*$/, '');
    const rest = output.slice(found.index + found[0].length);
    const after = found[0].endsWith('\n') ? rest : rest.replace(/^[^\n]*\n?/, '');
    return {
      besides: `${before}${after}`.replace(/^(?:\[doctest\]|=+$).*\n?/gm, ''),
      file,
      line: Number(line),
      message: name === undefined ? message : `${name}: ${message}`,
    };
  }
  return null;
}
