import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { callingTool } from '../callingTool.ts';
import { ClientError } from '../clientError.ts';
import { findDaemon } from '../daemonStart.ts';
import { greeting } from '../identity.ts';
import type { Manifest } from '../manifestTypes.ts';
import { listMember, member, numberMember, textMember } from '../messages.ts';
import { nearestWord } from '../nearestWord.ts';
import type { Output } from '../toolCommand.ts';

const usage = `Usage: strobe top [SESSION] [--sort rate|time|errors|calls] [--rounds N]

Functions of a running session, once a second: calls and time of the last second, calls in all, and calls that an
exception left. Ends with the program.

  At a terminal: r rate · t time · e errors · c calls · space pauses · q quits
  --rounds N                End after N seconds

  strobe top
  strobe top shop-2026 --sort errors
`;

const sorts = ['rate', 'time', 'errors', 'calls'] as const;
type Sort = (typeof sorts)[number];

/** What is known of a function, and of its last second. */
export interface TopRow {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  /** Calls a second. */
  readonly rate: number;
  /** Share of the last second, all threads together. */
  readonly time: number;
}

interface TopOptions {
  sessionId: string | undefined;
  sort: Sort;
  rounds: number;
}

/** `strobe top`. */
export async function runTop(
  manifest: Manifest,
  words: readonly string[],
  output: Output,
): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    output.out(usage);
    return 0;
  }
  const options = readOptions(words);
  const { link } = await findDaemon(greeting('cli', manifest.version, 'both'));
  const keys = listenToKeys();
  try {
    const call = await callingTool(link, manifest);
    let before: readonly RawRow[] | null = null;
    let atMs = monotonicMs();
    for (let round = 0; round <= options.rounds && !keys.isOver; round++) {
      const answer = await call('debug_query', {
        view: 'stats',
        limit: 100,
        ...(options.sessionId === undefined ? {} : { sessionId: options.sessionId }),
      });
      if (member(answer, 'isError') === true) throw asError(answer);
      const twin = member(answer, 'structuredContent');
      options.sessionId ??= textMember(twin, 'sessionId');
      const now = monotonicMs();
      const rows = rawRows(twin);
      if (before && !keys.isStopped) {
        options.sort = keys.sort ?? options.sort;
        const shown = topRows(before, rows, (now - atMs) / 1000, options.sort);
        show(textMember(twin, 'about'), shown, options.sort, output);
      }
      if (member(twin, 'state') === 'ended' && before) return 0;
      before = rows;
      atMs = now;
      await pause(round === 0 ? 300 : 1000);
    }
    return 0;
  } finally {
    keys.close();
    link.close();
  }
}

interface RawRow {
  readonly name: string;
  readonly calls: number;
  readonly totalNs: number;
  readonly errors: number;
}

function rawRows(twin: unknown): RawRow[] {
  return listMember(twin, 'rows').map((row) => ({
    name: textMember(row, 'key'),
    calls: numberMember(row, 'count'),
    totalNs: numberMember(row, 'totalNs'),
    errors: numberMember(row, 'unwound'),
  }));
}

/** What happened between two looks, `seconds` apart. */
export function topRows(
  before: readonly RawRow[],
  rows: readonly RawRow[],
  seconds: number,
  sort: Sort,
): TopRow[] {
  const known = new Map(before.map((row) => [row.name, row]));
  return rows
    .map(({ name, calls, totalNs, errors }) => ({
      name,
      calls,
      errors,
      rate: (calls - (known.get(name)?.calls ?? 0)) / seconds,
      time: (totalNs - (known.get(name)?.totalNs ?? 0)) / 1e9 / seconds,
    }))
    .toSorted((a, b) => b[sort] - a[sort] || b.calls - a.calls);
}

function show(about: string, rows: readonly TopRow[], sort: Sort, output: Output): void {
  const { isTTY, columns, rows: height } = process.stdout;
  const lines = rows
    .slice(0, isTTY ? Math.max(3, height - 4) : 20)
    .map(({ name, calls, errors, rate, time }) =>
      [
        rate.toFixed(0).padStart(10),
        `${(time * 100).toFixed(1)} %`.padStart(9),
        String(calls).padStart(12),
        String(errors).padStart(8),
        ` ${name}`,
      ].join(''),
    );
  const head = `${'calls/s'.padStart(10)}${'time'.padStart(9)}${'calls'.padStart(12)}${'errors'.padStart(8)} function, by ${sort}`;
  if (isTTY) process.stdout.write('\x1b[H\x1b[2J');
  const text = [about, head, ...lines].map((line) => (isTTY ? line.slice(0, columns) : line));
  output.out(`${text.join('\n')}\n`);
}

interface Keys {
  readonly isOver: boolean;
  readonly isStopped: boolean;
  readonly sort: Sort | null;
  close(): void;
}

/** What a person presses; nothing where nobody is. */
function listenToKeys(): Keys {
  const keys: { isOver: boolean; isStopped: boolean; sort: Sort | null } = {
    isOver: false,
    isStopped: false,
    sort: null,
  };
  const { stdin } = process;
  const isThere = stdin.isTTY && process.stdout.isTTY;
  const press = (bytes: Buffer): void => {
    for (const key of bytes.toString()) {
      if (key === 'q' || key === '\x03') keys.isOver = true;
      if (key === ' ') keys.isStopped = !keys.isStopped;
      keys.sort = sorts.find((sort) => sort.startsWith(key)) ?? keys.sort;
    }
  };
  if (isThere) {
    stdin.setRawMode(true);
    stdin.on('data', press);
  }
  return Object.assign(keys, {
    close() {
      if (!isThere) return;
      stdin.setRawMode(false);
      stdin.off('data', press);
      stdin.pause();
    },
  });
}

function readOptions(words: readonly string[]): TopOptions {
  const options: TopOptions = { sessionId: undefined, sort: 'rate', rounds: Infinity };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--sort') options.sort = sortNamed(words[++at] ?? '');
    else if (word === '--rounds') options.rounds = Number(words[++at]) || 1;
    else if (word.startsWith('-')) throw unknown(word, ['--sort', '--rounds']);
    else options.sessionId = word;
  }
  return options;
}

function sortNamed(word: string): Sort {
  const found = sorts.find((sort) => sort === word);
  if (found) return found;
  throw unknown(word, sorts);
}

function unknown(word: string, known: readonly string[]): ClientError {
  const { question, correction } = nearestWord(word, known);
  return new ClientError(
    'BAD_PARAMETER',
    `${word} is not understood by strobe top.${question}`,
    `Use one of: ${known.join(', ')}.`,
    correction,
  );
}

function asError(answer: unknown): ClientError {
  const error = member(member(answer, 'structuredContent'), 'error');
  return new ClientError(
    'NO_SESSION',
    textMember(error, 'message'),
    'strobe session list shows them.',
  );
}
