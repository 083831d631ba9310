import { readFileSync, statSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { realPath } from '../../../base/paths.ts';
import { nearest as nearestNames } from '../../../base/nearest.ts';
import type {
  FoundStatement,
  StatementMatch,
  StatementWhere,
} from '../../../model/functions/foundStatement.ts';
import { meantLine, nearestLines } from '../../../model/functions/meantLine.ts';
import { depthOf } from '../../../model/values/shape.ts';
import type { StatementRow } from '../dwarf/lines/lineProgram.ts';
import { attribute, languageNames, tag } from '../dwarf/constants.ts';
import { rowAt } from '../unwind/frameRow.ts';
import {
  localNamed,
  someAreStoredLater,
  type Local,
  type LocalContext,
} from '../unwind/localPlaces.ts';
import { codeOf, scopesAt, textOf, type EntryPlace, type Scope } from '../unwind/scopes.ts';
import type { CodeReader } from './codeReader.ts';
import { inlinedCopies } from './inlinedCopies.ts';
import type { Library } from './library.ts';
import { whyNoCode } from './lostFunction.ts';
import { copies, rowsOfFile, scopesOf, type Row } from './statementRows.ts';

/** Of a statement's names: those that are described, with the number of pointers followed; null: all. */
export interface StatementNames {
  readonly names: readonly string[] | null;
  readonly depth: number;
  /** Where relative paths of sources begin. */
  readonly projectRoot?: string;
}

const jumpBytes = 5;
const mostNames = 64;
const mostSourceBytes = 16 << 20;

/** The statements of these modules that are meant. Throws `StrobeError` when a module cannot be read. */
export function findStatements(
  library: Library,
  modules: readonly string[],
  where: StatementWhere,
  wanted: StatementNames,
): StatementMatch {
  if (where.kind === 'lines') return linesOfFunction(library, where, wanted);
  if (where.kind === 'copies') return copiesOf(library, modules, where.name, wanted);
  if (where.kind !== 'line' && where.kind !== 'text') return atAddress(library, where, wanted);
  const rowsOf = (file: string): Row[] =>
    modules.flatMap((module) => rowsOfFile(library, module, file));
  const named = rowsOf(where.file);
  const linked = named.length > 0 ? null : linkedName(library, modules, where.file);
  const rows = linked === null ? named : rowsOf(linked);
  const paths = [...new Set(rows.map(({ path }) => path))];
  const [path] = paths;
  if (path === undefined) return failed(whyNoFile(library, modules, where.file));
  if (paths.length > 1)
    return failed(
      `${where.file} means several files: ${paths.join(', ')}. Write more of the path.`,
    );
  const lines = linesOf(sourceAt(path, wanted));
  const begun = rows.filter(({ beginsStatement, line }) => beginsStatement && line > 0);
  const known = [...new Set(begun.map(({ line }) => line))].toSorted((a, b) => a - b);
  const asked = meantLine(where, lines);
  if ('why' in asked)
    return failed(asked.why, nearestLines(known, where.kind === 'line' ? where.line : 1));
  const bound = known.find((line) => line >= asked.line);
  if (bound === undefined)
    return failed(
      `${path} has no code at or after line ${asked.line}.`,
      nearestLines(known, asked.line),
    );
  const places = copies(rows.filter(({ line }) => line === bound)).map((row) =>
    behindEntry(row, wanted),
  );
  const statements = places.flatMap((row) => described(row, lines, wanted) ?? []);
  const moved = movedTo(asked, bound, places);
  if (statements.length === 0)
    return failed(
      `Line ${bound} of ${path} is in no function that is known.`,
      nearestLines(known, bound),
    );
  const [first] = rows;
  return {
    statements,
    moved,
    isStale: first !== undefined && isStale(sourceAt(path, wanted), first.code),
    why: null,
    nearest: [],
  };
}

/** Where the places of a line are, when not in the line that was asked for. */
function movedTo(
  { line, moved }: Extract<ReturnType<typeof meantLine>, { readonly line: number }>,
  bound: number,
  places: readonly Row[],
): StatementMatch['moved'] {
  const behind = places.find((place) => place.line !== bound)?.line;
  const reasons = [
    ...(bound === line ? [] : [`line ${line} has no code`]),
    ...(behind === undefined
      ? []
      : [`at line ${bound} the function has not stored its arguments yet`]),
  ];
  return reasons.length === 0
    ? moved
    : { from: moved?.from ?? line, to: behind ?? bound, why: reasons.join(', and ') };
}

function failed(why: string, nearest: readonly number[] = []): StatementMatch {
  return { statements: [], moved: null, isStale: false, why, nearest };
}

/** The files that the modules were built from, some more than once. */
function sourcesOf(library: Library, modules: readonly string[]): string[] {
  return modules.flatMap((module) => {
    const info = library.code(module).types()?.info;
    return info?.units.flatMap((unit) => info.lineHeader(unit)?.files ?? []) ?? [];
  });
}

/** The same file by another name, where links lead from one to the other; null: none is. */
function linkedName(library: Library, modules: readonly string[], file: string): string | null {
  if (!isAbsolute(file)) return null;
  const real = realPath(file);
  const alike = sourcesOf(library, modules).filter((path) => basename(path) === basename(file));
  return [...new Set(alike)].find((path) => realPath(path) === real) ?? null;
}

/** A whole sentence, with the names that were perhaps meant. */
function whyNoFile(library: Library, modules: readonly string[], file: string): string {
  const names = new Set(sourcesOf(library, modules).map((path) => basename(path)));
  const near = nearestNames(basename(file), [...names], 3);
  const meant = near.length > 0 ? ` Nearest: ${near.join(', ')}.` : '';
  return `No program or library that is loaded was built from ${file}; it is set when one is loaded.${meant}`;
}

function sourceAt(path: string, { projectRoot }: StatementNames): string {
  return projectRoot === undefined ? path : resolve(projectRoot, path);
}

function linesOf(path: string): readonly string[] | null {
  try {
    if (statSync(path).size > mostSourceBytes) return null;
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return null; // Built elsewhere, or gone.
  }
}

function isStale(path: string, code: CodeReader): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > code.modifiedMs;
}

