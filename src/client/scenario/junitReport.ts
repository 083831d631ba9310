/** A test case of a JUnit report. */
export interface JunitCase {
  readonly name: string;
  readonly ms: number;
  readonly result: 'passed' | 'skipped' | { readonly failure: string };
}

/** A report that CI servers read: one suite. */
export function junit(name: string, cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ result }) => typeof result === 'object').length;
  const skipped = cases.filter(({ result }) => result === 'skipped').length;
  const seconds = cases.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts} time="${seconds}">`,
    `<testsuite name="${inXml(name)}" ${counts} time="${seconds}">`,
    ...cases.map((one) => caseText(name, one)),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseText(suite: string, { name, ms, result }: JunitCase): string {
  const head = `<testcase classname="${inXml(suite)}" name="${inXml(name)}" time="${ms / 1000}"`;
  if (result === 'passed') return `${head}/>`;
  if (result === 'skipped') return `${head}><skipped/></testcase>`;
  const [first = ''] = result.failure.split('\n');
  return `${head}><failure message="${inXml(first)}">${inXml(result.failure)}</failure></testcase>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Characters that XML 1.0 cannot hold are shown as a question mark. */
function inXml(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character)
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '?');
}
