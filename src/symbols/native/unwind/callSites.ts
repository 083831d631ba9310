import { attribute, tag } from '../dwarf/constants.ts';
import { Entry } from '../dwarf/entry.ts';
import type { TypeReader } from '../dwarf/types/types.ts';
import { holding, type EntryPlace } from './scopes.ts';

/** The forms of DWARF 5 (§3.4) and of GNU before. */
const forms = {
  site: [tag.callSite, tag.gnuCallSite],
  parameter: [tag.callSiteParameter, tag.gnuCallSiteParameter],
  value: [attribute.callValue, attribute.gnuCallSiteValue],
  dataValue: [attribute.callDataValue, attribute.gnuCallSiteDataValue],
  target: [attribute.callTarget, attribute.gnuCallSiteTarget],
  origin: [attribute.callOrigin, attribute.abstractOrigin],
  tail: [attribute.callTailCall, attribute.gnuTailCall],
  returns: [attribute.callReturnPc, attribute.lowPc],
} as const;

const mostNested = 64;
const mostFunctions = 64;
const mostLinks = 8;
const op = { deref: 0x06, reg0: 0x50, breg0: 0x70 } as const;

/** The call in a function that returns to a link-time address; null when it is not described. Throws at damage. */
export function callSiteAt(
  types: TypeReader,
  fn: EntryPlace,
  returnAddress: number,
): EntryPlace | null {
  let found: EntryPlace | null = null;
  eachSite(types, fn, (site) => {
    if (addressIn(types, site, forms.returns) === returnAddress) found = site;
  });
  return found;
}

/** How a call computed what a register held when its callee began; null when that is not described. */
export function argumentAt(
  types: TypeReader,
  site: EntryPlace,
  entry: Uint8Array,
): Uint8Array | null {
  // What the register led to then.
  const pointer = pointed(entry);
  const wanted = pointer === null ? entry : Uint8Array.of(pointer);
  const values = pointer === null ? forms.value : forms.dataValue;
  let found: Uint8Array | null = null;
  for (const parameter of childrenOf(types, site)) {
    if (!isOneOf(forms.parameter, parameter.entry.tag)) continue;
    const place = expressionOf(types, parameter, [attribute.location]);
    if (place === null || Buffer.compare(place, wanted) !== 0) continue;
    found ??= expressionOf(types, parameter, values);
  }
  return found;
}

/** Whether a call is of this function, whose debug information may be another's; null where only an address tells it, which `targetOf` computes. */
export function callsFunction(
  types: TypeReader,
  site: EntryPlace,
  fn: EntryPlace,
  fnTypes: TypeReader,
): boolean | null {
  const origin = originOf(types, site);
  if (origin === null) return null;
  if (types === fnTypes) return isSame(types, origin, fn);
  const name = linkageOf(types, origin);
  return name !== '' && name === linkageOf(fnTypes, fn);
}

/** The expression for the address that is called. */
export function targetOf(types: TypeReader, site: EntryPlace): Uint8Array | null {
  return expressionOf(types, site, forms.target);
}

/**
 * Whether a function that was called may have been begun anew by a jump from its own end, or from that of
 * one it jumped to. True also when that is not known.
 */
export function mayBeginAnew(types: TypeReader, fn: EntryPlace): boolean {
  const waiting: EntryPlace[] = [fn];
  const seen = new Set<number>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(keyOf(next))) continue;
    seen.add(keyOf(next));
    if (seen.size > mostFunctions) return true;
    let isUnclear = false;
    eachSite(types, next, (site) => {
      if (!forms.tail.some((at) => site.entry.value(at) === 1)) return;
      const origin = originOf(types, site);
      const target = origin && codeOf(types, origin);
      if (target === null || isSame(types, target, fn)) isUnclear = true;
      else waiting.push(target);
    });
    if (isUnclear) return true;
  }
  return false;
}

/** The link-time address where a function's code begins; null when it has none. */
export function beginningOf(types: TypeReader, fn: EntryPlace): number | null {
  const known = addressIn(types, fn, [attribute.entryPc, attribute.lowPc]);
  if (known !== null || !fn.entry.has(attribute.ranges)) return known;
  const code = fn.entry.formOf(attribute.ranges);
  const [first] = types.info.ranges(fn.unit, code, fn.entry.value(attribute.ranges));
  return first?.start ?? null;
}