/** Where a function begins that does not keep its arguments where they came, the place behind its prologue. */
function behindEntry(row: Row, wanted: StatementNames): Row {
  const { code, types, unit, address } = row;
  const fn = code.functionAt(address);
  const context = contextOf(row, wanted);
  if (!fn || !context?.isEntry || !isUnread(row, context)) return row;
  const rows = types.info.lineRows(unit).filter((one) => code.isCode(one.address));
  const body = bodyRow(code, rows, address);
  return body?.file === row.file ? { ...row, ...body } : row;
}

function isUnread(row: Row, context: LocalContext): boolean {
  try {
    const variables = scopesOf(row)?.[0]?.variables ?? [];
    return someAreStoredLater(
      variables.filter(({ entry }) => entry.tag === tag.formalParameter),
      context,
    );
  } catch {
    return false; // Damaged: it stays where the table says.
  }
}

/** Null: it is in no function that is known. */
function contextOf(row: Row, wanted: StatementNames): LocalContext | null {
  const { code, types, address, module } = row;
  const holder = scopesOf(row)?.at(-1);
  if (!holder) return null;
  const frame = code.frameAt(address);
  return {
    types,
    module,
    address,
    offsetOf: (at) => code.offsetOf(at),
    holder,
    isEntry: code.functionAt(address)?.offset === 0,
    isOfGo: isOfGo(row),
    cfa: frame === null ? null : rowAt(frame, address).cfa,
    depth: depthOf(wanted.depth),
  };
}

