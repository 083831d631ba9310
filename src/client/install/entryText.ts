import {
  applyEdits,
  findNodeAtLocation,
  modify,
  parse,
  parseTree,
  printParseErrorCode,
  type ParseError,
} from 'jsonc-parser';
import { parse as parseToml, TomlError } from 'smol-toml';
import type { ClientKind } from './clientKinds.ts';

/*
 * Our entry in a client's file. All other text stays as it was, comments and blanks too: what comes out is read
 * again, and has to say the same but for our entry.
 */

/** The name of our entry. */
const own = 'strobe';

/** A file that cannot be read, or changed without harm. */
export class FileProblem extends Error {}

/** What an entry must say, and what it says once. */
export interface Entry {
  readonly always: Readonly<Record<string, unknown>>;
  readonly limits: Readonly<Record<string, unknown>>;
}

type Client = Pick<ClientKind, 'form' | 'servers'>;

/** Our entry in a client's file; null: there is none, or the file cannot be read. */
export function ownEntry(text: string, client: Client): Readonly<Record<string, unknown>> | null {
  try {
    return entryOf(read(text, client), client) ?? null;
  } catch (error) {
    if (error instanceof FileProblem) return null;
    throw error;
  }
}

/** The text with the entry in it; the same text when it is there. Throws FileProblem. */
export function withEntry(text: string, client: Client, entry: Entry): string {
  const before = read(text, client);
  const known = entryOf(before, client);
  const isThere = Object.entries(entry.always).every(([key, value]) => same(known?.[key], value));
  if (known && isThere) return text;
  const limits = Object.entries(entry.limits).filter(([key]) => known?.[key] === undefined);
  const members = { ...entry.always, ...Object.fromEntries(limits) };
  const after =
    client.form === 'json' ? setJson(text, client, members) : setToml(text, client, members);
  return checked(before, after, client, { ...known, ...members });
}

/** The text without the entry; null when nothing else is in it. Throws FileProblem. */
export function withoutEntry(text: string, client: Client): string | null {
  const before = read(text, client);
  if (entryOf(before, client) === null) return text;
  const after = client.form === 'json' ? removeJson(text, client) : removeToml(text, client);
  if (/^\s*(\{\s*\})?\s*$/.test(after)) return null;
  return checked(before, after, client, null);
}

/** The entry as the text of a file of its own. */
export function aloneText(client: Client, { always, limits }: Entry): string {
  return withEntry('', client, { always: { ...always, ...limits }, limits: {} });
}

function checked(before: Tree, after: string, client: Client, entry: Tree | null): string {
  const read2 = read(after, client);
  const others = (tree: Tree): unknown => {
    const { [client.servers]: servers, ...rest } = tree;
    const { [own]: _entry, ...further } = isTree(servers) ? servers : {};
    return { ...rest, [client.servers]: further };
  };
  if (same(entryOf(read2, client), entry) && same(others(before), others(read2))) return after;
  throw new FileProblem('its form does not let the entry be changed alone');
}

type Tree = Readonly<Record<string, unknown>>;

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two values say the same, whatever the order of their members. */
function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((value, i) => same(value, b[i]));
  if (isTree(a) && isTree(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => same(a[key], b[key]));
  }
  return a === b || (a instanceof Date && b instanceof Date && a.getTime() === b.getTime());
}

function entryOf(tree: Tree, { servers }: Client): Tree | null {
  const all = tree[servers];
  const entry = isTree(all) ? all[own] : undefined;
  return isTree(entry) ? entry : null;
}

function read(text: string, client: Client): Tree {
  const tree = client.form === 'json' ? readJson(text) : readToml(text);
  if (!isTree(tree)) throw new FileProblem('it holds no object');
  if (tree[client.servers] !== undefined && !isTree(tree[client.servers]))
    throw new FileProblem(`its "${client.servers}" is no object`);
  return tree;
}

function readJson(text: string): unknown {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const tree: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (!first) return tree;
  const line = text.slice(0, first.offset).split('\n').length;
  const words = printParseErrorCode(first.error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  throw new FileProblem(`line ${line} cannot be read (${words})`);
}

function readToml(text: string): unknown {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [why = ''] = error.message.split('\n');
    throw new FileProblem(
      `line ${error.line} cannot be read (${why.replace(/^Invalid TOML document: /, '')})`,
    );
  }
}

function setJson(text: string, { servers }: Client, members: Tree): string {
  const formattingOptions = indentOf(text);
  const start = text.trim() === '' ? '{}\n' : text;
  const known = entryOf(readTree(start), { form: 'json', servers });
  if (known === null)
    return (
      appended(start, servers, members) ??
      applyEdits(start, modify(start, [servers, own], members, { formattingOptions }))
    );
  return Object.entries(members)
    .filter(([key, value]) => !same(known[key], value))
    .reduce(
      (done, [key, value]) =>
        applyEdits(done, modify(done, [servers, own, key], value, { formattingOptions })),
      start,
    );
}

function readTree(text: string): Tree {
  const tree = readJson(text);
  return isTree(tree) ? tree : {};
}

function removeJson(text: string, { servers }: Client): string {
  const formattingOptions = indentOf(text);
  const alone = cut(text, servers);
  if (alone !== null) return alone;
  const all = readTree(text)[servers];
  const isLast = isTree(all) && Object.keys(all).length === 1;
  const path = isLast ? [servers] : [servers, own];
  return applyEdits(text, modify(text, path, undefined, { formattingOptions }));
}

