import { isDeepStrictEqual } from 'node:util';
import { ClientError } from './clientError.ts';
import { parseCommand } from './commandLine.ts';
import type { CliCommand, CliParameter } from './manifestTypes.ts';
import { catchText } from './shell/debuggerWords.ts';
import { shellLine } from './shellWords.ts';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Answers tell next steps as calls of tools: `debug_query {"view":"tree"}`. Whoever reads them in a terminal is told
 * `strobe query tree` instead: in an answer's `next:` lines, its notes, and the lines before its end that tell what was
 * left out (a traced program's text is never changed), and anywhere in a refusal, whose words are all ours.
 */
export function withCommands(
  text: string,
  commands: readonly CliCommand[],
  isRefusal: boolean,
): string {
  if (isRefusal) return inTerminalWords(text, commands);
  const lines = text.split('\n');
  const next = lines.lastIndexOf('next:');
  const end = next < 0 ? lines.length : next;
  const more = 1 + lines.slice(0, end).findLastIndex((line) => !line.startsWith('… '));
  const shown = (line: string, at: number): string => {
    if (at >= end)
      return line.startsWith('  debug_')
        ? withCommandNames(replaced(line, commands), commands)
        : line;
    if (line.startsWith('! CRASHED')) return withCommandNames(replaced(line, commands), commands);
    if (line.startsWith('! ')) return inTerminalWords(line, commands);
    const isMore = at >= more && /^… [^"{]*: debug_/.test(line);
    return isMore ? withCommandNames(replaced(line, commands), commands) : withLegend(line);
  };
  return lines.map(shown).join('\n');
}

/** A text of ours, as of a note or a refusal. */
export function inTerminalWords(text: string, commands: readonly CliCommand[]): string {
  return withFlags(withCommandNames(replaced(text, commands), commands), commands);
}

/** Tools by the names that they have in a terminal. */
function withCommandNames(text: string, commands: readonly CliCommand[]): string {
  const own = text
    .replaceAll(/\bdebug_launch with its pid\b/g, 'strobe attach PID')
    .replaceAll(/^([A-Z_]+: )debug_[a-z]+: /gm, '$1');
  return own.replaceAll(/\bdebug_[a-z]+\b/g, (tool) => {
    const first = commands.find((one) => one.tool === tool);
    return first === undefined ? tool : `strobe ${first.command}`;
  });
}

/** How folded lines are read. */
function withLegend(line: string): string {
  return line.includes('×n = n alike')
    ? line
        .replace('(unfold with root: an id)', '(unfold with --root ID)')
        .replace('[id] for debug_query root', '[id] for strobe query tree --root')
    : line;
}

/** Parameters as the flags they are in a terminal: `"stdin": "open"` as `--stdin open`, `timeFrom` as `--time-from`. */
function withFlags(text: string, commands: readonly CliCommand[]): string {
  const flags = new Map(
    commands.flatMap(({ parameters }) => parameters.map((one) => [one.name, `--${one.flag}`])),
  );
  const flagOf = (name: string): string | null => flags.get(name) ?? null;
  return text
    .replaceAll(/(?<= takes )[a-z]\w*(?:, \w+)+(?=\.)/g, (list) =>
      list.replaceAll(/\w+/g, (name) => flagOf(name) ?? name),
    )
    .replaceAll(/"(\w+)": (?:true|"([\w.:-]+)")/g, (whole, name: string, value?: string) => {
      const flag = flagOf(name);
      return flag === null ? whole : [flag, ...(value === undefined ? [] : [value])].join(' ');
    })
    .replaceAll(/"(\w+)": \[("[^"]+"(?:, "[^"]+")*)\]/g, (whole, name: string, list: string) => {
      const flag = flagOf(name);
      return flag === null ? whole : list.replaceAll(/"([^"]+)"(?:, )?/g, `${flag} $1 `).trimEnd();
    })
    .replaceAll(
      /(?<=^|[\s(])([a-z]+[A-Z]\w*)(?:: true)?(?=[\s,.)]|$)/gm,
      (whole, name: string) => flagOf(name) ?? whole,
    )
    .replace(/^(Next: Add )(\w+)\.$/m, (whole, start: string, name: string) => {
      const flag = flagOf(name);
      return flag === null ? whole : `${start}${flag}.`;
    });
}

