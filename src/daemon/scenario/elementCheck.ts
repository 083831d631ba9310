import { nearest } from '../../base/nearest.ts';
import { regexTest } from '../../db/reader/filter/textFilter.ts';
import { elementLine } from '../../model/ui/elementLine.ts';
import type { UiElement, UiTree } from '../../model/ui/element.ts';
import type { ComparedNumber, ComparedText, ElementCheck } from '../../protocol/tools/scenario.ts';

/** What was found on a channel. */
export interface Seen {
  readonly holds: boolean;
  /** A line each. */
  readonly lines: readonly string[];
  /** What `save` keeps; null: there is nothing. */
  readonly value: string | null;
}

type Located = Pick<ElementCheck, 'id' | 'role' | 'name'>;

/** Looks for an element, and whether what is asked of it is so. */
export function elementSeen(tree: UiTree, check: ElementCheck): Seen {
  const located = elementsIn(tree).filter((element) => isLocated(element, check));
  const fitting = located.filter((element) => fits(element, check));
  if (check.gone === true)
    return {
      holds: fitting.length === 0,
      lines: fitting.length === 0 ? ['gone'] : fitting.map((element) => elementLine(element)),
      value: null,
    };
  const [element] = fitting;
  if (element !== undefined)
    return { holds: true, lines: [elementLine(element)], value: valueOf(element) };
  const lines =
    located.length > 0 && isNamed(check)
      ? located.slice(0, 3).map((one) => elementLine(one))
      : [noElement(tree, check)];
  return { holds: false, lines, value: null };
}

/** The id of the first element with this role and name; null: there is none. */
export function idOf(tree: UiTree, located: Located): string | null {
  return elementsIn(tree).find((element) => isLocated(element, located))?.id ?? null;
}

/** Which element is not there, and the nearest that are. */
export function noElement(tree: UiTree, located: Located): string {
  const { id, role, name } = located;
  const elements = elementsIn(tree);
  const close =
    id === undefined
      ? elements
          .filter((one) => one.name !== '' && (role === undefined || one.role === role))
          .filter((one) => nearest(name ?? '', [one.name], 1).length > 0 || name === undefined)
          .map((one) => elementLine(one))
      : nearest(
          id,
          elements.map((one) => one.id),
          3,
        );
  const wanted = [role, name === undefined ? undefined : JSON.stringify(name), id]
    .filter((part) => part !== undefined)
    .join(' ');
  const there = close.length === 0 ? '' : `; near are ${close.slice(0, 3).join(', ')}`;
  return `no element ${wanted}${there}`.trim();
}

/** Every element that is shown, in order. */
export function elementsIn(tree: UiTree): readonly UiElement[] {
  const below = (element: UiElement): UiElement[] => [element, ...element.children.flatMap(below)];
  return tree.windows.flatMap(below);
}

function isNamed({ id, role, name }: Located): boolean {
  return id !== undefined || role !== undefined || name !== undefined;
}

function isLocated(element: UiElement, { id, role, name }: Located): boolean {
  return (
    (id === undefined || element.id === id) &&
    (role === undefined || element.role === role) &&
    (name === undefined || element.name === name)
  );
}

function fits(element: UiElement, { text, value, is, isNot }: ElementCheck): boolean {
  const marks = new Set(element.marks);
  return (
    (text === undefined ||
      [element.name, element.text ?? element.name].some((own) => textFits(own, text))) &&
    (value === undefined ||
      (element.value !== null && numberFits(rounded(element.value.now), value))) &&
    listOf(is).every((mark) => marks.has(mark)) &&
    !listOf(isNot).some((mark) => marks.has(mark))
  );
}

function listOf(marks: string | readonly string[] | undefined): readonly string[] {
  return typeof marks === 'string' ? [marks] : (marks ?? []);
}

/** As elements are shown. */
function rounded(value: number): number {
  return Number(value.toFixed(4));
}

function valueOf({ value, text, name }: UiElement): string {
  return value === null ? (text ?? name) : String(rounded(value.now));
}

function textFits(own: string, wanted: ComparedText): boolean {
  if (typeof wanted === 'string') return own === wanted;
  const { equals, contains, matches } = wanted;
  return (
    (equals === undefined || own === equals) &&
    (contains === undefined || own.toLowerCase().includes(contains.toLowerCase())) &&
    (matches === undefined || regexTest(matches)(own))
  );
}

/** Whether a number is as asked for. */
export function numberFits(own: number, wanted: ComparedNumber): boolean {
  if (typeof wanted === 'number') return own === wanted;
  const { equals, lt, gt } = wanted;
  return (
    (equals === undefined || own === equals) &&
    (lt === undefined || own < lt) &&
    (gt === undefined || own > gt)
  );
}
