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

/** Without where the keyboard is. */
export function withoutFocus(line: string): string {
  return line.replaceAll(/ (focused|active)\b/g, '');
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

/** An element that is not as it was; null where it is not shown. */
export interface UiChange {
  readonly id: string;
  readonly now: string | null;
  readonly was: string | null;
}

/** What became different. */
export function changes(before: UiTree, after: UiTree): UiChange[] {
  const [old, now] = [linesById(before), linesById(after)];
  const found: UiChange[] = [];
  for (const [id, line] of now) {
    const was = old.get(id) ?? null;
    if (was !== line) found.push({ id, now: line, was });
  }
  for (const [id, was] of old) if (!now.has(id)) found.push({ id, now: null, was });
  return found;
}

/** `~ [check box "Loop" id=chk_loop checked]  was [check box "Loop" id=chk_loop]` */
export function changeLine({ now, was }: UiChange): string {
  if (now === null) return `- ${was ?? ''}`;
  return was === null ? `+ ${now}` : `~ ${now}  was ${was}`;
}
