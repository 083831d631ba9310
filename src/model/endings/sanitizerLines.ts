/** A report's first line; the undefined-behaviour sanitizer's is the whole report. */
const begins = /(?:ERROR|WARNING): \w+Sanitizer: /;
const single = /^\S+?:\d+:\d+: runtime error: /;
/** What a report may begin with. */
const leads = /^=*$/;
/** What stands in a report: indented lines, rules, and the headings of its parts. */
const inside =
  /^(?:\s|$|={5,}$|==\d+==|READ of|WRITE of|freed by|previously allocated|allocated by|0x[0-9a-f]+ is located|Address 0x|Direct leak|Indirect leak|Objects leaked|Thread T\d+|HINT: )/;
const summary = /^SUMMARY: \w+Sanitizer/;
/** What follows the summary: memory around the address, and what the signs mean. */
const legend =
  /^(?:\s|$|={5,}$|==\d+==|Shadow byte|=?>?0x[0-9a-f]+:|Exiting$|\w+Sanitizer: reported )/;

/** Which lines of stderr are a sanitizer's and not the program's own, by their position. */
export function sanitizerLines(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  let part: 'none' | 'report' | 'legend' = 'none';
  for (const [at, line] of lines.entries()) {
    if (begins.test(line)) {
      for (let before = at - 1; before >= at - 2 && leads.test(lines[before] ?? ' '); before--)
        found.add(before);
      part = 'report';
      found.add(at);
    } else if (single.test(line)) found.add(at);
    else if (summary.test(line)) {
      part = 'legend';
      found.add(at);
    } else if (part === 'report' && inside.test(line)) found.add(at);
    else if (part === 'legend' && legend.test(line)) found.add(at);
    else if (part === 'legend') part = 'none';
  }
  return found;
}
