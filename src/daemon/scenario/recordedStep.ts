import type { UiElement, UiTree } from '../../model/ui/element.ts';
import { elementsIn } from './elementCheck.ts';

/** A step of a scenario file. */
export type RecordedStep = Readonly<Record<string, unknown>>;

/** An action in a window as a step: its element by role and name, and what it changed as what is expected. */
export function recordedAct(
  { action, id, ...fields }: { readonly action: string; readonly id?: string | undefined },
  before: UiTree,
  after: UiTree,
): RecordedStep {
  const element = elementsIn(before).find((one) => one.id === id);
  const expect = changeIn(before, after, id);
  return {
    do: action,
    ...(element === undefined ? (id === undefined ? {} : { id }) : located(element, before)),
    ...fields,
    ...(expect === null ? {} : { expect: { on: 'ui', ...expect } }),
  };
}

/** Names last longer than ids; what has none, or shares it, keeps its id. */
function located({ id, role, name }: UiElement, tree: UiTree): object {
  const alike = elementsIn(tree).filter((one) => one.role === role && one.name === name);
  return name !== '' && alike.length === 1 ? { role, name } : { id };
}

/** The first change that says what the action did; the element itself before the others. */
function changeIn(before: UiTree, after: UiTree, id: string | undefined): object | null {
  const old = new Map(elementsIn(before).map((one) => [one.id, one]));
  const now = elementsIn(after);
  const own = now.filter((one) => one.id === id);
  for (const element of [...own, ...now]) {
    const was = old.get(element.id);
    const change = was === undefined ? cameAs(element, after) : changeOf(was, element, after);
    if (change !== null) return change;
  }
  const ids = new Set(now.map((one) => one.id));
  const gone = [...old.values()].find((one) => !ids.has(one.id));
  return gone === undefined ? null : { ...located(gone, before), gone: true };
}

function cameAs(element: UiElement, tree: UiTree): object | null {
  return element.name === '' ? null : located(element, tree);
}

function changeOf(was: UiElement, { value, text, ...now }: UiElement, tree: UiTree): object | null {
  const place = located({ ...now, value, text }, tree);
  if (now.name !== was.name) return { role: now.role, name: now.name };
  if (value !== null && value.now !== was.value?.now)
    return { ...place, value: Number(value.now.toFixed(4)) };
  if (text !== null && text !== was.text) return { ...place, text };
  const came = now.marks.find((mark) => !was.marks.includes(mark) && !isFleeting(mark));
  if (came !== undefined) return { ...place, is: came };
  const went = was.marks.find((mark) => !now.marks.includes(mark) && !isFleeting(mark));
  return went === undefined ? null : { ...place, isNot: went };
}

/** Where the keyboard is says nothing of what was done. */
function isFleeting(mark: string): boolean {
  return mark === 'focused' || mark === 'active';
}
