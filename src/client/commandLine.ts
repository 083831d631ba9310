import { ClientError, type Correction } from './clientError.ts';
import type { CliCommand, CliParameter } from './manifestTypes.ts';
import { nearestWord } from './nearestWord.ts';
import { shellLine } from './shellWords.ts';

/** A command line as it was meant. */
export interface ParsedCommand {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  readonly help: boolean;
}

type Arguments = Record<string, unknown>;

interface WordState {
  json: boolean;
  help: boolean;
  /** The list further words go to. */
  list: string | null;
}

/** Words and flags of a tool's command → the tool's arguments. Throws UNKNOWN_PARAMETER or BAD_PARAMETER. */
export function parseCommand(command: CliCommand, words: readonly string[]): ParsedCommand {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  const target: Arguments = {};
  const state: WordState = { json: false, help: false, list: null };
  const bare: string[] = [];
  for (let at = 0; at < own.length; at++) {
    const word = own[at] ?? '';
    if (word === '--json') state.json = true;
    else if (word === '--help' || word === '-h') state.help = true;
    else if (word.startsWith('--')) at += takeFlag(command, target, word.slice(2), own[at + 1]);
    else if (/^-[A-Za-z]/.test(word)) throw unknownFlag(command, word);
    else if (command.rest) throw programWithoutDashes(command, words, at);
    else bare.push(word);
  }
  // What a flag gave is not meant by a bare word, wherever it stands.
  for (const word of bare) takeWord(command, target, state, word);
  takeRest(command, target, end < 0 ? [] : words.slice(end + 1));
  if (state.list !== null && !state.help && Object.keys(target).length === 0)
    throw nothingNamed(command, state.list);
  return { arguments: target, json: state.json, help: state.help };
}

/** A program without its `--`. Options behind it that are ours are meant for us: they stand before it in the line to write. */
function programWithoutDashes(
  command: CliCommand,
  words: readonly string[],
  program: number,
): ClientError {
  const options = words.slice(0, program);
  const rest: string[] = [];
  for (let at = program; at < words.length; at++) {
    const word = words[at] ?? '';
    const found = word.startsWith('--')
      ? findParameter(command.parameters, word.slice(2).split('=', 1)[0] ?? '')
      : null;
    if (found === null) {
      rest.push(word);
      continue;
    }
    options.push(word);
    const value = words[at + 1];
    if (found.parameter.kind === 'flag' || word.includes('=') || value === undefined) continue;
    options.push(value);
    at++;
  }
  return new ClientError(
    'BAD_PARAMETER',
    `"${words[program]}" is not understood: a program stands behind "--", options of Strobe before it.`,
    shellLine(['strobe', command.command, ...options, '--', ...rest]),
  );
}

/** For `strobe trace add` with nothing behind it. */
function nothingNamed(command: CliCommand, verb: string): ClientError {
  const line = `${command.command} ${verb}`;
  const example = command.examples.find((one) => one.startsWith(`${line} `));
  return new ClientError(
    'BAD_PARAMETER',
    `strobe ${line} needs something to ${verb}.`,
    example === undefined ? usageHint(command) : `strobe ${example}`,
  );
}

/** The number of further words the flag took. */
function takeFlag(
  command: CliCommand,
  target: Arguments,
  text: string,
  next: string | undefined,
): number {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const found = findParameter(command.parameters, name);
  if (!found) throw unknownFlag(command, `--${name}`);
  const value = equals < 0 ? next : text.slice(equals + 1);
  if (found.parameter.kind === 'flag') {
    const given = equals < 0 ? 'true' : value;
    if (given !== 'true' && given !== 'false')
      throw new ClientError('BAD_PARAMETER', `--${name} is true or false.`, usageHint(command));
    setAt(target, found.path, (given === 'true') !== found.negated);
    return 0;
  }
  if (value === undefined)
    throw new ClientError('BAD_PARAMETER', `--${name} needs a value.`, usageHint(command));
  put(command, target, found, value);
  return equals < 0 ? 1 : 0;
}

interface Found {
  readonly parameter: CliParameter;
  /** From the top: [name] or [name, member]. */
  readonly path: readonly string[];
  readonly negated: boolean;
}

