import { readChunks } from '../../base/readAll.ts';
import { startOwned } from '../../base/process.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SqlQuestion, SqlReply, SqlRows } from './sqlMessages.ts';

/** A statement may run this long, the start of its process included. */
const LIMIT_MS = 2500;
const HEAP_MB = 512;

/**
 * Runs one statement in a process of its own. Throws BAD_SQL with what can be asked, TIMED_OUT,
 * CANCELLED, or STORE_FAILED.
 */
export async function runSql(
  mainPath: string,
  question: SqlQuestion,
  signal: AbortSignal,
): Promise<SqlRows> {
  await using child = await startOwned({
    command: process.execPath,
    args: [`--max-old-space-size=${HEAP_MB}`, mainPath],
  });
  let why: 'late' | 'cancelled' | null = null;
  const stop = (reason: 'late' | 'cancelled'): void => {
    why ??= reason;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => stop('late'), LIMIT_MS);
  const cancel = (): void => stop('cancelled');
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    child.stdin.end(JSON.stringify(question));
    child.stderr.resume();
    const parts: Buffer[] = [];
    for await (const part of readChunks(child.stdout)) parts.push(part);
    const { code } = await child.ended;
    if (code === 0) return read(Buffer.concat(parts));
    throw failed(why);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

function failed(why: 'late' | 'cancelled' | null): StrobeError {
  if (why === 'cancelled') return new StrobeError('CANCELLED', 'The request was cancelled.');
  if (why === 'late') {
    return new StrobeError(
      'TIMED_OUT',
      `The statement took longer than ${LIMIT_MS} ms and was stopped.`,
      "Look at fewer calls: FROM calls('bank::Account::*', time_from_ns, time_to_ns); leave out arguments and return_value where they are not needed.",
    );
  }
  return new StrobeError(
    'STORE_FAILED',
    'The process that ran the statement ended early (out of memory?).',
  );
}

function read(bytes: Buffer): SqlRows {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- written by our own process.
  const reply: SqlReply = JSON.parse(bytes.toString('utf8'));
  if (reply.ok) return reply.answer;
  throw new StrobeError(reply.code, reply.message, reply.hint);
}