function atAddress(
  library: Library,
  where: Extract<StatementWhere, { kind: 'body' | 'bodyAt' | 'offset' }>,
  wanted: StatementNames,
): StatementMatch {
  const code = library.code(where.module);
  const types = code.types();
  const entry = where.kind === 'body' ? where.address : where.offset - code.offsetOf(0);
  const fn = code.functionAt(entry);
  const unit = types && fn && fn.entry >= 0 ? types.info.unitAt(fn.entry) : null;
  if (!types || !unit) return failed('There is no debug information for this function.');
  const rows = types.info.lineRows(unit).filter(({ address }) => code.isCode(address));
  const files = types.info.lineHeader(unit)?.files ?? [];
  const row =
    where.kind !== 'offset'
      ? bodyRow(code, rows, entry)
      : rows.findLast(({ address }) => address === entry);
  if (row === undefined)
    return failed(
      where.kind !== 'offset'
        ? 'No line of this function is known.'
        : `No statement begins at this address: give one that the disassembly shows as the first of a line.`,
    );
  const path = files[row.file] ?? '';
  const lines = linesOf(sourceAt(path, wanted));
  const full = { ...row, module: where.module, code, types, unit, path, isEmpty: false };
  const holder = where.kind === 'offset' ? undefined : scopesOf(full)?.at(-1);
  const statement = described(holder ? { ...full, meant: holder } : full, lines, wanted);
  if (statement === null) return failed('It is in no function that is known.');
  return {
    statements: [statement],
    moved: null,
    isStale: isStale(sourceAt(path, wanted), code),
    why: null,
    nearest: [],
  };
}

/** Where a function begins that is inlined wherever it is used, or why that is nowhere; null: the sources do not know it. */
function copiesOf(
  library: Library,
  modules: readonly string[],
  name: string,
  wanted: StatementNames,
): StatementMatch {
  const begins = inlinedCopies(library, modules, name);
  const [first] = begins;
  const path = first === undefined ? null : sourceAt(first.path, wanted);
  const lines = path === null ? null : linesOf(path);
  const statements = begins.flatMap((row) => described(row, lines, wanted) ?? []);
  if (first === undefined || path === null || statements.length === 0) {
    const { projectRoot } = wanted;
    return { ...failed(''), why: whyNoCode(library, modules, name, projectRoot) };
  }
  const rest = { moved: null, why: null, nearest: [] };
  return { statements, isStale: isStale(path, first.code), ...rest };
}

/** Every place where a line of the function's own file begins. */
function linesOfFunction(
  library: Library,
  { module, address }: Extract<StatementWhere, { kind: 'lines' }>,
  wanted: StatementNames,
): StatementMatch {
  const code = library.code(module);
  const types = code.types();
  const fn = code.functionAt(address);
  const unit = types && fn && fn.entry >= 0 ? types.info.unitAt(fn.entry) : null;
  if (!types || !unit || !fn) return failed('There is no debug information for this function.');
  const files = types.info.lineHeader(unit)?.files ?? [];
  const all = types.info.lineRows(unit);
  const [holder] = scopesAt(types, fn.entry, address).slice(-1);
  const parts = holder ? codeOf(types.info, holder) : [];
  const own = files[all.find((row) => row.address === address)?.file ?? 0] ?? '';
  const lines = linesOf(sourceAt(own, wanted));
  const begun = new Set<number>();
  const rows = all.flatMap((row, i): Row[] => {
    const { address: at, line, file, beginsStatement } = row;
    const isHere = parts.some(({ start, end }) => at >= start && at < end);
    const isEmpty = all[i + 1]?.address === at;
    if (!isHere || line === 0 || (files[file] ?? '') !== own) return [];
    if (beginsStatement) begun.add(at);
    // The entry is the hook's place.
    if (isEmpty || at === address) return [];
    return [{ ...row, module, code, types, unit, path: own, isEmpty }];
  });
  const places = placesOfLines(rows, begun);
  const statements = [...places.values()].flatMap((row) => described(row, lines, wanted) ?? []);
  return {
    statements,
    moved: null,
    isStale: isStale(sourceAt(own, wanted), code),
    why: statements.length > 0 ? null : 'No line of this function is known.',
    nearest: [],
  };
}

/** Where statements begin; of a line of optimised code that has no such place, its first instructions. */
function placesOfLines(rows: readonly Row[], begun: ReadonlySet<number>): ReadonlyMap<number, Row> {
  const sorted = rows.toSorted((a, b) => a.address - b.address);
  const places = sorted.filter(({ address }) => begun.has(address));
  const lines = new Set(places.map(({ line }) => line));
  for (const row of sorted) {
    if (lines.has(row.line)) continue;
    lines.add(row.line);
    places.push(row);
  }
  return new Map(places.map((row) => [row.address, row]));
}

