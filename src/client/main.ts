import { closeSync } from 'node:fs';
import { pause } from '../base/deadline.ts';
import { inert } from '../base/visible.ts';
import { checkOptions } from './checkOptions.ts';
import { otherCommands, runComplete } from './shell/complete.ts';
import { completionScripts } from './shell/completionScripts.ts';
import { ClientError, withCorrectedLine, type Correction } from './clientError.ts';
import { runDaemonCommand } from './daemonCommand.ts';
import { findDaemon } from './daemonStart.ts';
import { demoNames, runDemo } from './demo.ts';
import { awaitedMs, debuggerWords } from './shell/debuggerWords.ts';
import { runDap } from './dap.ts';
import { runDoctor } from './doctor.ts';
import { overview, plainHelp } from './help.ts';
import { greeting } from './identity.ts';
import { runInstall } from './install/install.ts';
import { manifest } from './manifest.ts';
import { manPage } from './shell/manPage.ts';
import { nearestWord } from './nearestWord.ts';
import { showPaged } from './terminal/pager.ts';
import { painter } from './terminal/paint.ts';
import { runProxy } from './proxy.ts';
import { runRun, type CommandEnd } from './run/run.ts';
import { runScenario } from './scenario/scenarioCommand.ts';
import { runTop } from './terminal/top.ts';
import { runTool, showFailure, type Output } from './toolCommand.ts';

const paintOut = painter(process.stdout.isTTY, process.env);
const paintErr = painter(process.stderr.isTTY, process.env);
const output: Output = {
  out: (text) => void process.stdout.write(process.stdout.isTTY ? paintOut(inert(text)) : text),
  err: (text) => void process.stderr.write(process.stderr.isTTY ? paintErr(inert(text)) : text),
  async page(text) {
    const { isTTY, rows } = process.stdout;
    if (!isTTY || !(await showPaged(paintOut(inert(text)), rows, process.env))) output.out(text);
  },
  isTerminal: process.stderr.isTTY,
  control: (sequence) => void process.stderr.write(sequence),
};

async function main(given: readonly string[]): Promise<CommandEnd> {
  const [command = 'help', ...rest] = debuggerWords(given);
  checkFolder();
  const help = rest.some((word) => ['--help', '-h'].includes(word)) ? plainHelp(command) : null;
  if (help !== null) {
    output.out(help);
    return 0;
  }
  switch (command) {
    case 'mcp':
      checkOptions(command, rest, ['--structured']);
      return await serveMcp(rest.includes('--structured'));
    case 'dap':
      checkOptions(command, rest, []);
      return await serveDap();
    case 'run':
      return await runRun(manifest, rest, output);
    case 'scenario':
      return await runScenario(manifest, rest, output);
    case 'top':
      return await runTop(manifest, rest, output);
    case 'daemon':
      return await runDaemonCommand(manifest, rest, output);
    case 'doctor':
      return await runDoctor(manifest, rest, output);
    case 'demo':
      checkOptions(command, rest.slice(0, 1), demoNames);
      checkOptions(command, rest.slice(1), []);
      return await runDemo({
        name: rest[0],
        env: process.env,
        write: output.out,
        progress: output.err,
      });
    case 'complete':
      return await runComplete(manifest, rest, output);
    case 'completion':
      checkOptions(command, rest, Object.keys(completionScripts));
      output.out(completionScripts[rest[0] ?? 'bash'] ?? '');
      return 0;
    case 'man':
      checkOptions(command, rest, []);
      output.out(manPage(manifest));
      return 0;
    case 'install':
      return runInstall(rest, output);
    case 'version':
    case '--version':
    case '-V':
      checkOptions('version', rest, ['--json']);
      output.out(rest.length > 0 ? `${JSON.stringify(versions)}\n` : `${manifest.version}\n`);
      return 0;
    case 'help':
    case '--help':
    case '-h':
      if (rest[0] !== undefined && !rest[0].startsWith('-')) return await main([rest[0], '--help']);
      output.out(overview(manifest));
      return 0;
    default:
      return await toolCommand(command, rest);
  }
}

