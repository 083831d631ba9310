import { once } from 'node:events';
import { closeSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import { within } from '../base/deadline.ts';
import { startDetached, type DetachedProcess } from '../base/process.ts';
import type { HelloRequest } from '../protocol/socket.ts';
import type { RunEnded, RunPrepared, RunPrepareRequest } from '../protocol/runCommand.ts';
import { ClientError } from './clientError.ts';
import { withCommands } from './commandText.ts';
import type { DaemonLink } from './daemonLink.ts';
import { member, textMember } from './messages.ts';
import { findDaemon } from './daemonStart.ts';
import { greeting } from './identity.ts';
import { nearestWord } from './nearestWord.ts';
import { descriptors, environment, ignoredSignals } from './inherited.ts';
import type { CliCommand, Manifest } from './manifestTypes.ts';
import { projectRootAbove } from '../base/projectRoot.ts';
import type { Output } from './toolCommand.ts';

/** How a command ends: with a status, or by the signal that ended the program it ran. */
export type CommandEnd = number | { readonly signal: NodeJS.Signals; readonly number: number };

interface RunOptions {
  readonly patterns: readonly string[];
  readonly report: string | null;
  readonly follow: 'all' | 'none';
  readonly projectRoot: string;
  readonly budget: number;
  readonly program: readonly string[];
}

/** The supervisor answers as soon as the program is in place. */
const supervisorMs = 20_000;

const usage = `Usage: strobe run [options] -- PROGRAM [ARGS...]

Runs a program as if strobe were not there: its stdin, stdout and stderr pass through, its exit
status (or signal) is returned. The report goes to stderr. Signals sent to strobe reach the program;
killed by SIGKILL, strobe leaves it running: strobe session list --scope all names its session,
strobe session stop SESSION --take-over ends it.

  --trace PATTERN           Functions to trace; may be repeated. Default: none, output only
  --follow none             Only the program itself, not what it executes. Default: all
  --report FILE             The report goes to this file
  --budget N                Tokens the report may have (default 4000)
  --project-root DIR        The sources; default: the nearest project root above

  strobe run --trace 'audio::*' -- ./player song.wav
`;

/** `strobe run`. */
export async function runRun(
  manifest: Manifest,
  words: readonly string[],
  output: Output,
): Promise<CommandEnd> {
  if (words[0] === '--help' || words[0] === '-h') {
    output.out(usage);
    return 0;
  }
  const options = readOptions(words);
  const hello = greeting('run', manifest.version);
  const { link, note } = await findDaemon(hello);
  if (note !== null) output.err(`strobe: ${note}\n`);
  try {
    return await runWith(link, hello, { ...options, commands: manifest.commands }, output);
  } catch (error) {
    const status = error instanceof ClientError ? shellStatus.get(error.code) : undefined;
    if (status === undefined || !(error instanceof ClientError)) throw error;
    output.err(`strobe: ${error.text}\n`);
    return status;
  } finally {
    link.close();
  }
}

/** What a shell returns for a program it cannot run (POSIX XCU 2.8.2). */
const shellStatus = new Map<string, number>([
  ['PROGRAM_NOT_FOUND', 127],
  ['NOT_EXECUTABLE', 126],
  ['WRONG_ARCHITECTURE', 126],
  ['EXEC_FAILED', 126],
]);

async function runWith(
  link: DaemonLink,
  hello: HelloRequest,
  options: ReportedRun,
  output: Output,
): Promise<CommandEnd> {
  const [command = '', ...args] = options.program;
  const { projectRoot, patterns } = options;
  const inherited = descriptors();
  const request: RunPrepareRequest = {
    command,
    args,
    cwd: process.cwd(),
    env: environment(),
    projectRoot,
    patterns: [...patterns],
    follow: options.follow,
    // A daemon of before knows nothing of it.
    ...(inherited.closed === 0 ? {} : { closedStreams: inherited.closed }),
    ignoredSignals: ignoredSignals(),
  };
  const prepared = readPrepared(await link.request('strobe/run/prepare', request));
  const { sessionId } = prepared;
  const starting = startSupervisor(prepared, inherited.further, async (reason) => {
    await link.request('strobe/run/abandon', { sessionId, reason });
  });
  const stopPassing = passSignals(starting.then((supervisor) => supervisor.process.pid));
  try {
    const supervisor = await starting;
    const supervisorAnswer = supervisor.answer.toString('base64');
    const started = await link
      .request('strobe/run/start', { sessionId, supervisorAnswer })
      .catch((error: unknown) => {
        if (link.isOpen) throw error;
        return null; // The daemon died; the program is there, and the next one looks after it.
      });
    // With a report of its own, standard error is the program's alone.
    const told = options.report === null ? listOf(member(started, 'notes')) : [];
    for (const note of told) output.err(`strobe: ${note}\n`);
    const { process } = supervisor;
    return await followRun(link, { sessionId, supervisor: process, options, output, hello, told });
  } finally {
    stopPassing();
  }
}

interface ReportedRun extends RunOptions {
  /** What next steps are written as. */
  readonly commands: readonly CliCommand[];
}

interface StartedRun {
  readonly sessionId: string;
  readonly supervisor: DetachedProcess;
  readonly options: ReportedRun;
  readonly output: Output;
  readonly hello: HelloRequest;
  /** Notes that were shown at the start. */
  readonly told: readonly string[];
}

/** Waits for the end and reports. A daemon that dies meanwhile costs at most the report. */
async function followRun(link: DaemonLink, run: StartedRun): Promise<CommandEnd> {
  const { sessionId, supervisor, options, output } = run;
  try {
    const request = { sessionId, budget: options.budget };
    const ended = readEnded(
      await link.request('strobe/run/wait', request).catch(async (error: unknown) => {
        if (link.isOpen) throw error;
        // The next daemon goes on with the session.
        const { link: next } = await findDaemon(run.hello);
        try {
          return await next.request('strobe/run/wait', request);
        } finally {
          next.close();
        }
      }),
    );
    const untold = ended.notes.filter(
      (note) => !run.told.includes(note) && !ended.report.includes(note),
    );
    const shown = inCommands(ended.report, options.commands);
    const report = [...untold.map((note) => `strobe: ${note}`), shown, ''].join('\n');
    if (options.report === null) output.err(report);
    else writeFileSync(options.report, report);
    return endOf(ended.exit);
  } catch (error) {
    // The program runs on under its supervisor, which ends as it does.
    const { code } = await supervisor.ended;
    const why = error instanceof ClientError ? error.text : String(error);
    output.err(`strobe: no report. ${why}\n`);
    return code ?? 1;
  }
}

/** The report with its next steps as commands; its parts stand apart by an empty line. */
function inCommands(report: string, commands: readonly CliCommand[]): string {
  return report
    .split('\n\n')
    .map((part) => withCommands(part, commands, false))
    .join('\n\n');
}

async function startSupervisor(
  prepared: RunPrepared,
  inherited: readonly number[],
  abandon: (reason: string) => Promise<void>,
): Promise<{ readonly process: DetachedProcess; readonly answer: Buffer }> {
  const { path, args, spec } = prepared.supervisor;
  try {
    const started = await startDetached(
      // Supervisors of before have theirs at 3 and 4, and take no more arguments.
      (pipes) => ({
        command: path,
        args: pipes.join() === '3,4' ? args : [...args, ...pipes.map(String)],
      }),
      { pipes: 2, terminal: true, inherited },
    );
    for (const number of inherited) closeSync(number);
    const [specPipe, answerPipe] = started.pipes;
    if (!specPipe || !answerPipe)
      throw new ClientError('SUPERVISOR_LOST', 'The supervisor got no pipes.');
    specPipe.on('error', () => undefined); // told by the missing answer
    specPipe.end(Buffer.from(spec, 'base64'));
    const late = (): Error =>
      new ClientError(
        'SUPERVISOR_LOST',
        `The supervisor started nothing within ${supervisorMs / 1000} s.`,
      );
    const answer = await within(supervisorMs, readAll(answerPipe), late);
    for (const pipe of started.pipes) pipe.destroy();
    return { process: started, answer };
  } catch (error) {
    await abandon(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

async function readAll(pipe: Duplex): Promise<Buffer> {
  const parts: Buffer[] = [];
  pipe.on('data', (part: Buffer) => parts.push(part));
  await once(pipe, 'end');
  return Buffer.concat(parts);
}

/** What a program may be sent by way of us. A supervisor knows which of them it has got already. */
const passed = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGTERM',
  'SIGTSTP',
  'SIGCONT',
] as const satisfies readonly NodeJS.Signals[];

/** `forwardSignal` of protocol/supervisor.ts, which a client does not load. */
const forwardSignal = 34;

/**
 * Has the supervisor pass on what is sent to us; that a terminal's signal reaches the program by itself
 * it sees. It stops us when the program stops. `supervisorPid`: once it can be told; what came before
 * is told then.
 */
function passSignals(supervisorPid: Promise<number>): () => void {
  const pass = (_: NodeJS.Signals, number: number): void => {
    supervisorPid.then(
      (pid) => {
        try {
          process.kill(pid, forwardSignal + number);
        } catch {
          // It has just ended; the program's status follows.
        }
      },
      () => undefined, // Nothing was started; that is told.
    );
  };
  for (const signal of passed) process.on(signal, pass);
  return () => {
    for (const signal of passed) process.off(signal, pass);
  };
}

function readOptions(words: readonly string[]): RunOptions {
  let options: Omit<RunOptions, 'program'> = {
    patterns: [],
    report: null,
    follow: 'all',
    budget: 4000,
    projectRoot: projectRootAbove(process.cwd()),
  };
  let at = 0;
  while (at < words.length && words[at] !== '--' && words[at]?.startsWith('-')) {
    const [word = '', value] = words.slice(at, at + 2);
    if (!names.includes(word)) throw unknownOption(word);
    if (value === undefined || value === '--') {
      throw new ClientError('BAD_PARAMETER', `${word} needs a value.`, usageHint);
    }
    options = { ...options, ...readOption(word, value, options.patterns) };
    at += 2;
  }
  const program = words.slice(words[at] === '--' ? at + 1 : at);
  if (program.length > 0) return { ...options, program };
  throw new ClientError(
    'BAD_PARAMETER',
    'No program is given.',
    'strobe run --trace PATTERN -- ./program args',
  );
}

const usageHint = 'strobe run --help shows the options.';
const names = ['--trace', '--follow', '--report', '--project-root', '--budget'];

function unknownOption(word: string): ClientError {
  const { question, correction } = nearestWord(word, names);
  return new ClientError(
    'UNKNOWN_PARAMETER',
    `${word} is not an option of strobe run.${question}`,
    usageHint,
    correction,
  );
}

function readOption(
  word: string,
  value: string,
  patterns: readonly string[],
): Partial<Omit<RunOptions, 'program'>> {
  switch (word) {
    case '--trace':
      return { patterns: [...patterns, value] };
    case '--follow':
      if (value === 'all' || value === 'none') return { follow: value };
      throw new ClientError(
        'BAD_PARAMETER',
        `--follow wants all or none, not "${value}".`,
        usageHint,
      );
    case '--report':
      return { report: resolve(value) };
    case '--project-root':
      return { projectRoot: resolve(value) };
    case '--budget':
      if (/^\d{3,7}$/.test(value)) return { budget: Number(value) };
      throw new ClientError(
        'BAD_PARAMETER',
        `--budget wants a number of tokens, not "${value}".`,
        usageHint,
      );
    default:
      throw unknownOption(word);
  }
}

function readPrepared(answer: unknown): RunPrepared {
  const supervisor = member(answer, 'supervisor');
  return {
    sessionId: textMember(answer, 'sessionId'),
    sessionDir: textMember(answer, 'sessionDir'),
    supervisor: {
      path: textMember(supervisor, 'path'),
      args: listOf(member(supervisor, 'args')),
      spec: textMember(supervisor, 'spec'),
    },
  };
}

function readEnded(answer: unknown): Pick<RunEnded, 'exit' | 'notes' | 'report'> {
  const exit = member(answer, 'exit');
  const report = textMember(answer, 'report');
  const notes = listOf(member(answer, 'notes'));
  return member(exit, 'kind') === 'signalled'
    ? {
        notes,
        report,
        exit: {
          kind: 'signalled',
          signal: textMember(exit, 'signal'),
          number: Number(member(exit, 'number')),
        },
      }
    : { notes, report, exit: { kind: 'exited', code: Number(member(exit, 'code') ?? 1) } };
}

/** Signals whose default is to dump core: sent to ourselves they would leave a core file of Node. */
const dumping = new Set([
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGSYS',
]);

/** As the program ended, so do we; where we cannot, 128 and the signal's number, as a shell says it. */
function endOf(exit: RunEnded['exit']): CommandEnd {
  if (exit.kind === 'exited') return exit.code;
  const { signal, number } = exit;
  return isSignal(signal) && !dumping.has(signal) ? { signal, number } : 128 + number;
}

function isSignal(name: string): name is NodeJS.Signals {
  return /^SIG[A-Z0-9]+$/.test(name) && name !== 'SIGRTMIN' && name !== 'SIGRTMAX';
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