function replaced(text: string, commands: readonly CliCommand[]): string {
  let done = '';
  let at = 0;
  for (const found of text.matchAll(/\b(debug_[a-z]+) (?=\{)/g)) {
    if (found.index < at) continue;
    const from = found.index + found[0].length;
    const to = endOfObject(text, from);
    const line = to < 0 ? null : commandText(commands, found[1] ?? '', text.slice(from, to));
    if (line === null) continue;
    done += text.slice(at, found.index) + line;
    at = to;
  }
  return done + text.slice(at);
}

/** Behind the JSON object that begins at `from`; -1 when it does not end. */
function endOfObject(text: string, from: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (letter === '\\') at++;
    else if (letter === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (letter === '{') depth++;
    else if (letter === '}' && --depth === 0) return at + 1;
  }
  return -1;
}

/** The command line of a tool's call; null when there is none that means just this. */
export function commandText(
  commands: readonly CliCommand[],
  tool: string,
  json: string,
): string | null {
  const args = objectIn(json);
  if (args === null) return null;
  const caught = tool === 'debug_breakpoint' ? catchText(args) : null;
  if (caught !== null) return caught;
  for (const command of commands.filter((one) => one.tool === tool)) {
    for (const isShort of [true, false]) {
      const words = wordsOf(command, args, isShort);
      if (words !== null && means(command, words, args))
        return shellLine(['strobe', command.command, ...words]);
    }
  }
  return null;
}

function objectIn(json: string): Arguments | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether the words are read as these arguments. */
function means(command: CliCommand, words: readonly string[], args: Arguments): boolean {
  try {
    const read = parseCommand(command, words).arguments;
    const { rest } = command;
    const isSame = isDeepStrictEqual(read, args);
    return isSame || (rest !== null && isDeepStrictEqual(read, { [rest.others]: [], ...args }));
  } catch (error) {
    if (error instanceof ClientError) return false;
    throw error;
  }
}

/** `isShort`: with bare words where a command takes some. Null: the command has no such parameter. */
function wordsOf(command: CliCommand, args: Arguments, isShort: boolean): string[] | null {
  const left = new Map(Object.entries(args));
  const words: string[] = [];
  const last: string[] = [];
  for (const [name, verb] of Object.entries(command.verbs)) {
    if ('set' in verb) {
      if (left.get(verb.set) !== name) continue;
      left.delete(verb.set);
      words.push(name);
      if (isShort && verb.word !== undefined) words.push(...bare(left, verb.word));
    } else if (isShort && last.length === 0) {
      const texts = left.get(verb.list);
      if (!Array.isArray(texts) || !texts.every((one) => typeof one === 'string')) continue;
      left.delete(verb.list);
      last.push(name, ...texts);
    }
  }
  if (isShort && command.word !== null) words.push(...bare(left, command.word));
  if (command.rest) {
    const first = left.get(command.rest.first);
    const others = left.get(command.rest.others) ?? [];
    if (typeof first !== 'string' || !Array.isArray(others)) return null;
    left.delete(command.rest.first);
    left.delete(command.rest.others);
    last.push('--', first, ...others.map(String));
  }
  for (const [name, value] of left) {
    const parameter = command.parameters.find((one) => one.name === name);
    if (!parameter) return null;
    words.push(...flagsOf(command, parameter, value));
  }
  return [...words, ...last];
}

function bare(left: Map<string, unknown>, name: string): string[] {
  const value = left.get(name);
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  left.delete(name);
  return [String(value)];
}

function flagsOf(command: CliCommand, parameter: CliParameter, value: unknown): string[] {
  const flag = `--${parameter.flag}`;
  const several = Array.isArray(value) ? value : [value];
  switch (parameter.kind) {
    case 'flag':
      return [value === true ? flag : `--no-${parameter.flag}`];
    case 'texts':
      return several.flatMap((one) => [flag, typeof one === 'string' ? one : JSON.stringify(one)]);
    case 'jsonList':
      return several.flatMap((one) => [flag, JSON.stringify(one)]);
    case 'pairs':
      return Object.entries(isObject(value) ? value : {}).flatMap(([name, text]) => [
        flag,
        `${name}=${String(text)}`,
      ]);
    case 'members': {
      const short = command.shorthand[parameter.name];
      const [only, ...others] = Object.entries(isObject(value) ? value : {});
      if (only && others.length === 0 && only[0] === short) return [flag, String(only[1])];
      return [flag, JSON.stringify(value)];
    }
    case 'json':
      return [flag, JSON.stringify(value)];
    case 'number':
    case 'scalar':
    case 'text':
      return [flag, String(value)];
  }
}

function isObject(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