/** Paths are meant from it, and programs are started in it. */
function checkFolder(): void {
  try {
    process.cwd();
  } catch {
    throw new ClientError(
      'NO_SUCH_DIRECTORY',
      'The folder you are in was removed.',
      'Go to one that exists: cd.',
    );
  }
}

const versions = { version: manifest.version, node: process.versions.node };

async function serveMcp(structured: boolean): Promise<number> {
  // One client id for the life of the proxy: a new daemon knows whose sessions they were.
  const hello = greeting('mcp', manifest.version, structured ? 'both' : 'text', structured);
  await runProxy({
    input: process.stdin,
    output: process.stdout,
    manifest,
    structured,
    async connect() {
      const found = await findDaemon(hello);
      if (found.note !== null) output.err(`strobe: ${found.note}\n`);
      return found;
    },
  });
  return 0;
}

async function serveDap(): Promise<number> {
  const hello = greeting('editor', manifest.version, 'both');
  return await runDap({
    input: process.stdin,
    output: process.stdout,
    commands: manifest.commands,
    connect: async () => findDaemon(hello),
  });
}

async function toolCommand(name: string, words: readonly string[]): Promise<number> {
  const command = manifest.commands.find((candidate) => candidate.command === name);
  if (command && name === 'await') {
    const { words: rest, ms } = awaitedMs(words);
    return await runTool(manifest, command, rest, output, ms);
  }
  if (command) return await runTool(manifest, command, words, output);
  const names = [...manifest.commands.map((one) => one.command), ...Object.keys(otherCommands)];
  const { question, correction } = verbAlone(name) ?? nearestWord(name, names);
  throw new ClientError(
    'BAD_PARAMETER',
    `"${name}" is not a command.${question}`,
    'strobe help lists them.',
    correction ?? programAsCommand(name),
  );
}

/** A verb whose command is missing: `strobe stop`. */
function verbAlone(name: string): ReturnType<typeof nearestWord> | null {
  const [command] = [
    ...manifest.commands.filter((one) => name in one.verbs).map((one) => one.command),
    ...Object.keys(otherCommands).filter((one) => otherCommands[one]?.includes(name)),
  ];
  if (command === undefined) return null;
  const question = ` Did you mean "${command} ${name}"?`;
  return { question, correction: { wrong: name, right: [command, name] } };
}

/** A program where a command is due: it is to be run. */
function programAsCommand(name: string): Correction | undefined {
  return name.includes('/') ? { wrong: name, right: ['run', '--', name] } : undefined;
}

/** At its exit Node sets a terminal back to how it found it; what the program did to it (stty) stays. */
function leaveTerminal(): void {
  for (const descriptor of [0, 1, 2]) {
    try {
      closeSync(descriptor);
    } catch {
      // It was not open.
    }
  }
}

/** A pipe takes as much as its reader lets it; the rest would go with us. */
async function allWritten(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => void stream.write('', () => resolve()));
}

/** As of an error of kind `environment`. */
const cannotWrite = 5;
const words = process.argv.slice(2);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0); // The reader has what it wanted.
  process.stderr.write(`strobe: standard output cannot be written: ${error.message}\n`);
  process.exit(cannotWrite);
});
let isErrLost = false;
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  isErrLost = error.code !== 'EPIPE';
});
let end: CommandEnd;
try {
  end = await main(words);
} catch (error) {
  end = showFailure(withCorrectedLine(error, words), words.includes('--json'), manifest, output);
}
if (typeof end !== 'number') {
  // As the program ended, so do we: a shell then reports the same signal.
  process.removeAllListeners(end.signal);
  process.kill(process.pid, end.signal);
  await pause(1000);
}
await Promise.all([allWritten(process.stdout), allWritten(process.stderr)]);
await new Promise(setImmediate); // What could not be written is told by then.
if (isErrLost && end === 0) end = cannotWrite;
if (words[0] === 'run') leaveTerminal();
process.exit(typeof end === 'number' ? end : 128 + end.number);