function findParameter(parameters: readonly CliParameter[], name: string): Found | null {
  const [head, inner, ...deeper] = name.split('.');
  const parameter = parameters.find((candidate) => sameFlag(candidate, head ?? ''));
  if (parameter && inner === undefined)
    return { parameter, path: [parameter.name], negated: false };
  if (parameter && deeper.length === 0) {
    const one = parameter.members.find((candidate) => sameFlag(candidate, inner ?? ''));
    return one ? { parameter: one, path: [parameter.name, one.name], negated: false } : null;
  }
  const positive = name.startsWith('no-')
    ? parameters.find((candidate) => sameFlag(candidate, name.slice(3)))
    : undefined;
  return positive?.kind === 'flag'
    ? { parameter: positive, path: [positive.name], negated: true }
    : null;
}

function sameFlag(parameter: CliParameter, text: string): boolean {
  return parameter.flag === text || parameter.name === text;
}

function put(
  command: CliCommand,
  target: Arguments,
  { parameter, path }: Found,
  text: string,
): void {
  const name = path[0] ?? '';
  switch (parameter.kind) {
    case 'texts':
    case 'jsonList':
      setAt(target, path, [...listAt(target, path), ...listItems(parameter, text)]);
      return;
    case 'pairs': {
      const equals = text.indexOf('=');
      if (equals < 1)
        throw new ClientError(
          'BAD_PARAMETER',
          `--${parameter.flag} wants NAME=VALUE.`,
          usageHint(command),
        );
      setAt(target, [name, text.slice(0, equals)], text.slice(equals + 1));
      return;
    }
    case 'members': {
      const short = command.shorthand[name];
      if (text.startsWith('{')) setAt(target, path, readJson(parameter, text));
      else if (short !== undefined) setAt(target, [name, short], scalar(text, parameter, short));
      else setAt(target, path, text);
      return;
    }
    case 'flag':
    case 'json':
    case 'number':
    case 'scalar':
    case 'text':
      setAt(target, path, single(parameter, oneOf(parameter, text)));
  }
}

