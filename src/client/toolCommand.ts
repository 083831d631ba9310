import { resolve } from 'node:path';
import { projectRootAbove } from '../base/projectRoot.ts';
import { callingTool } from './callingTool.ts';
import { ClientError } from './clientError.ts';
import { checkRequired, parseCommand } from './commandLine.ts';
import type { DaemonLink } from './daemonLink.ts';
import { member, textMember } from './messages.ts';
import { findDaemon } from './daemonStart.ts';
import { commandHelp } from './help.ts';
import { inTerminalWords, withCommands } from './commandText.ts';
import { greeting } from './identity.ts';
import type { CliCommand, Manifest } from './manifestTypes.ts';
import { shellLine } from './shellWords.ts';
import { untilStopped } from './shell/untilStopped.ts';

/** Where a command writes. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** What may be longer than the terminal: through a pager there. */
  readonly page: (text: string) => Promise<void>;
  /** A person is watching. */
  readonly isTerminal: boolean;
  /** Moves the cursor of the terminal: only ever our own words. */
  readonly control: (sequence: string) => void;
}

/** Runs a tool as a command; the exit status. `stopWithinMs`: it is asked again until something has stopped. */
export async function runTool(
  manifest: Manifest,
  command: CliCommand,
  words: readonly string[],
  output: Output,
  stopWithinMs?: number,
): Promise<number> {
  const parsed = parseCommand(command, words);
  if (parsed.help) {
    output.out(commandHelp(command));
    return 0;
  }
  const args = withDefaults(command, parsed.arguments);
  checkRequired(command, args);
  const { link, note } = await findDaemon(
    greeting('cli', manifest.version, parsed.json ? 'both' : 'text'),
  );
  if (note !== null) output.err(`${note}\n`);
  try {
    const call = async (more: object): Promise<unknown> =>
      callTool(link, manifest, command.tool, { ...args, ...more }, output);
    const result =
      stopWithinMs === undefined
        ? await call({})
        : await untilStopped((timeoutMs) => call({ timeoutMs }), stopWithinMs);
    return await show(result, parsed.json, { manifest, command, words, output });
  } finally {
    link.close();
  }
}

/** The arguments with what the command line need not say. */
export function withDefaults(
  command: CliCommand,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const args: Record<string, unknown> = { ...given };
  const { variant } = command;
  const word = variant === null ? undefined : given[variant.key];
  const chosen = typeof word === 'string' ? word : (variant?.usual ?? '');
  for (const [name, value] of Object.entries(command.defaults)) {
    const parameter = command.parameters.find((one) => one.name === name);
    const isKnown = parameter === undefined || parameter.variants.length === 0;
    if (!isKnown && !parameter.variants.includes(chosen)) continue;
    args[name] ??= value === 'projectRoot' ? projectRootAbove(process.cwd()) : value;
  }
  // Paths on a command line are meant from where it was typed.
  for (const name of ['projectRoot', 'cwd', 'file', 'path']) {
    const path = args[name];
    if (typeof path === 'string') args[name] = resolve(path);
  }
  return args;
}

/** One tool call, with what it says of itself while it runs. */
async function callTool(
  link: DaemonLink,
  manifest: Manifest,
  tool: string,
  args: object,
  output: Output,
): Promise<unknown> {
  const progress = new ProgressLine(output);
  link.onMessage = (message) => {
    if (message.method !== 'notifications/progress') return;
    const text = member(message.params, 'message');
    if (typeof text === 'string') progress.show(text);
  };
  const call = await callingTool(link, manifest);
  try {
    return await call(tool, args);
  } finally {
    progress.clear();
  }
}

interface ShownCommand {
  readonly manifest: Manifest;
  readonly command: CliCommand;
  readonly words: readonly string[];
  readonly output: Output;
}

/** A refusal that asks for one more flag, with the command line that has it. */
function withMissingFlag(
  refusal: string,
  words: readonly string[],
  { parameters }: CliCommand,
): string {
  return refusal.replace(/^Next: Add (--[\w.-]+)\.$/m, (_, flag: string) => {
    const rest = words.indexOf('--');
    const at = rest < 0 ? words.length : rest;
    const choices = parameters.find((one) => `--${one.flag}` === flag)?.choices;
    const value = choices?.[0] ?? flag.slice(2).toUpperCase();
    return `Next: ${shellLine(['strobe', ...words.toSpliced(at, 0, flag, value)])}`;
  });
}

async function show(
  result: unknown,
  json: boolean,
  { manifest, command, words, output }: ShownCommand,
): Promise<number> {
  const structured = member(result, 'structuredContent');
  const content = member(result, 'content');
  const text = Array.isArray(content)
    ? content
        .filter((part) => member(part, 'type') !== 'image')
        .map((part) => textMember(part, 'text'))
        .join('\n')
    : '';
  const failed = member(result, 'isError') === true;
  if (json) output.out(`${JSON.stringify(structured, null, 2)}\n`);
  else if (failed) {
    const refusal = withCommands(text, manifest.commands, true);
    output.err(`${withMissingFlag(refusal, [command.command, ...words], command)}\n`);
  } else await output.page(`${shownText(text, structured, manifest)}\n`);
  if (!failed) return isGood(command, structured) ? 0 : 1;
  const kind = member(member(structured, 'error'), 'kind');
  return manifest.exitStatus[String(kind)] ?? 1;
}

function shownText(text: string, structured: unknown, { commands }: Manifest): string {
  if (!Array.isArray(member(structured, 'channels'))) return withCommands(text, commands, false);
  // Below the command of the session all words are ours.
  const [head = '', ...states] = text.split('\n');
  return [head, inTerminalWords(states.join('\n'), commands)].join('\n');
}

/** What was asked for was done, but it may have come to a bad end: tests that fail. */
function isGood({ succeeds }: CliCommand, structured: unknown): boolean {
  const found = succeeds === null ? undefined : member(structured, succeeds.member);
  return succeeds === null || found === undefined || found === succeeds.value;
}

/** The latest step on one line of the terminal; nothing where nobody watches. */
class ProgressLine {
  readonly #output: Output;
  #shown = false;

  constructor(output: Output) {
    this.#output = output;
  }

  show(text: string): void {
    if (!this.#output.isTerminal) return;
    this.#output.control('\r\x1b[K');
    this.#output.err(text);
    this.#shown = true;
  }

  clear(): void {
    if (this.#shown) this.#output.control('\r\x1b[K');
    this.#shown = false;
  }
}

/** Prints a failure of the client itself; the exit status. */
export function showFailure(
  error: unknown,
  json: boolean,
  manifest: Manifest,
  output: Output,
): number {
  if (!(error instanceof ClientError)) {
    output.err(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return manifest.exitStatus['bug'] ?? 1;
  }
  if (json)
    output.out(
      `${JSON.stringify({ error: { code: error.code, message: error.message, hint: error.hint } }, null, 2)}\n`,
    );
  else output.err(`${error.text}\n`);
  const kind = manifest.errors[error.code]?.kind;
  return kind === undefined ? 1 : (manifest.exitStatus[kind] ?? 1);
}