/**
 * The text with the entry in lines of its own, behind the last server and a remark in its line: `modify` would come
 * between the two. Null where the servers are not in lines of their own.
 */
function appended(text: string, servers: string, members: Tree): string | null {
  const all = nodeAt(text, [servers]);
  const last = all?.children?.at(-1);
  if (!all || !last) return null;
  const end = last.offset + last.length;
  const lineEnd = text.indexOf('\n', end);
  if (lineEnd < 0 || lineEnd > all.offset + all.length - 1) return null;
  const line = text.slice(text.lastIndexOf('\n', last.offset) + 1, last.offset);
  if (line.trim() !== '') return null;
  const hasComma = /^\s*,/.test(text.slice(end));
  const { insertSpaces, tabSize, eol } = indentOf(text);
  const unit = insertSpaces ? tabSize : '\t';
  const value = JSON.stringify(members, null, unit).replaceAll('\n', `${eol}${line}`);
  const behind = text.slice(end, lineEnd).replace(/\r$/, '');
  const entry = `${eol}${line}"${own}": ${value}${hasComma ? ',' : ''}`;
  const rest = text.slice(end + behind.length);
  return `${text.slice(0, end)}${hasComma ? '' : ','}${behind}${entry}${rest}`;
}

/** The text without the lines of the entry, where it has lines of its own and another server is before it; else null. */
function cut(text: string, servers: string): string | null {
  const children = nodeAt(text, [servers])?.children ?? [];
  const entry = nodeAt(text, [servers, own])?.parent;
  const before = children[children.findIndex((child) => child.offset === entry?.offset) - 1];
  if (!entry || !before) return null;
  const from = text.lastIndexOf('\n', entry.offset);
  const end = entry.offset + entry.length;
  const [behind = ''] = /^[ \t]*,?/.exec(text.slice(end)) ?? [];
  const to = end + behind.length;
  const isAlone = text.slice(from + 1, entry.offset).trim() === '' && /^\r?\n/.test(text.slice(to));
  const beforeEnd = before.offset + before.length;
  if (!isAlone || from < beforeEnd) return null;
  const between = text.slice(beforeEnd, from).replace(/\r$/, '');
  const kept = behind.endsWith(',') ? between : between.replace(/^(\s*),/, '$1');
  return `${text.slice(0, beforeEnd)}${kept}${text.slice(to)}`;
}

function nodeAt(text: string, path: string[]) {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  return tree && findNodeAtLocation(tree, path);
}

/** How the file is set in; two blanks where nothing is. */
function indentOf(text: string) {
  const [, blanks = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return {
    insertSpaces: !blanks.startsWith('\t'),
    tabSize: blanks.startsWith('\t') ? 4 : blanks.length,
    eol,
  };
}

/** Lines with their ends. */
const linesOf = (text: string): string[] => text.split(/(?<=\n)/);
const quoted = (name: string): string => `\\s*(?:${name}|"${name}"|'${name}')\\s*`;

/** Where our table is: from its header to the line after its last member; null when there is none. */
function tableIn(lines: readonly string[], servers: string): { from: number; to: number } | null {
  const header = new RegExp(`^\\s*\\[${quoted(servers)}\\.${quoted(own)}\\]`);
  const from = lines.findIndex((line) => header.test(line));
  if (from < 0) return null;
  const next = lines.findIndex((line, i) => i > from && /^\s*\[/.test(line));
  let to = next < 0 ? lines.length : next;
  while (to > from + 1 && /^\s*(#.*)?$/.test(lines[to - 1] ?? '')) to -= 1;
  return { from, to };
}

const tomlLine = (key: string, value: unknown): string =>
  `${key} = ${Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(value)}\n`;

function setToml(text: string, { servers }: Client, members: Tree): string {
  const lines = linesOf(text);
  const table = tableIn(lines, servers);
  if (table === null) {
    const entries = Object.entries(members).map(([key, value]) => tomlLine(key, value));
    const gap = text.trim() === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
    return `${text}${gap}[${servers}.${own}]\n${entries.join('')}`;
  }
  const known = entryOf(readTomlTree(text), { form: 'toml', servers });
  let { to } = table;
  for (const [key, value] of Object.entries(members)) {
    if (same(known?.[key], value)) continue;
    const line = new RegExp(`^\\s*${key}\\s*=`);
    const at = lines.findIndex((one, i) => i > table.from && i < to && line.test(one));
    if (at >= 0) lines[at] = tomlLine(key, value);
    else lines.splice(to++, 0, tomlLine(key, value));
  }
  return lines.join('');
}

function readTomlTree(text: string): Tree {
  const tree = readToml(text);
  return isTree(tree) ? tree : {};
}

function removeToml(text: string, { servers }: Client): string {
  const lines = linesOf(text);
  // Its sub-tables go with it, such as its environment.
  const header = new RegExp(`^\\s*\\[${quoted(servers)}\\.${quoted(own)}[.\\]]`);
  for (;;) {
    const from = lines.findIndex((line) => header.test(line));
    if (from < 0) return lines.join('');
    const next = lines.findIndex((line, i) => i > from && /^\s*\[/.test(line));
    let to = next < 0 ? lines.length : next;
    while (to > from + 1 && /^\s*(#.*)?$/.test(lines[to - 1] ?? '')) to -= 1;
    const gap = from > 0 && /^\s*$/.test(lines[from - 1] ?? '') ? 1 : 0;
    lines.splice(from - gap, to - from + gap);
  }
}