/** Behind the prologue where the table says so; else where the second line begins, as gcc does not. */
function bodyRow(
  code: CodeReader,
  rows: readonly StatementRow[],
  entry: number,
): StatementRow | undefined {
  const fn = code.functionAt(entry);
  const start = entry - (fn?.offset ?? 0);
  const own = rows.filter(({ address, beginsStatement }) => address >= start && beginsStatement);
  const sorted = own.toSorted((a, b) => a.address - b.address);
  const marked = sorted.find(({ endsPrologue }) => endsPrologue);
  const second = sorted.find(({ address }) => address > start);
  // A function without a prologue marks none: the next one's is not its own.
  const isNear = (row: StatementRow | undefined): boolean =>
    row !== undefined &&
    row.address - start < 256 &&
    code.functionAt(row.address)?.entry === fn?.entry;
  return isNear(marked) ? marked : isNear(second) ? second : sorted[0];
}

function described(
  row: Row,
  lines: readonly string[] | null,
  wanted: StatementNames,
): FoundStatement | null {
  const { code, types, address, module } = row;
  const scopes = scopesOf(row);
  const inner = meantScope(row, scopes);
  const holder = scopes?.at(-1);
  const parts = holder ? codeOf(types.info, holder) : [];
  const part = parts.find(({ start, end }) => address >= start && address < end);
  if (!inner || !holder || !part) return null;
  const context = contextOf(row, wanted);
  if (context === null) return null;
  const { offsetOf } = context;
  const nameOf = (one: EntryPlace): string => textOf(types, one, attribute.name);
  // What the compiler of Go adds to a scope (results without names, its own values) begins with a sign.
  const isNamed = (name: string): boolean => name !== '' && !(isOfGo(row) && /^[~.]/.test(name));
  const inScope = [...new Set(inner.variables.map(nameOf))].filter(isNamed);
  const parameters = inner.variables.filter(({ entry }) => entry.tag === tag.formalParameter);
  const argumentNames = parameters.map(nameOf).filter((name) => isNamed(name) || !isOfGo(row));
  const results = parameters.filter(({ entry }) => entry.value(attribute.variableParameter) === 1);
  const named = wanted.names?.flatMap((name) => [name, `&${name}`]) ?? inScope;
  const names = named.includes('args') ? [...new Set([...named, ...argumentNames])] : named;
  const locals = localsOf(inner, names, context);
  return {
    module,
    address,
    offset: offsetOf(address),
    file: row.path || null,
    line: row.line || null,
    text: lines?.[row.line - 1]?.trim() ?? null,
    functionName: textOf(types, inner, attribute.name),
    holder: code.functionAt(address)?.name ?? '',
    isInlined: inner.isInlined,
    before: address - part.start,
    size: part.end - address,
    otherParts: parts
      .filter((one) => one !== part && one.end > one.start)
      .map(({ start, end }) => ({ offset: offsetOf(start), bytes: end - start })),
    rowsBehind: rowsBehind(row),
    hasLandingPads: code.frameAt(address)?.hasLandingPads ?? true,
    isOfGo: isOfGo(row),
    parameters: locals.flatMap((one) => (one.kind === 'other' ? [one.parameter] : [])),
    variables: locals.flatMap((one) => (one.kind === 'memory' ? [one.variable] : [])),
    inScope,
    argumentNames,
    resultNames: results.map(nameOf).filter(isNamed),
  };
}

function meantScope({ meant }: Row, scopes: readonly Scope[] | null): Scope | undefined {
  return meant ?? scopes?.[0];
}

function isOfGo({ unit }: Row): boolean {
  return languageNames.get(unit.language) === 'Go';
}

function localsOf({ variables }: Scope, names: readonly string[], context: LocalContext): Local[] {
  return names.slice(0, mostNames).flatMap((name): Local[] => {
    try {
      return [localNamed(variables, name, context)].filter((one) => one !== null);
    } catch {
      return []; // One damaged description costs one variable.
    }
  });
}

/** A bit for each byte behind the first at which another row begins. */
function rowsBehind({ types, unit, address }: Row): number {
  let bits = 0;
  for (const other of types.info.lineRows(unit)) {
    const distance = other.address - address;
    if (distance > 0 && distance < jumpBytes) bits |= 1 << distance;
  }
  return bits;
}
