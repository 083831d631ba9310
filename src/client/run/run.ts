import type { DetachedProcess } from '../../base/process.ts';
import type { HelloRequest } from '../../protocol/socket.ts';
import type { RunEnded, RunPrepared, RunPrepareRequest } from '../../protocol/runCommand.ts';
import { ClientError } from '../clientError.ts';
import { inTerminalWords, withCommands } from '../commandText.ts';
import type { DaemonLink } from '../daemonLink.ts';
import { member, textMember } from '../messages.ts';
import { findDaemon } from '../daemonStart.ts';
import { greeting } from '../identity.ts';
import { descriptors, environment, ignoredSignals } from '../inherited.ts';
import type { CliCommand, Manifest } from '../manifestTypes.ts';
import { projectRootAbove } from '../../base/projectRoot.ts';
import { readRunOptions, runUsage, type RunOptions } from './runOptions.ts';
import { openReport, type RunReport } from './runReport.ts';
import { startSupervisor } from './runSupervisor.ts';
import type { Output } from '../toolCommand.ts';

/** How a command ends: with a status, or by the signal that ended the program it ran. */
export type CommandEnd = number | { readonly signal: NodeJS.Signals; readonly number: number };

/** `strobe run`. */
export async function runRun(
  manifest: Manifest,
  words: readonly string[],
  output: Output,
): Promise<CommandEnd> {
  const end = words.indexOf('--');
  if (words.slice(0, end < 0 ? 1 : end).some((word) => word === '--help' || word === '-h')) {
    output.out(runUsage);
    return 0;
  }
  const options = readRunOptions(words);
  const report = openReport(options.out, output);
  const hello = greeting('run', manifest.version, 'text');
  const { link, note } = await findDaemon(hello);
  if (note !== null) output.err(`strobe: ${note}\n`);
  const run = { link, hello, options, commands: manifest.commands, report, output };
  try {
    const status = await runWith(run);
    return report.close() || status !== 0 ? status : (manifest.exitStatus['environment'] ?? 1);
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

interface Run {
  readonly link: DaemonLink;
  readonly hello: HelloRequest;
  readonly options: RunOptions;
  /** What next steps are written as. */
  readonly commands: readonly CliCommand[];
  readonly report: RunReport;
  readonly output: Output;
}

async function runWith(run: Run): Promise<CommandEnd> {
  const { link, options, report, output } = run;
  const [command = '', ...args] = options.program;
  const { projectRoot, patterns } = options;
  const inherited = descriptors();
  const request: Omit<RunPrepareRequest, 'patterns'> & { readonly patterns: readonly unknown[] } = {
    command,
    args,
    cwd: process.cwd(),
    env: environment(),
    projectRoot,
    patterns,
    follow: options.children,
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
    const live = options.isLive ? showLive(link, sessionId, report) : null;
    const started = await link
      .request('strobe/run/start', { sessionId, supervisorAnswer })
      .catch((error: unknown) => {
        if (link.isOpen) throw error;
        return null; // The daemon died; the program is there, and the next one looks after it.
      });
    // With a file for the report, standard error is the program's alone.
    const told = report.isFile ? [] : listOf(member(started, 'notes'));
    for (const note of told) output.err(noteText(note, run.commands));
    return await followRun({ ...run, sessionId, supervisor: supervisor.process, told, live });
  } finally {
    stopPassing();
  }
}

interface StartedRun extends Run {
  readonly sessionId: string;
  readonly supervisor: DetachedProcess;
  /** Notes that were shown at the start. */
  readonly told: readonly string[];
  /** Ends when all calls were shown; null: they are not shown. */
  readonly live: Promise<void> | null;
}

/** Waits for the end and reports. A daemon that dies meanwhile costs at most the report. */
async function followRun(run: StartedRun): Promise<CommandEnd> {
  const { link, sessionId, supervisor, options, commands, report } = run;
  try {
    const views = options.views.length > 0 || !options.isLive ? options.views : ['stats'];
    const request = {
      sessionId,
      budget: options.budget,
      // A daemon of before knows nothing of it.
      ...(views.length === 0 ? {} : { views }),
    };
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
    await run.live;
    const untold = ended.notes.filter(
      (note) => !run.told.includes(note) && !ended.report.includes(note),
    );
    const notes = untold.map((note) => noteText(note, commands)).join('');
    report.write(`${notes}${inCommands(withoutNotes(ended.report, run.told), commands)}\n`);
    return endOf(ended.exit);
  } catch (error) {
    // The program runs on under its supervisor, which ends as it does.
    const { code } = await supervisor.ended;
    const why = error instanceof ClientError ? error.text : String(error);
    run.output.err(`strobe: no report. ${why}\n`);
    return code ?? 1;
  }
}

/** Shows what the program does while it runs, until its end. */
async function showLive(link: DaemonLink, sessionId: string, report: RunReport): Promise<void> {
  let after = -1;
  for (;;) {
    const answer = await link.request('strobe/run/live', { sessionId, after }).catch(() => null); // The end tells what went wrong.
    report.write(
      listOf(member(answer, 'lines'))
        .map((line) => `${line}\n`)
        .join(''),
    );
    if (answer === null || member(answer, 'isOver') === true) return;
    after = Number(member(answer, 'upTo'));
  }
}

/** A report without these notes. */
function withoutNotes(report: string, notes: readonly string[]): string {
  const lines = new Set(notes.map((note) => `! ${note}`));
  return report
    .split('\n')
    .filter((line) => !lines.has(line))
    .join('\n');
}

function noteText(note: string, commands: readonly CliCommand[]): string {
  return `strobe: ${inTerminalWords(note, commands)}\n`;
}

/** The report with its next steps as commands; its parts stand apart by an empty line. */
function inCommands(report: string, commands: readonly CliCommand[]): string {
  return report
    .split('\n\n')
    .map((part) => withCommands(part, commands, false))
    .join('\n\n')
    .replaceAll(/^ {2}strobe launch (.*?)(?=-- )/gm, (line, options: string) =>
      runAgain(line, options),
    );
}

/** A launch of the same program from here, as the run that it is for the person who typed `strobe run`. */
function runAgain(line: string, options: string): string {
  const here = ` --cwd ${process.cwd()} `;
  const shown = ` ${options}`;
  const isPlain = !/ --(?!cwd |project-root |trace )/.test(shown);
  return shown.startsWith(here) && isPlain
    ? `  strobe run${shown.replace(here, ' ').replace(` --project-root ${projectRootAbove(process.cwd())} `, ' ')}`
    : line;
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
 * it sees. It stops us when the program stops. `supervisorPid`: reported once it is known; what came before
 * is reported then.
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
      () => undefined, // Nothing was started; the answer says so.
    );
  };
  for (const signal of passed) process.on(signal, pass);
  return () => {
    for (const signal of passed) process.off(signal, pass);
  };
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
