import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { isBelow } from '../../base/paths.ts';
import { lookAtNode } from '../../collector/look/lookAtNode.ts';
import type { Tally } from '../../testing/tally.ts';
import { lookLines } from '../report/session/threadLines.ts';
import { place } from '../report/text/placeText.ts';
import type { StackParts } from '../postMortem/explainSnapshot.ts';
import { lookAtProcess } from '../postMortem/inspectThreads.ts';
import { processTree, type TreeProcess } from './processTree.ts';

const MOST_STACKS = 6000;
const MOST_THREADS = 8;
const MOST_LOOKS = 6;
const MOST_PROCESSES = 4;

/** A run whose processes are asked where they are. */
export interface StuckRun {
  readonly pid: number;
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
    case 'Go':
      return await goStacks(run, tree);
    case 'JavaScript':
      return await nodeStacks(run, tree);
    case 'C++':
    case 'Rust':
      return await nativeStacks(run, tree);
    default:
      return null;
  }
}

/** Processes that run tests, and Python programs that these started and that started no more. */
async function pythonStacks(run: StuckRun, tree: readonly TreeProcess[]): Promise<string | null> {
  const leaves = tree.filter(
    ({ pid }) => isPython(programOf(pid)) && tree.every(({ parent }) => parent !== pid),
  );
  const pids = new Set([...run.tally.processes, ...leaves.map(({ pid }) => pid)]);
  const living = [...pids].filter((one) => tree.some(({ pid }) => pid === one));
  const texts = [];
  for (const pid of living.slice(0, MOST_PROCESSES)) {
    const text = await threadStacks(pid, run);
    if (text !== null) texts.push(text);
  }
  return texts.length === 0 ? null : texts.join('\n').slice(0, MOST_STACKS);
}

function isPython(program: string): boolean {
  return basename(program).startsWith('python');
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

async function nativeStacks(run: StuckRun, tree: readonly TreeProcess[]): Promise<string | null> {
  const isOwn = (path: string): boolean =>
    run.tally.programs.includes(path) || isBelow(path, run.projectRoot);
  const found = busiest(tree.filter(({ pid }) => isOwn(programOf(pid))));
  return found && (await threadStacks(found.pid, run));
}

/** `go test` builds a program for each package. */
async function goStacks(run: StuckRun, tree: readonly TreeProcess[]): Promise<string | null> {
  const found = busiest(tree.filter(({ pid }) => programOf(pid).endsWith('.test')));
  return found && (await threadStacks(found.pid, run));
}

async function threadStacks(pid: number, { projectRoot, look }: StuckRun): Promise<string | null> {
  const image = programOf(pid);
  let seen = await lookAtProcess(pid, { image, projectRoot }, look);
  // The first look at a program has its symbols read.
  for (let again = 0; again < MOST_LOOKS && seen?.problems.length; again += 1)
    seen = await lookAtProcess(pid, { image, projectRoot }, look);
  const lines = lookLines(seen, projectRoot, MOST_THREADS);
  if (lines.length === 0) return null;
  return [`${basename(image)} (${pid})`, ...lines].join('\n').slice(0, MOST_STACKS);
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
