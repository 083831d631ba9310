import { attribute, tag } from '../constants.ts';
import { Entry } from '../entry.ts';
import type { TypeReader, TypeReference } from '../types/types.ts';
import type { Unit } from '../unitTable.ts';

/** An entry with what it completes: its specification or abstract origin (DWARF 5 §3.3.8). */
export interface Link {
  readonly unit: Unit;
  readonly entry: Entry;
}

export interface FormalParameter {
  readonly key: number;
  /** The abstract parameter this one stands for, or -1. */
  readonly origin: number;
  readonly isArtificial: boolean;
  /** Listed by the function with code, not only by what it stands for. */
  readonly isConcrete: boolean;
  readonly unit: Unit;
  readonly entry: Entry;
}

const maxChain = 8;
export const maxParameters = 256;

/** The function whose entry lies at this offset of .debug_info, and what it completes. */
export function readChain(types: TypeReader, offset: number): Link[] {
  const chain: Link[] = [];
  const { info } = types;
  const unit = info.unitAt(offset);
  let next = unit === null ? null : { unit, offset: offset - unit.header.start };
  while (next !== null && chain.length < maxChain) {
    const entry = info.read(next.unit, next.offset);
    const link: Link = { unit: next.unit, entry };
    chain.push(link);
    const at = entry.has(attribute.specification)
      ? attribute.specification
      : attribute.abstractOrigin;
    next = info.follow(link.unit, entry, at);
  }
  return chain;
}

export function firstText(
  types: TypeReader,
  chain: readonly Link[],
  attributes: readonly number[],
): string {
  for (const { unit, entry } of chain) {
    for (const at of attributes) {
      if (entry.has(at)) return types.info.text(unit, entry, at);
    }
  }
  return '';
}

export function hasUnspecified(types: TypeReader, { unit, entry }: Link): boolean {
  let found = false;
  types.children(unit, entry, (child) => {
    if (child.tag === tag.unspecifiedParameters) found = true;
  });
  return found;
}

/**
 * The parameters in the order of the source. A concrete function lists those it has, each pointing to its
 * abstract one; LLVM may list them out of order and leave out unused ones, GCC leaves out the invisible
 * ones a variant of a constructor lacks.
 */
export function formalParameters(types: TypeReader, chain: readonly Link[]): FormalParameter[] {
  const lists = chain.map((link, step) => listOf(types, link, step === 0));
  const concrete = lists[0] ?? [];
  const abstract = lists.slice(1).find((list) => list.length > 0) ?? [];
  if (concrete.length === 0)
    return chain.length > 1 && chain[0]?.entry.has(attribute.abstractOrigin) ? abstract : concrete;
  if (!concrete.some((parameter) => parameter.origin >= 0)) return concrete;
  const ordered: FormalParameter[] = [];
  for (const parameter of abstract) {
    const own = concrete.find((candidate) => candidate.origin === parameter.key);
    if (own !== undefined) ordered.push(own);
    else if (!parameter.isArtificial) ordered.push(parameter);
  }
  return [...ordered, ...concrete.filter((parameter) => !ordered.includes(parameter))];
}

function listOf(types: TypeReader, { unit, entry }: Link, isConcrete: boolean): FormalParameter[] {
  const list: FormalParameter[] = [];
  types.children(unit, entry, (child) => {
    if (child.tag !== tag.formalParameter || list.length >= maxParameters) return;
    const own = types.info.read(unit, child.offset, new Entry());
    const origin = types.info.follow(unit, own, attribute.abstractOrigin);
    list.push({
      key: unit.header.start + child.offset,
      origin: origin === null ? -1 : origin.unit.header.start + origin.offset,
      isArtificial: isArtificial(types, unit, own),
      isConcrete,
      unit,
      entry: own,
    });
  });
  return list;
}

/** The entry itself or what it stands for, whichever has the attribute. */
export function holding(types: TypeReader, unit: Unit, entry: Entry, at: number): Link | null {
  let link: Link = { unit, entry };
  for (let step = 0; step < maxChain; step++) {
    if (link.entry.has(at)) return link;
    const next = types.info.follow(link.unit, link.entry, attribute.abstractOrigin);
    if (next === null) return null;
    link = { unit: next.unit, entry: types.info.read(next.unit, next.offset) };
  }
  return null;
}

function isArtificial(types: TypeReader, unit: Unit, entry: Entry): boolean {
  return holding(types, unit, entry, attribute.artificial)?.entry.value(attribute.artificial) === 1;
}

export function nameOf(types: TypeReader, { unit, entry }: FormalParameter): string {
  const link = holding(types, unit, entry, attribute.name);
  return link === null ? '' : types.info.text(link.unit, link.entry, attribute.name);
}

export function referenceOf(
  types: TypeReader,
  { unit, entry }: FormalParameter,
): TypeReference | null {
  const link = holding(types, unit, entry, attribute.type);
  return link && types.info.follow(link.unit, link.entry, attribute.type);
}
