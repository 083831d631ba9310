import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { nameThread } from '../../base/threadName.ts';
import { monotonicMs } from '../../base/clock.ts';
import { StrobeError } from '../../model/errors.ts';
import type { Pattern } from '../../model/names/pattern.ts';
import { readCore } from './core/coreFile.ts';
import type { ElfFile } from './elf/elfFile.ts';
import { complete, find } from './index/find.ts';
import { firstMatches } from './index/firstMatches.ts';
import { findVariables } from './index/findVariables.ts';
import { Library } from './index/library.ts';
import { Demangler } from './names/demangler.ts';
import { readableSymbol } from './names/readableName.ts';
import { postMortem } from './unwind/postMortem.ts';
import type { OpenListener } from '../resolver.ts';
import type { Answer, Question, Reply, WorkerSettings } from './workerMessages.ts';

/** Main of the worker thread that reads symbols: answers questions one after another. */
function main(settings: WorkerSettings): void {
  const port = parentPort;
  if (port === null) throw new Error('This file is the main of a worker thread.');
  const send = (reply: Reply): void => port.postMessage(reply);
  const demangler = new Demangler(readFileSync(settings.demanglerPath));
  const library = new Library(settings.cacheDir, demangler);
  port.on('message', (question: Question) => {
    send({ kind: 'answer', answer: answer(library, demangler, question, send) });
  });
  send({ kind: 'ready' });
}

function answer(
  library: Library,
  demangler: Demangler,
  question: Question,
  send: (reply: Reply) => void,
): Answer {
  try {
    return ask(library, demangler, question, {
      progress: paced((share) => send({ kind: 'progress', share })),
      firstMatches: (matches) => send({ kind: 'first', matches }),
    });
  } catch (error) {
    if (error instanceof StrobeError)
      return { kind: 'failed', code: error.code, message: error.message, hint: error.hint };
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return {
      kind: 'failed',
      code: 'INTERNAL',
      message: `The symbol index failed: ${detail}`,
      hint: '',
    };
  }
}

function ask(
  library: Library,
  demangler: Demangler,
  question: Question,
  told: OpenListener,
): Answer {
  switch (question.kind) {
    case 'open':
      return {
        kind: 'opened',
        summary: library.open(question.path, told.progress, (elf) =>
          lookAhead(elf, question.patterns, demangler, told),
        ),
      };
    case 'find':
      return {
        kind: 'found',
        outcome: find(library, demangler, question.modules, question.pattern, question.options),
      };
    case 'variables': {
      const { modules, name, depth } = question;
      return { kind: 'variables', match: findVariables(library, modules, name, depth) };
    }
    case 'namesAt': {
      const code = library.code(question.path);
      return {
        kind: 'namedAt',
        names: question.offsets.map((offset) => code.nameAt(offset)),
      };
    }
    case 'explain':
      return {
        kind: 'explained',
        report: postMortem(question.snapshot, library, question.options),
      };
    case 'core':
      return { kind: 'coreRead', core: readCore(question.path) };
    case 'readable':
      return {
        kind: 'readable',
        names: question.names.map((name) => readableSymbol(name, demangler).name),
      };
    case 'complete':
      return {
        kind: 'completed',
        names: complete(library, question.modules, question.prefix, question.limit),
      };
  }
}

/** What it cannot tell is told by the index. */
function lookAhead(
  elf: ElfFile,
  patterns: readonly Pattern[],
  demangler: Demangler,
  told: OpenListener,
): void {
  if (patterns.length === 0) return;
  try {
    told.firstMatches(firstMatches(elf, patterns, demangler));
  } catch {
    return;
  }
}

function readSettings(value: unknown): WorkerSettings {
  if (
    typeof value === 'object' &&
    value !== null &&
    'cacheDir' in value &&
    'demanglerPath' in value
  ) {
    const { cacheDir, demanglerPath } = value;
    if (typeof cacheDir === 'string' && typeof demanglerPath === 'string')
      return { cacheDir, demanglerPath };
  }
  throw new TypeError('The symbol worker was started without its settings.');
}

const progressEveryMs = 100;

function paced(tell: (share: number) => void): (share: number) => void {
  let last = monotonicMs();
  return (share) => {
    const now = monotonicMs();
    if (now - last < progressEveryMs) return;
    last = now;
    tell(share);
  };
}

nameThread('strobe-symbols');
main(readSettings(workerData));
