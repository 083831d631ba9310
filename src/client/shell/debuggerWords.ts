import { isDeepStrictEqual } from 'node:util';
import { ClientError } from '../clientError.ts';
import { checkDifferent } from './differentWords.ts';

/** What the words of debuggers are here; they are rewritten before a command is read. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  b: ['break'],
  breakpoint: ['break'],
  c: ['continue'],
  n: ['next'],
  s: ['step'],
  out: ['finish'],
  stepi: ['step', '--instruction'],
  si: ['step', '--instruction'],
  nexti: ['next', '--instruction'],
  ni: ['next', '--instruction'],
  p: ['print'],
  eval: ['print'],
  backtrace: ['bt'],
  context: ['where'],
  args: ['locals'],
  output: ['query', 'output'],
};

/** Commands whose help explains these words. */
const explained: Readonly<Record<string, string>> = {
  watch: 'break',
  catch: 'break',
  start: 'launch',
  frame: 'locals',
  thread: 'where',
  set: 'memory',
  raw: 'memory',
};

/** Verbs of `break` that are its own. */
const breakVerbs: ReadonlySet<string> = new Set(['add', 'change', 'remove']);

/** A command line as debuggers have it, as Strobe has it; any other line as it is. Throws BAD_PARAMETER. */
export function debuggerWords(words: readonly string[]): readonly string[] {
  const [command = '', ...rest] = words;
  const alias = aliases[command] ?? [command];
  if (rest.some((word) => word === '--help' || word === '-h'))
    return command in explained || command in aliases
      ? [explained[command] ?? alias[0] ?? command, '--help']
      : words;
  checkDifferent(command === 'output' ? command : (alias[0] ?? command), rest);
  switch (alias[0]) {
    case 'break':
      return breakWords(rest);
    case 'watch':
      return watchWords(rest);
    case 'catch':
      return catchWords(rest);
    case 'start':
      return ['launch', '--', ...rest.filter((word) => word !== '--')];
    case 'frame':
      return framed(rest);
    case 'thread':
      return rest[0] === undefined ? ['where'] : ['where', '--thread', ...rest];
    case 'set':
      return setWords(rest);
    case 'raw':
      return rawWords(rest);
    case 'memory':
      return memoryWords(rest);
    case 'registers':
      return registerWords(rest);
    case 'next':
    case 'step':
      return stepWords(alias[0], [...alias.slice(1), ...rest]);
    case 'print':
    case 'disassemble':
      // Both are always shown.
      return [...alias, ...rest.filter((word) => word !== '--type' && word !== '--source')];
    default:
      return command in aliases ? [...alias, ...rest] : words;
  }
}

/** Options of a debugger's command; what is none of them stays. */
interface Options {
  readonly values: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

function taken(words: readonly string[], names: Readonly<Record<string, string>>): Options {
  const values: Record<string, string> = {};
  const left: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const name = Object.hasOwn(names, word) ? names[word] : undefined;
    if (name === undefined) left.push(word);
    else if (name === 'once') values[name] = word;
    else values[name] = words[++at] ?? missing(word);
  }
  return { values, words: left };
}

function missing(option: string): never {
  throw new ClientError('BAD_PARAMETER', `${option} needs a value.`, 'strobe break --help');
}

/** Members of a breakpoint by their options. */
const hitOptions = {
  '--condition': 'condition',
  '--if': 'condition',
  '--hit-count': 'at',
  '--at': 'at',
  '--every': 'every',
  '--after': 'after',
  '--stop': 'stop',
  '--thread': 'thread',
  '--log': 'log',
  '--label': 'label',
};
const countOptions: ReadonlySet<string> = new Set(['at', 'every', 'after']);

function breakWords(rest: readonly string[]): readonly string[] {
  const [verb = 'list', ...more] = rest;
  if (verb === 'list') return ['break', ...more];
  if (verb === 'enable' || verb === 'disable') return enableWords(verb, more);
  if (verb === 'remove') return ['break', ...rest.map((word) => (word === '--all' ? 'all' : word))];
  const ownOptions = ['-f', '--function', '--once', ...Object.keys(hitOptions)];
  if (verb.startsWith('-') && !ownOptions.includes(verb)) return ['break', ...rest];
  if (verb === 'change') return ['break', ...rest];
  const { values, words } = taken(breakVerbs.has(verb) ? more : rest, {
    ...hitOptions,
    '--once': 'once',
    '-f': 'function',
    '--function': 'function',
  });
  const [place = '', ...own] = words;
  const [, file, line] = /^(.+):(\d+)$/.exec(place) ?? [];
  const { function: name, ...hits } = values;
  if (Object.keys(values).length === 0) return ['break', 'add', ...words];
  const where =
    name !== undefined
      ? { function: name }
      : file === undefined
        ? { function: place }
        : { file, line: Number(line) };
  return [...added({ ...where, ...hitsOf(hits) }), ...(name === undefined ? own : words)];
}

function hitsOf(values: Options['values']): object {
  const hits: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(values)) {
    hits[name] = name === 'once' || hitOption(name, value);
  }
  return hits;
}

function hitOption(name: string, value: string): string | number {
  if (!countOptions.has(name)) return value;
  if (!/^[1-9]\d*$/.test(value))
    throw new ClientError(
      'BAD_PARAMETER',
      `"${value}" is no number of hits.`,
      `strobe break add order.c:22 --${name} 5`,
    );
  return Number(value);
}

function added(breakpoint: object): readonly string[] {
  return ['break', 'add', JSON.stringify(breakpoint)];
}

