import { resolve } from 'node:path';
import { projectRootAbove } from '../../base/projectRoot.ts';
import { ClientError } from '../clientError.ts';
import { nearestWord } from '../nearestWord.ts';

/** What a report may show beside the story of a crash. */
export type RunView = 'stats' | 'tree';

export interface RunOptions {
  /** Texts, and what begins as an object read as one. */
  readonly patterns: readonly unknown[];
  readonly views: readonly RunView[];
  /** Calls are shown while the program runs. */
  readonly isLive: boolean;
  /** The file for the whole report; null: standard error. */
  readonly out: string | null;
  readonly children: 'all' | 'none';
  readonly projectRoot: string;
  readonly budget: number;
  readonly program: readonly string[];
}

export const runUsage = `Usage: strobe run [options] -- PROGRAM [ARGS...]

Runs a program as if strobe were not there: its stdin, stdout and stderr pass through, its exit
status (or signal) is returned. One report follows on stderr: why it crashed, if it did, and the
traced calls.

  -t, --trace PATTERN       Functions to trace; may be repeated. Default: none, output only.
                            With lines, a condition or an invariant: '{"pattern": "mix", "lines": true}'
  --tree                    Report who called whom, with arguments and results
  --stats                   Report counts and times per function. Default: both
  -f, --follow              Show each call as it begins and ends, then only counts and times
  -o, --out FILE            Report to this file; stderr is then the program's alone
  --children none           Trace only the program itself, not what it executes
  --budget N                Tokens the report may have (default 4000)
  --project-root DIR        The sources; default: the nearest project root above

  strobe run -- ./app input.txt
  strobe run --trace 'audio::*' --tree -- ./player song.wav
  strobe run -f -t @usercode -o calls.txt -- ./app

Signals sent to strobe reach the program. Killed by SIGKILL, strobe leaves it running: strobe
session list names its session, strobe session stop SESSION --take-over ends it.
`;

/** A value that each option could have. */
const valueExamples: Readonly<Record<string, string>> = {
  '--trace': '@usercode',
  '--out': 'report.txt',
  '--children': 'none',
  '--project-root': '.',
  '--budget': '4000',
};

/** Its options, for completions. */
export const runNames: readonly string[] = [
  '--tree',
  '--stats',
  '--follow',
  ...Object.keys(valueExamples),
];
const short: Readonly<Record<string, string>> = {
  '-t': '--trace',
  '-f': '--follow',
  '-o': '--out',
};
const usageHint = 'strobe run --help shows the options.';

/** The words behind `strobe run`. Throws BAD_PARAMETER or UNKNOWN_PARAMETER. */
export function readRunOptions(words: readonly string[]): RunOptions {
  let options: Omit<RunOptions, 'program'> = {
    patterns: [],
    views: [],
    isLive: false,
    out: null,
    children: 'all',
    budget: 4000,
    projectRoot: projectRootAbove(process.cwd()),
  };
  let at = 0;
  for (; at < words.length && words[at] !== '--' && words[at]?.startsWith('-'); at++) {
    const [text = '', next] = words.slice(at, at + 2);
    const equals = text.startsWith('--') ? text.indexOf('=') : -1;
    const given = equals < 0 ? text : text.slice(0, equals);
    const word = short[given] ?? given;
    const flag = flagOption(word, options);
    if (flag) {
      options = { ...options, ...flag };
      continue;
    }
    if (!runNames.includes(word)) throw unknownOption(word);
    const value = equals < 0 ? next : text.slice(equals + 1);
    if (value === undefined || value === '--')
      throw new ClientError('BAD_PARAMETER', `${word} needs a value.`, usageHint, {
        wrong: text,
        right: [text, valueExamples[word] ?? ''],
      });
    options = { ...options, ...valueOption(word, value, options) };
    if (equals < 0) at++;
  }
  const program = words.slice(words[at] === '--' ? at + 1 : at);
  if (program.length > 0) return { ...options, program };
  throw new ClientError('BAD_PARAMETER', 'No program is given.', undefined, {
    wrong: '--',
    right: ['--', './app'],
  });
}

function unknownOption(word: string): ClientError {
  const { question, correction } = nearestWord(word, runNames);
  return new ClientError(
    'UNKNOWN_PARAMETER',
    `${word} is not an option of strobe run.${question}`,
    usageHint,
    correction,
  );
}

function flagOption(
  word: string,
  { views }: Pick<RunOptions, 'views'>,
): Partial<RunOptions> | undefined {
  if (word === '--follow') return { isLive: true };
  if (word === '--tree' || word === '--stats')
    return { views: [...views, word === '--tree' ? 'tree' : 'stats'] };
  return undefined;
}

function valueOption(
  word: string,
  value: string,
  { patterns }: Pick<RunOptions, 'patterns'>,
): Partial<RunOptions> {
  switch (word) {
    case '--trace':
      return { patterns: [...patterns, pattern(value)] };
    case '--out':
      return { out: resolve(value) };
    case '--project-root':
      return { projectRoot: resolve(value) };
    case '--children':
      if (value === 'all' || value === 'none') return { children: value };
      throw wrongValue(`--children wants all or none, not "${value}".`, value, 'none');
    case '--budget':
      if (/^\d{3,7}$/.test(value)) return { budget: Number(value) };
      throw wrongValue(`--budget wants a number of tokens, not "${value}".`, value, '4000');
    default:
      throw unknownOption(word);
  }
}

function pattern(value: string): unknown {
  if (!value.startsWith('{')) return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new ClientError(
      'BAD_PARAMETER',
      `--trace wants a pattern or JSON, not ${value}`,
      `strobe run --trace '{"pattern": "audio::mix", "lines": true}' -- ./player`,
    );
  }
}

function wrongValue(message: string, wrong: string, right: string): ClientError {
  return new ClientError('BAD_PARAMETER', message, usageHint, { wrong, right: [right] });
}