function eachSite(
  types: TypeReader,
  parent: EntryPlace,
  visit: (site: EntryPlace) => void,
  depth = 0,
): void {
  if (depth > mostNested) return;
  for (const child of childrenOf(types, parent)) {
    const { tag: kind } = child.entry;
    if (isOneOf(forms.site, kind)) visit(child);
    else if (kind === tag.inlinedSubroutine || kind === tag.lexicalBlock)
      eachSite(types, child, visit, depth + 1);
  }
}

function childrenOf(types: TypeReader, { unit, entry }: EntryPlace): EntryPlace[] {
  const offsets: number[] = [];
  types.children(unit, entry, (child) => offsets.push(child.offset));
  return offsets.map((offset) => ({ unit, entry: types.info.read(unit, offset, new Entry()) }));
}

function isOneOf(all: readonly number[], one: number): boolean {
  return all.includes(one);
}

function expressionOf(
  types: TypeReader,
  { unit, entry }: EntryPlace,
  all: readonly number[],
): Uint8Array | null {
  const at = all.find((one) => entry.has(one));
  return at === undefined ? null : types.info.expression(unit, entry, at, 0);
}

function addressIn(
  types: TypeReader,
  { unit, entry }: EntryPlace,
  all: readonly number[],
): number | null {
  const at = all.find((one) => entry.has(one));
  return at === undefined ? null : types.info.address(unit, entry.formOf(at), entry.value(at));
}

function originOf(types: TypeReader, { unit, entry }: EntryPlace): EntryPlace | null {
  const at = forms.origin.find((one) => entry.has(one));
  const target = at === undefined ? null : types.info.follow(unit, entry, at);
  return (
    target && { unit: target.unit, entry: types.info.read(target.unit, target.offset, new Entry()) }
  );
}

function keyOf({ unit, entry }: EntryPlace): number {
  return unit.header.start + entry.offset;
}

/** The same function: one entry stands for the other or completes it, or they share their linkage name. */
function isSame(types: TypeReader, one: EntryPlace, other: EntryPlace): boolean {
  const own = chainOf(types, one);
  const theirs = new Set(chainOf(types, other).map(keyOf));
  if (own.some((place) => theirs.has(keyOf(place)))) return true;
  const [a, b] = [linkageOf(types, one), linkageOf(types, other)];
  return a !== '' && a === b;
}

function chainOf(types: TypeReader, start: EntryPlace): EntryPlace[] {
  const chain = [start];
  const { info } = types;
  for (let at = start; chain.length < mostLinks;) {
    const { unit, entry } = at;
    const next: ReturnType<typeof info.follow> =
      info.follow(unit, entry, attribute.abstractOrigin) ??
      info.follow(unit, entry, attribute.specification);
    if (next === null) break;
    at = { unit: next.unit, entry: info.read(next.unit, next.offset, new Entry()) };
    chain.push(at);
  }
  return chain;
}

/** Functions of C have their name for it; those that only their own unit sees have none. */
function linkageOf(types: TypeReader, place: EntryPlace): string {
  for (const at of [attribute.linkageName, attribute.mipsLinkageName]) {
    const link = holding(types, place, at);
    if (link !== null) return types.info.text(link.unit, link.entry, at);
  }
  const link = holding(types, place, attribute.isExternal);
  return link === null ? '' : types.info.text(link.unit, link.entry, attribute.name);
}

/** The entry with the code of a function that its unit describes; null when that lies elsewhere. */
function codeOf(types: TypeReader, fn: EntryPlace): EntryPlace | null {
  if (beginningOf(types, fn) !== null) return fn;
  const root: EntryPlace = {
    unit: fn.unit,
    entry: types.info.read(fn.unit, fn.unit.header.firstEntry, new Entry()),
  };
  const key = keyOf(fn);
  const found = childrenOf(types, root).find(
    (child) =>
      child.entry.tag === tag.subprogram &&
      beginningOf(types, child) !== null &&
      chainOf(types, child).some((place) => keyOf(place) === key),
  );
  return found ?? null;
}

/** Of DW_OP_breg<n> 0, DW_OP_deref: the location DW_OP_reg<n>. */
function pointed(entry: Uint8Array): number | null {
  const [first, offset, second, ...rest] = entry;
  const isRegister = first !== undefined && first >= op.breg0 && first < op.breg0 + 32;
  const isPointed = isRegister && offset === 0 && second === op.deref && rest.length === 0;
  return isPointed ? first - op.breg0 + op.reg0 : null;
}
