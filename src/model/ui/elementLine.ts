import type { UiElement, UiTree } from './element.ts';

/** An element in one line: `[slider id=sld1 value=3 (0..10)]`. */
export function elementLine({ role, name, id, marks, value, text }: UiElement): string {
  const parts = [
    role,
    ...(name === '' ? [] : [JSON.stringify(name)]),
    `id=${id}`,
    ...marks,
    ...(value === null ? [] : [`value=${rounded(value.now)} (${value.low}..${value.high})`]),
    ...(text === null ? [] : [JSON.stringify(text)]),
  ];
  return `[${parts.join(' ')}]`;
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}

/** Every element with its line, by id, in the order they are shown. */
export function linesById(tree: UiTree): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  const visit = (element: UiElement): void => {
    lines.set(element.id, elementLine(element));
    for (const child of element.children) visit(child);
  };
  for (const window of tree.windows) visit(window);
  return lines;
}

/** What became different, a line each. */
export function changedLines(before: UiTree, after: UiTree): string[] {
  const [old, now] = [linesById(before), linesById(after)];
  const lines: string[] = [];
  for (const [id, line] of now) {
    const was = old.get(id);
    if (was === undefined) lines.push(`+ ${line}`);
    else if (was !== line) lines.push(`~ ${line}  was ${was}`);
  }
  for (const [id, line] of old) if (!now.has(id)) lines.push(`- ${line}`);
  return lines;
}
