/** Next steps of a report of several answers. */
const MOST_STEPS = 3;

/** Answers about one session as one: its header, notes and next steps once. */
export function oneAnswer(texts: readonly string[]): string {
  const seen = new Set<string>();
  const heads: string[] = [];
  const bodies: string[] = [];
  const steps: string[] = [];
  for (const text of texts) {
    const [answer = '', next = ''] = text.split('\nnext:\n');
    const [first = '', ...lines] = answer.split('\n');
    // The first line tells how old the session is.
    if (heads.length === 0) heads.push(first);
    const own = lines.filter((line) => !isHead(line));
    for (const line of lines.filter(isHead))
      if (!seen.has(line) && !isRepeated(line, texts)) heads.push(line);
    for (const line of lines) seen.add(line);
    const body = own.join('\n');
    if (body !== '' && !bodies.includes(body)) bodies.push(body);
    if (next !== '') steps.push(...next.split('\n').filter((line) => !steps.includes(line)));
  }
  const end = steps.length === 0 ? [] : ['next:', ...steps.slice(0, MOST_STEPS)];
  return [...heads, bodies.join('\n\n'), ...end].join('\n');
}

/** A line about the session as a whole: what was counted, and notes. */
function isHead(line: string): boolean {
  return line.startsWith('events: ') || line.startsWith('! ');
}

/** The note of a crash says the same as its story. */
function isRepeated(line: string, texts: readonly string[]): boolean {
  return line.startsWith('! CRASHED') && texts.some((text) => /^CRASH /m.test(text));
}
