import { isMainThread } from 'node:worker_threads';
import { theAddon } from './addon.ts';
import { allTexts, lineOf, originalColumn, textsOf, type RewrittenText } from './rewrittenText.ts';

const MOST_LINES = 2000;
const MOST_COLUMNS = 5000;

interface Place {
  readonly file: string;
  readonly line: number;
}

/** What Node prints before it ends for an exception shows the original line of source, as it would without us. */
export function correctPrinted(frames: readonly Place[]): void {
  if (!isPrinted()) return;
  const hold = (): void => {
    const lines = linesOf(frames);
    if (lines !== '') theAddon().hold(lines);
  };
  // Behind what other listeners print. While it exits already, no listener is called any more.
  if ((process as unknown as { readonly _exiting?: boolean })._exiting) hold();
  else process.on('exit', hold);
}

function isPrinted(): boolean {
  const options = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  return (
    isMainThread &&
    process.listenerCount('uncaughtException') === 0 &&
    !process.hasUncaughtExceptionCaptureCallback() &&
    !options.includes('abort-on-uncaught-exception')
  );
}

/** Lines in which it can have been thrown: where its stack leads through, and where anything is thrown. */
function linesOf(frames: readonly Place[]): string {
  const told = new Map<string, string>();
  const tell = (text: RewrittenText, line: number): void => {
    const both = lineOf(text, line);
    if (!both || told.size >= MOST_LINES || both.rewritten.length > MOST_COLUMNS) return;
    const columns = Array.from(
      { length: both.rewritten.length + 1 },
      (_, column) => originalColumn(text, line, column + 1) - 1,
    );
    told.set(both.rewritten, `${both.rewritten}\0${both.original}\0${columns.join(',')}\0`);
  };
  for (const { file, line } of frames) for (const text of textsOf(file)) tell(text, line);
  // The lines of a stack may be those of what a loader compiled.
  for (const file of new Set(frames.map((frame) => frame.file)))
    for (const text of textsOf(file)) eachLine(text, (_, line) => tell(text, line));
  for (const text of allTexts())
    eachLine(text, (content, line) => {
      if (content.includes('throw')) tell(text, line);
    });
  return [...told.values()].join('');
}

function eachLine({ original }: RewrittenText, use: (content: string, line: number) => void): void {
  for (const [index, content] of original.split('\n').entries()) use(content, index + 1);
}
