import { readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pause } from '../../base/deadline.ts';
import { isBelow } from '../../base/paths.ts';
import { catches } from '../../base/proc.ts';
import { lookAtNode } from '../../collector/look/lookAtNode.ts';
import type { Tally } from '../../testing/tally.ts';
import { lookLines } from '../report/session/threadLines.ts';
import { place } from '../report/text/placeText.ts';
import type { StackParts } from '../postMortem/explainSnapshot.ts';
import { lookAtProcess } from '../postMortem/inspectThreads.ts';
import { processTree, type TreeProcess } from './processTree.ts';

const PYTHON_MS = 500;
const MOST_STACKS = 6000;
const MOST_THREADS = 8;
const MOST_LOOKS = 6;

/** A run whose processes are asked where they are. */
export interface StuckRun {
  readonly pid: number;
  readonly folder: string;
  readonly projectRoot: string;
  readonly language: string;
  readonly tally: Tally;
  readonly look: StackParts;
}

/** All threads' stacks by the language's own means; null where it has none that do no harm. */
export async function stacksOf(run: StuckRun): Promise<string | null> {
  const tree = processTree(run.pid);
  switch (run.language) {
    case 'Python':
      return await pythonStacks(run, tree);
    case 'JavaScript':
      return await nodeStacks(run, tree);
    case 'C++':
    case 'Rust':
      return await nativeStacks(run, tree);
    default:
      return null;
  }
}

/** Python tells where its threads are when it was prepared to (reporters do). */
async function pythonStacks(
  { tally, folder }: StuckRun,
  tree: readonly TreeProcess[],
): Promise<string | null> {
  const told = tally.processes.find((one) => one.stackSignal !== null);
  if (!told || told.stackSignal === null || !tree.some((one) => one.pid === told.pid)) return null;
  // It would end a program that another has replaced, or that has its number.
  if (!catches(told.pid, told.stackSignal)) return null;
  try {
    process.kill(told.pid, told.stackSignal);
  } catch {
    return null; // It has ended, or is another user's.
  }
  await pause(PYTHON_MS);
  const text = await readFile(join(folder, 'stacks.txt'), 'utf8').catch(() => '');
  return text === '' ? null : withoutFramework(text);
}

/** A dump of faulthandler without the frames of the test framework. */
function withoutFramework(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/\/(_pytest|pluggy|unittest|site-packages\/pytest)\//.test(line))
    .join('\n')
    .trim()
    .slice(0, MOST_STACKS);
}

/** The process that works, or the youngest. */
async function nodeStacks(
  { projectRoot }: StuckRun,
  tree: readonly TreeProcess[],
): Promise<string | null> {
  const nodes = tree.filter(({ pid }) => basename(programOf(pid)) === 'node');
  // A runner waits for the processes it made for the tests.
  const found = busiest(nodes.filter(({ pid }) => nodes.every(({ parent }) => parent !== pid)));
  const look = found && (await lookAtNode(found.pid));
  if (!look) return null;
  const who = `node (${found.pid})`;
  const asked = 'asked through its inspector, which it says on standard error';
  if (look.frames === null) {
    const open = look.waitsFor.length > 0 ? ` with ${kindsOf(look.waitsFor)} open` : '';
    return `${who} runs no JavaScript: it waits in its event loop${open} (${asked})`;
  }
  const lines = look.frames
    .filter(({ file }) => !file.includes('/node_modules/'))
    .map(
      (frame) =>
        `  ${frame.function || '(anonymous)'} ${place(frame.file, frame.line, projectRoot)}`,
    );
  return [`${who} runs, newest call first (${asked}):`, ...lines].join('\n').slice(0, MOST_STACKS);
}

/** `2 Timeout, TCPSocketWrap` */
function kindsOf(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => (count > 1 ? `${count} ${word}` : word)).join(', ');
}

async function nativeStacks(
  { tally, projectRoot, look }: StuckRun,
  tree: readonly TreeProcess[],
): Promise<string | null> {
  const isOwn = (path: string): boolean =>
    tally.programs.includes(path) || isBelow(path, projectRoot);
  const found = busiest(tree.filter(({ pid }) => isOwn(programOf(pid))));
  if (!found) return null;
  const image = programOf(found.pid);
  let seen = await lookAtProcess(found.pid, { image, projectRoot }, look);
  // The first look at a program has its symbols read.
  for (let again = 0; again < MOST_LOOKS && seen?.problems.length; again += 1)
    seen = await lookAtProcess(found.pid, { image, projectRoot }, look);
  const lines = lookLines(seen, projectRoot, MOST_THREADS);
  if (lines.length === 0) return null;
  return [`${basename(image)} (${found.pid})`, ...lines].join('\n').slice(0, MOST_STACKS);
}

/** That with the most processor time; of equals the youngest. */
function busiest(tree: readonly TreeProcess[]): TreeProcess | null {
  return tree.toSorted((a, b) => b.ticks - a.ticks || b.pid - a.pid)[0] ?? null;
}

/** Empty when it has ended. */
function programOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return '';
  }
}