function enableWords(verb: 'enable' | 'disable', words: readonly string[]): readonly string[] {
  const option = words.findIndex((word) => word.startsWith('-'));
  const ids = option < 0 ? words : words.slice(0, option);
  if (ids.length === 0)
    throw new ClientError(
      'BAD_PARAMETER',
      `break ${verb} needs the id of a breakpoint; "strobe break" lists them.`,
      `strobe break ${verb} b1`,
    );
  const changes = ids.map((id) => JSON.stringify({ id, enabled: verb === 'enable' }));
  return ['break', 'change', ...changes, ...words.slice(ids.length)];
}

function watchWords([data, ...rest]: readonly string[]): readonly string[] {
  if (data === undefined || data === 'list') return ['break', ...rest];
  if (data === 'remove') return ['break', 'remove', ...rest];
  const { values, words } = taken(rest, hitOptions);
  const own = words.filter((word) => word !== '--read' && word !== '--access');
  const access = own.length === words.length ? {} : { access: 'access' };
  return [...added({ data, ...access, ...hitsOf(values) }), ...own];
}

/** Who raises, by the word for it. */
const raisers: Readonly<Record<string, string>> = {
  throw: 'cpp',
  panic: 'panic',
  python: 'python',
  js: 'js',
};

/** The words that set just this breakpoint at exceptions; null: it is none, or asks more. */
export function catchText(args: Readonly<Record<string, unknown>>): string | null {
  const { add, ...others } = args;
  const breakpoint: unknown = Array.isArray(add) && add.length === 1 ? add[0] : null;
  if (Object.keys(others).length > 0) return null;
  const word = Object.keys(raisers).find((one) =>
    isDeepStrictEqual(breakpoint, { exception: raisers[one] }),
  );
  return word === undefined ? null : `strobe catch ${word}`;
}

function catchWords([kind, ...rest]: readonly string[]): readonly string[] {
  if (kind === undefined || kind === 'list') return ['break', ...rest];
  if (kind === 'remove') return ['break', 'remove', ...rest];
  const exception = raisers[kind];
  if (exception === undefined)
    throw new ClientError(
      'BAD_PARAMETER',
      `"catch ${kind}" is none of: throw, panic, python, js, list, remove.`,
      'strobe catch throw std::runtime_error, strobe catch python KeyError --uncaught',
    );
  const [first, ...others] = rest;
  const type = first === undefined || first.startsWith('--') ? {} : { type: first };
  const own = 'type' in type ? others : rest;
  const words = own.filter((word) => word !== '--uncaught');
  const caught = words.length === own.length ? {} : { caught: 'uncaught' };
  return [...added({ exception, ...type, ...caught }), ...words];
}

/** By a line, or by an instruction of the machine. */
function stepWords(command: 'next' | 'step', rest: readonly string[]): readonly string[] {
  const own = rest.filter((word) => word !== '--instruction');
  if (own.length === rest.length) return [command, ...rest];
  return ['continue', command === 'next' ? 'overInstruction' : 'instruction', ...own];
}

/** The variables of a frame; without a number where the thread stands. */
function framed([number, ...rest]: readonly string[]): readonly string[] {
  return number === undefined ? ['where'] : ['locals', '--frame', number, ...rest];
}

/** A line of the console of the debugger that holds the program. */
function rawWords(words: readonly string[]): readonly string[] {
  const line = words.join(' ');
  if (line === '')
    throw new ClientError('BAD_PARAMETER', 'raw needs a command.', "strobe raw 'info registers'");
  return ['memory', '--do', JSON.stringify({ evaluate: line, sideEffects: true })];
}

function setWords([place, value, ...rest]: readonly string[]): readonly string[] {
  if (place === undefined || value === undefined)
    throw new ClientError(
      'BAD_PARAMETER',
      'set needs a variable and a value.',
      'strobe set order.total 12.5',
    );
  const number = /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  const is = value === 'true' || value === 'false' ? value === 'true' : number;
  return ['memory', '--do', JSON.stringify({ write: place, value: is }), ...rest];
}

const usualBytes = 64;

function memoryWords([verb, place, ...rest]: readonly string[]): readonly string[] {
  if (verb === 'read' && place === undefined)
    throw new ClientError(
      'BAD_PARAMETER',
      'memory read needs an address or a variable.',
      "strobe memory read '&counter' --count 8",
    );
  if (verb !== 'read' || place === undefined)
    return ['memory', ...[verb, place].filter((word) => word !== undefined), ...rest];
  const { values, words } = taken(rest, { '--count': 'bytes', '--format': 'format' });
  const bytes = Number(values['bytes'] ?? usualBytes);
  return ['memory', '--do', JSON.stringify({ read: place.replace(/^&/, ''), bytes }), ...words];
}

/** All registers, or those that are named. */
function registerWords(rest: readonly string[]): readonly string[] {
  const option = rest.findIndex((word) => word.startsWith('-'));
  const names = option < 0 ? rest : rest.slice(0, option);
  if (names.length === 0) return ['registers', ...rest];
  const reads = names.flatMap((name) => ['--do', JSON.stringify({ read: `$${name}` })]);
  return ['memory', ...reads, ...rest.slice(names.length)];
}

const usualWaitMs = 300_000;

/** For how long `await` waits in all; undefined: one call of the given length. */
export function awaitedMs(rest: readonly string[]): {
  readonly words: readonly string[];
  readonly ms: number | undefined;
} {
  const { values, words } = taken(rest, { '--timeout': 'seconds' });
  const { seconds } = values;
  if (seconds === undefined)
    return { words, ms: words.includes('--timeout-ms') ? undefined : usualWaitMs };
  const ms = Math.round(Number(seconds) * 1000);
  if (!(ms >= 0))
    throw new ClientError(
      'BAD_PARAMETER',
      `"${seconds}" is no number of seconds.`,
      'strobe await --timeout 300',
    );
  return { words, ms };
}
