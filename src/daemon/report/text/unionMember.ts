import type { ObjectValue, Value } from '../../../model/questions/query.ts';

type Field = ObjectValue['fields'][number];

/**
 * The object with one field of each union in it: the one that an enumeration beside it names (`kind=SHAPE_CIRCLE`,
 * `circle`), else the first. `others`: names of the rest.
 */
export function oneMember(
  union: ObjectValue,
  beside: readonly Field[],
): { readonly field: Field; readonly others: readonly string[] } | null {
  if (!union.isUnion || union.left > 0) return null;
  const words = beside.flatMap(({ value }) => wordsOf(value));
  const named = union.fields.find(({ name }) => words.some((word) => saysSo(word, name)));
  const field = named ?? union.fields[0];
  if (!field || union.fields.length < 2) return null;
  return { field, others: union.fields.filter((one) => one !== field).map(({ name }) => name) };
}

function wordsOf(value: Value): string[] {
  return value.kind === 'enum' && value.name !== null ? [value.name.toLowerCase()] : [];
}

/** `SHAPE_CIRCLE` says `circle`, and `as_circle` too. */
function saysSo(word: string, member: string): boolean {
  const name = member.toLowerCase().replace(/^(?:as|to|u)_/, '');
  const last = word.split(/[:_]+/).at(-1) ?? '';
  return name !== '' && (last === name || word.endsWith(name));
}
