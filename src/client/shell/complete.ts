import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf } from '../../base/home.ts';
import { projectRootAbove } from '../../base/projectRoot.ts';
import { runningDaemon } from '../daemonStart.ts';
import { greeting } from '../identity.ts';
import type { CliCommand, CliParameter, Manifest } from '../manifestTypes.ts';
import { member } from '../messages.ts';
import { runNames } from '../run/runOptions.ts';
import type { Output } from '../toolCommand.ts';

/** Commands that are no tools, with the words that may follow. */
export const otherCommands: Readonly<Record<string, readonly string[]>> = {
  run: runNames,
  scenario: ['--session', '--junit', '--keep'],
  top: ['--sort', '--rounds'],
  daemon: ['status', 'start', 'stop', 'logs'],
  doctor: ['--fix', '--quick', '--json'],
  demo: ['native', 'python', 'node', 'go', 'debug', 'ui'],
  install: [
    'claude-code',
    'codex',
    'vscode',
    'cursor',
    'windsurf',
    'gemini',
    'copilot',
    '--project',
    '--remove',
    '--print',
  ],
  mcp: ['--structured'],
  dap: [],
  completion: ['bash', 'zsh', 'fish'],
  man: [],
  version: ['--json'],
  help: [],
};

/** What a shell asks: what the last of the words may become, a line each. Never an error: a person is typing. */
export async function runComplete(
  manifest: Manifest,
  words: readonly string[],
  output: Output,
): Promise<number> {
  const begun = words.at(-1) ?? '';
  const wanted = wantedWords(manifest, words);
  const found = wanted.ask === null ? [] : await asked(manifest, wanted.ask, begun).catch(() => []);
  const texts = [...wanted.words.filter((word) => word.startsWith(begun)), ...found];
  output.out(texts.map((text) => `${text}\n`).join(''));
  return 0;
}

type Asked = 'sessionId' | 'function' | 'test';

interface WantedWords {
  readonly words: readonly string[];
  /** What only the daemon knows. */
  readonly ask: Asked | null;
}

/** By the parameter's name. */
const askedOf: Readonly<Record<string, Asked>> = {
  sessionId: 'sessionId',
  other: 'sessionId',
  patterns: 'function',
  add: 'function',
  remove: 'function',
  function: 'function',
  root: 'function',
  '--trace': 'function',
  '-t': 'function',
  test: 'test',
};

/** What may stand where the last of the words is. */
export function wantedWords(manifest: Manifest, words: readonly string[]): WantedWords {
  const [name = '', ...rest] = words;
  if (rest.length === 0) {
    const names = [...Object.keys(otherCommands), ...manifest.commands.map((one) => one.command)];
    return { words: names.toSorted(), ask: null };
  }
  const command = manifest.commands.find((one) => one.command === name);
  const before = rest.at(-2) ?? '';
  if (command) return ofCommand(command, rest, before);
  return { words: otherCommands[name] ?? [], ask: askedOf[before] ?? null };
}

function ofCommand(command: CliCommand, rest: readonly string[], before: string): WantedWords {
  const parameter = before.startsWith('--')
    ? command.parameters.find(({ flag }) => `--${flag}` === before)
    : undefined;
  if (parameter && parameter.kind !== 'flag')
    return { words: parameter.choices, ask: askedOf[parameter.name] ?? null };
  if (rest.at(-1)?.startsWith('-')) return { words: flagsOf(command), ask: null };
  const verbs = Object.entries(command.verbs);
  const verb = verbs.find(([word]) => rest.slice(0, -1).includes(word));
  if (!verb && verbs.length > 0) return { words: verbs.map(([word]) => word), ask: null };
  if (verb && 'list' in verb[1]) return { words: [], ask: askedOf[verb[1].list] ?? null };
  return { words: [], ask: command.word === null ? null : (askedOf[command.word] ?? null) };
}

function flagsOf({ parameters }: CliCommand): string[] {
  return [...parameters.flatMap(withMembers), '--json', '--help'];
}

function withMembers({ flag, members }: CliParameter): string[] {
  return [`--${flag}`, ...members.map((one) => `--${flag}.${one.flag}`)];
}

/** Asks the daemon, if one runs: pressing a key starts none. */
async function asked(manifest: Manifest, parameter: Asked, begun: string): Promise<string[]> {
  const link = await runningDaemon(greeting('cli', manifest.version, 'both'));
  if (!link) return parameter === 'sessionId' ? keptSessions(begun) : [];
  try {
    const [protocolVersion] = manifest.legacyVersions;
    const clientInfo = { name: 'strobe-cli', version: manifest.version };
    await link.request('initialize', { protocolVersion, capabilities: {}, clientInfo });
    link.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const answer = await link.request('completion/complete', {
      ref: { type: 'ref/prompt', name: promptOf[parameter] },
      argument: { name: parameter, value: begun },
      context: { arguments: { projectRoot: projectRootAbove(process.cwd()) } },
    });
    const values = member(member(answer, 'completion'), 'values');
    return Array.isArray(values) ? values.map(String) : [];
  } finally {
    link.close();
  }
}

/** Ids of the sessions that are kept, the newest first: each has a folder. */
function keptSessions(begun: string): string[] {
  const folder = join(homeOf(process.env).path, 'sessions');
  const begunAt = (id: string): number => statSync(join(folder, id)).mtimeMs;
  return readdirSync(folder)
    .filter((id) => id.startsWith(begun))
    .toSorted((a, b) => begunAt(b) - begunAt(a));
}

/** A prompt that has such an argument. */
const promptOf: Readonly<Record<Asked, string>> = {
  sessionId: 'why-slow',
  function: 'why-slow',
  test: 'explain-failing-test',
};
