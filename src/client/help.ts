import type { CliCommand, CliParameter, Manifest } from './manifestTypes.ts';

const width = 28;

/** What the overview teaches, the first need of a person first. */
const lessons = [
  ['run -- ./app input.txt', 'how it ended; after a crash, why'],
  ["run --trace 'parser::*' -- ./app input.txt", 'every call of these functions, with values'],
  ['test', 'run the tests; --diagnose says which call went wrong'],
  ['launch -- ./server', 'watch a program that stays, or attach to one: attach 4711'],
  ["trace add 'net::Connection::*'", 'trace more of it while it runs'],
  ['query tree', 'who called whom, with arguments and results'],
  ["query --function 'net::*' --return-value.lt 0", 'only the calls that failed'],
  ['report', 'one page to look at: tree, timeline, flame graph'],
  ['session status', 'what each thread does or waits for now'],
] as const;
const lessonWidth = 56;

/** Commands that are not tools; these two have pages of their own. */
const explained = [
  [
    'run [options] -- PROGRAM',
    'Run a program and report: calls, times, or the story of a crash; its input and output pass through',
  ],
  [
    'scenario FILE [--junit FILE]',
    'Run a scenario: act in a program and check windows, output and calls; a JUnit report for CI',
  ],
  ['top [SESSION]', 'Functions of a running session, live: calls a second, time, errors'],
  ['daemon start|stop|status|logs', 'Manage the background daemon'],
] as const;
const plain = [
  [
    'dap',
    'Serve the Debug Adapter Protocol on stdin and stdout, for an editor: launch, attach, or join a session',
  ],
  [
    'mcp [--structured]',
    'Serve MCP on stdin and stdout, for a coding agent; --structured adds JSON to each answer, for programs',
  ],
  [
    'doctor [--fix] [--quick] [--json]',
    'Check what Strobe needs on this machine; --fix puts right what it can, --quick traces nothing to see whether it works',
  ],
  [
    'install [client...] [--project] [--remove] [--print]',
    'Add Strobe and its skill to coding agents: claude-code, codex, vscode, cursor, windsurf, gemini, copilot (default: those found here); --project: to the files of this project; --print: only show the entry',
  ],
  ['demo [native | python | node | go | debug | ui]', 'Watch Strobe find a bug in a real program'],
  [
    'completion bash|zsh|fish',
    'Print what completes commands, session ids, functions and tests in your shell',
  ],
  ['man', 'Print the manual page: strobe man | man -l -'],
  ['version [--json]', 'Print the version'],
] as const;

const meaningOf: Readonly<Record<string, string>> = {
  caller: 'wrong arguments',
  state: 'not possible now',
  target: 'the program',
  environment: 'this machine',
  bug: 'a bug in Strobe',
};

/** What each exit status of a command means. `exitStatus`: by kind of error, as in the manifest. */
export function exitMeanings(
  exitStatus: Manifest['exitStatus'],
): (readonly [status: number, meaning: string])[] {
  const refused = Object.entries(exitStatus).map(
    ([kind, status]) => [status, meaningOf[kind] ?? kind] as const,
  );
  return [[0, 'success'], [1, 'failed (the command, or tests)'], ...refused];
}

/** `strobe help`. */
export function overview(manifest: Manifest): string {
  const tools = manifest.commands.map((command) =>
    row(`  ${command.command}${verbText(command)}`, command.title),
  );
  return [
    `strobe ${manifest.version}: see what a program really does, without touching its source.`,
    '',
    ...lessons.map(([line, meaning]) => `  ${`strobe ${line}`.padEnd(lessonWidth)}${meaning}`),
    '',
    'Commands (strobe <command> --help):',
    '',
    ...explained.map(([usage, meaning]) => row(`  ${usage}`, meaning)),
    ...tools,
    ...plain.map(([usage, meaning]) => row(`  ${usage}`, meaning)),
    '',
    'Options of every command: --help; of those that answer: --json. NO_COLOR switches colours off.',
    `Exit status: ${exitMeanings(manifest.exitStatus)
      .map(([status, meaning]) => `${status} ${meaning}`)
      .join(' · ')}.`,
    '',
  ].join('\n');
}

/** `strobe <command> --help` of a command that has no page of its own; null when it is none. */
export function plainHelp(name: string): string | null {
  const found = plain.find(([usage]) => usage.split(' ')[0] === name);
  return found === undefined ? null : `Usage: strobe ${found[0]}\n\n${found[1]}.\n`;
}

/** `strobe <command> --help` of a tool. */
export function commandHelp(command: CliCommand): string {
  const rest = command.rest
    ? ` -- ${command.rest.first.toUpperCase()} [${command.rest.others.toUpperCase()}...]`
    : '';
  const word = command.word === null ? '' : ` [${command.word}]`;
  return [
    `Usage: strobe ${command.command}${verbText(command)}${word} [options]${rest}`,
    '',
    `${command.title}.`,
    '',
    ...command.parameters.flatMap(parameterLines),
    row('  --json', 'The structured answer instead of the text.'),
    '',
    ...command.examples.map((example) => `  strobe ${example}`),
    '',
  ].join('\n');
}

function verbText(command: CliCommand): string {
  const verbs = Object.keys(command.verbs);
  return verbs.length === 0 ? '' : ` ${verbs.join('|')}`;
}

function parameterLines(parameter: CliParameter): string[] {
  const line = row(`  --${parameter.flag}${valueText(parameter)}`, parameter.meaning);
  const inner = parameter.members.map((one) =>
    row(`  --${parameter.flag}.${one.flag}${valueText(one)}`, one.meaning),
  );
  return [line, ...inner];
}

function valueText(parameter: CliParameter): string {
  if (parameter.choices.length > 0) return ` ${parameter.choices.join('|')}`;
  switch (parameter.kind) {
    case 'flag':
      return '';
    case 'number':
      return ' N';
    case 'pairs':
      return ' NAME=VALUE';
    case 'json':
      return ' JSON';
    case 'jsonList':
      return ' JSON (repeat)';
    case 'texts':
      return ' TEXT (repeat)';
    case 'text':
    case 'scalar':
    case 'members':
      return ' TEXT';
  }
}

function row(left: string, right: string): string {
  if (right === '') return left;
  return left.length < width
    ? `${left.padEnd(width)}${right}`
    : `${left}\n${' '.repeat(width)}${right}`;
}
