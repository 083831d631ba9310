import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { projectRootAbove } from '../../base/projectRoot.ts';
import { callingTool, type ToolCall } from '../callingTool.ts';
import { checkOptions } from '../checkOptions.ts';
import { ClientError } from '../clientError.ts';
import { withCommands } from '../commandText.ts';
import { findDaemon } from '../daemonStart.ts';
import { greeting } from '../identity.ts';
import type { Manifest } from '../manifestTypes.ts';
import { listMember, member, numberMember, textMember } from '../messages.ts';
import type { Output } from '../toolCommand.ts';
import { junit, type JunitCase } from './junitReport.ts';

const usage = `Usage: strobe scenario FILE [--session SESSION] [--junit FILE] [--keep]

Launches the program that a scenario file names, carries out its steps, and stops it. Exit status 0: all passed;
1: a step failed. The file is JSON: {"launch": {"command": "./player", "ui": true}, "steps": [...]}; steps are
those of strobe channel run, and paths are meant from the file's folder.

  --session SESSION         Use this running session instead of launching, and leave it running
  --junit FILE              Write a JUnit report: a test case per step
  --keep                    Leave the program running when a step fails

  strobe scenario play.scenario.json --junit report.xml
`;

interface Options {
  readonly path: string;
  readonly sessionId: string | null;
  readonly junit: string | null;
  readonly isKept: boolean;
}

interface Scenario {
  readonly launch: object | null;
  readonly steps: readonly unknown[];
}

/** A tool's answer, and whether it was refused. */
interface Answered {
  readonly text: string;
  readonly structured: unknown;
  readonly isRefused: boolean;
}

/** `strobe scenario`. */
export async function runScenario(
  manifest: Manifest,
  words: readonly string[],
  output: Output,
): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    output.out(usage);
    return 0;
  }
  const options = readOptions(words);
  const scenario = readScenario(options);
  const { link } = await findDaemon(greeting('cli', manifest.version, 'both'));
  try {
    const ask = asking(await callingTool(link, manifest));
    const started = await start(ask, options, scenario);
    const ended = started.isRefused
      ? started
      : await carryOut(ask, options.path, textMember(started.structured, 'sessionId'));
    const isPassed = textMember(ended.structured, 'outcome') === 'passed' && !ended.isRefused;
    const shown = withCommands(ended.text, manifest.commands, ended.isRefused);
    if (ended.isRefused) output.err(`${shown}\n`);
    else output.out(`${shown}\n`);
    if (options.junit !== null) writeReport(options.junit, casesOf(options, scenario, ended));
    const isLeft = options.sessionId !== null || started.isRefused || (options.isKept && !isPassed);
    if (!isLeft) {
      const sessionId = textMember(started.structured, 'sessionId');
      await ask('debug_session', { action: 'stop', sessionId });
      if (!isPassed) output.err('The program is stopped now; --keep leaves it running.\n');
    }
    if (!ended.isRefused) return isPassed ? 0 : 1;
    const kind = member(member(ended.structured, 'error'), 'kind');
    return manifest.exitStatus[String(kind)] ?? 1;
  } finally {
    link.close();
  }
}

type Ask = (tool: string, request: object) => Promise<Answered>;

function asking(call: ToolCall): Ask {
  return async (tool, request) => {
    const result = await call(tool, request);
    return {
      text: listMember(result, 'content')
        .map((part) => textMember(part, 'text'))
        .filter((text) => text !== '')
        .join('\n'),
      structured: member(result, 'structuredContent'),
      isRefused: member(result, 'isError') === true,
    };
  };
}

/** The session that the steps are for. */
async function start(
  ask: Ask,
  { path, sessionId }: Options,
  { launch }: Scenario,
): Promise<Answered> {
  if (sessionId !== null) return { text: '', structured: { sessionId }, isRefused: false };
  if (launch === null)
    throw new ClientError(
      'BAD_PARAMETER',
      `${path} has no "launch", and no --session was given.`,
      'Add "launch": {"command": "./program"} to the file, or --session SESSION.',
    );
  const cwd = dirname(path);
  return await ask('debug_launch', {
    cwd,
    projectRoot: projectRootAbove(cwd),
    ...launch,
    onClientExit: 'keep',
  });
}

/** A scenario that needs more time than one call has is continued. */
async function carryOut(ask: Ask, path: string, sessionId: string): Promise<Answered> {
  let from = 1;
  for (;;) {
    const answer = await ask('debug_channel', { action: 'run', sessionId, path, from });
    const next = numberMember(member(answer.structured, 'failed'), 'number');
    if (
      answer.isRefused ||
      textMember(answer.structured, 'outcome') !== 'unfinished' ||
      next === from
    )
      return answer;
    from = next;
  }
}

function casesOf(
  { path }: Options,
  { steps }: Scenario,
  { structured, text, isRefused }: Answered,
): { readonly name: string; readonly cases: readonly JunitCase[] } {
  const failed = member(structured, 'failed');
  const at = isRefused ? 1 : numberMember(failed, 'number', steps.length + 1);
  const took = new Map(
    listMember(structured, 'passed').map((one) => [
      numberMember(one, 'number'),
      numberMember(one, 'ms'),
    ]),
  );
  const cases = steps.map((step, index): JunitCase => {
    const number = index + 1;
    return {
      name: `${number} ${JSON.stringify(step)}`,
      ms: number === at ? numberMember(failed, 'ms') : (took.get(number) ?? 0),
      result: number < at ? 'passed' : number > at ? 'skipped' : { failure: text },
    };
  });
  return { name: basename(path), cases };
}

function writeReport(
  path: string,
  { name, cases }: { readonly name: string; readonly cases: readonly JunitCase[] },
): void {
  try {
    writeFileSync(path, junit(name, cases));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ClientError('EXPORT_FAILED', `The JUnit report could not be written: ${why}.`);
  }
}

function readScenario({ path }: Options): Scenario {
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ClientError(
      'BAD_PARAMETER',
      `${path} cannot be read as JSON: ${why}.`,
      'Give a file of steps: strobe scenario --help shows one.',
    );
  }
  const launch = member(file, 'launch');
  const steps = Array.isArray(file) ? file : listMember(file, 'steps');
  if (steps.length === 0)
    throw new ClientError(
      'BAD_PARAMETER',
      `${path} has no "steps".`,
      'strobe scenario --help shows a file.',
    );
  return { launch: typeof launch === 'object' ? launch : null, steps };
}

function readOptions(words: readonly string[]): Options {
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const [name = '', inline] = (words[at] ?? '').split(/=(.*)/s);
    if (!['--session', '--junit'].includes(name)) {
      rest.push(words[at] ?? '');
      continue;
    }
    const value = inline ?? words[at + 1];
    if (inline === undefined) at += 1;
    if (value === undefined || value === '')
      throw new ClientError('BAD_PARAMETER', `${name} needs a value.`, `Write ${name} VALUE.`);
    values.set(name, value);
  }
  const flags = rest.filter((word) => word.startsWith('-'));
  checkOptions('scenario', flags, ['--keep', '--session', '--junit']);
  const [path, ...others] = rest.filter((word) => !word.startsWith('-'));
  if (path === undefined || others.length > 0)
    throw new ClientError(
      'BAD_PARAMETER',
      'strobe scenario needs one file.',
      'strobe scenario --help shows one.',
    );
  return {
    path: resolve(path),
    sessionId: values.get('--session') ?? null,
    junit: values.get('--junit') ?? null,
    isKept: flags.includes('--keep'),
  };
}