/** Items of a list: one, an object where it begins like one or nothing else is taken; or several, as a JSON array. */
function listItems(parameter: CliParameter, text: string): readonly unknown[] {
  const several = arrayIn(text);
  if (several !== null) return several;
  const isJson = parameter.kind === 'jsonList' || /^(?:\[\s*)?\{/.test(text);
  return [isJson ? readJson(parameter, text) : text];
}

/** Null: it is none, as a pattern that begins with a bracket. */
function arrayIn(text: string): readonly unknown[] | null {
  if (!/^\s*\[/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Throws BAD_PARAMETER for a word that is none of the parameter's choices. */
function oneOf({ flag, kind, choices }: CliParameter, text: string): string {
  if (kind !== 'text' || choices.length === 0 || choices.includes(text)) return text;
  const { question, correction } = nearestWord(text, choices);
  throw new ClientError(
    'BAD_PARAMETER',
    `--${flag} is none of its choices: "${text}".${question}`,
    `Use one of: ${choices.join(', ')}.`,
    correction,
  );
}

function single(parameter: CliParameter, text: string): unknown {
  switch (parameter.kind) {
    case 'number': {
      const value = Number(text);
      if (text.trim() === '' || !Number.isFinite(value))
        throw new ClientError(
          'BAD_PARAMETER',
          `--${parameter.flag} wants a number, not "${text}".`,
          `Write digits: --${parameter.flag} 10`,
        );
      return value;
    }
    case 'scalar':
      return scalarValue(text);
    case 'json':
      return readJson(parameter, text);
    case 'flag':
    case 'jsonList':
    case 'members':
    case 'pairs':
    case 'text':
    case 'texts':
      return text;
  }
}

/** A bare text for a member, read as that member wants it. */
function scalar(text: string, parameter: CliParameter, short: string): unknown {
  return parameter.members.find((one) => one.name === short)?.kind === 'scalar'
    ? scalarValue(text)
    : text;
}

function scalarValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  const value = Number(text);
  // Numbers a double cannot hold stay text, as do addresses.
  return /^-?\d+(\.\d+)?$/.test(text) && (Number.isSafeInteger(value) || text.includes('.'))
    ? value
    : text;
}

function takeWord(command: CliCommand, target: Arguments, state: WordState, word: string): void {
  if (state.list !== null) {
    const { list } = state;
    const named = command.parameters.find((one) => one.name === list);
    target[list] = [...listAt(target, [list]), ...(named ? listItems(named, word) : [word])];
    return;
  }
  const verb = Object.hasOwn(command.verbs, word) ? command.verbs[word] : undefined;
  const names = Object.keys(command.verbs);
  const verbSet = Object.entries(command.verbs).some(
    ([name, one]) => 'set' in one && target[one.set] === name,
  );
  if (verb && !verbSet) {
    if ('list' in verb) state.list = verb.list;
    else target[verb.set] = word;
    return;
  }
  const meant = wordMeant(command, target);
  if (
    meant !== null &&
    target[meant] === undefined &&
    (verbSet || names.length === 0 || isOfOneVariant(command, meant))
  ) {
    const named = command.parameters.find((one) => one.name === meant);
    target[meant] = named ? single(named, word) : word;
    return;
  }
  const likely = verbSet ? undefined : likelyMeant(command, word);
  const { question, correction = likely } = nearestWord(word, names);
  throw new ClientError(
    'BAD_PARAMETER',
    `"${word}" is not understood.${question}`,
    usageHint(command),
    correction,
  );
}

/** A bare word where none is taken: what stands behind a verb without that. */
function likelyMeant(command: CliCommand, word: string): Correction | undefined {
  const verbs = Object.entries(command.verbs);
  const verb =
    verbs.find(([, one]) => 'list' in one) ?? (command.word === null ? undefined : verbs[0]);
  return verb === undefined ? undefined : { wrong: word, right: [verb[0], word] };
}

/** Throws BAD_PARAMETER with an example for a command line that lacks what the command needs. */
export function checkRequired(command: CliCommand, given: Arguments): void {
  const missing = command.required.filter((name) => given[name] === undefined);
  if (missing.length === 0) return;
  throw new ClientError(
    'BAD_PARAMETER',
    `strobe ${command.command} needs ${missing.join(' and ')}.`,
    `strobe ${command.examples[0] ?? `${command.command} --help`}`,
  );
}

/** The parameter a bare word is for: that of the verb, or where it is given that of the command. */
function wordMeant({ verbs, word }: CliCommand, target: Arguments): string | null {
  for (const [name, verb] of Object.entries(verbs)) {
    const meant = 'set' in verb && target[verb.set] === name ? verb.word : undefined;
    if (meant !== undefined && target[meant] === undefined) return meant;
  }
  return word;
}

/** A word that only one variant takes tells the variant. */
function isOfOneVariant(command: CliCommand, name: string): boolean {
  return command.parameters.find((one) => one.name === name)?.variants.length === 1;
}

function takeRest(command: CliCommand, target: Arguments, rest: readonly string[]): void {
  if (rest.length === 0) return;
  if (!command.rest)
    throw new ClientError('BAD_PARAMETER', 'Nothing may follow -- here.', usageHint(command));
  const [first, ...others] = rest;
  target[command.rest.first] = first;
  target[command.rest.others] = others;
}

/** What was given so far of a list, or of one inside an object. */
function listAt(target: Arguments, [name = '', inner]: readonly string[]): unknown[] {
  const outer = target[name];
  const value = inner === undefined ? outer : isArguments(outer) ? outer[inner] : null;
  return Array.isArray(value) ? value : [];
}

function isArguments(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function setAt(target: Arguments, path: readonly string[], value: unknown): void {
  const [name, inner] = path;
  if (name === undefined) return;
  if (inner === undefined) target[name] = value;
  else {
    const object = target[name];
    target[name] = {
      ...(typeof object === 'object' && object !== null ? object : {}),
      [inner]: value,
    };
  }
}

function readJson(parameter: CliParameter, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ClientError(
      'BAD_PARAMETER',
      `--${parameter.flag} wants JSON, not ${text}`,
      'Quote it for the shell: \'{"contains": "x"}\'.',
    );
  }
}

function unknownFlag(command: CliCommand, word: string): ClientError {
  const flags = command.parameters.flatMap((parameter) => [
    parameter.flag,
    ...parameter.members.map((one) => `${parameter.flag}.${one.flag}`),
  ]);
  const bare = word.replace(/^-+/, '');
  const { question, correction } = nearestWord(bare, [...flags, 'json', 'help'], '--');
  return new ClientError(
    'UNKNOWN_PARAMETER',
    `${word} is not an option of strobe ${command.command}.${question}`,
    usageHint(command),
    correction && { ...correction, wrong: word },
  );
}

function usageHint(command: CliCommand): string {
  return `strobe ${command.command} --help shows the options.`;
}
