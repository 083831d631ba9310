import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { nameThread } from '../../base/threadName.ts';
import { monotonicMs } from '../../base/clock.ts';
import { failureOf, type Reply } from '../../model/failure.ts';
import type { FirstMatches } from '../../model/functions/traceable.ts';
import type { Pattern } from '../../model/names/pattern.ts';
import { readCore } from './core/coreFile.ts';
import type { ElfFile } from './elf/elfFile.ts';
import { complete, find } from './index/find.ts';
import { firstMatches } from './index/firstMatches.ts';
import { findStatements } from './index/findStatements.ts';
import { findVariables } from './index/findVariables.ts';
import { lineRanges } from './index/lineRanges.ts';
import { sourceFiles, statementLines } from './index/sourceLines.ts';
import { Library } from './index/library.ts';
import { Demangler } from './names/demangler.ts';
import { readableSymbol } from './names/readableName.ts';
import { evaluateIn } from './unwind/evaluateIn.ts';
import { postMortem, threadByThread } from './unwind/postMortem.ts';
import type { OpenListener } from '../resolver.ts';
import type {
  Answer,
  Asked,
  Question,
  QuestionKind,
  SymbolReply,
  WorkerSettings,
} from './workerMessages.ts';

/** Main of the worker thread that reads symbols: answers questions one after another. */
function main(settings: WorkerSettings): void {
  const port = parentPort;
  if (port === null) throw new Error('This file is the main of a worker thread.');
  const send = (reply: SymbolReply): void => port.postMessage(reply);
  const demangler = new Demangler(readFileSync(settings.demanglerPath));
  const library = new Library(settings.cacheDir, demangler);
  port.on('message', (question: Question) => {
    send({ kind: 'end', reply: replyTo(library, demangler, question, send) });
  });
  send({ kind: 'ready' });
}

function replyTo(
  library: Library,
  demangler: Demangler,
  question: Question,
  send: (reply: SymbolReply) => void,
): Reply<Answer<QuestionKind>> {
  const listener = {
    progress: paced((share) => send({ kind: 'progress', share })),
    firstMatches: (matches: readonly FirstMatches[]) => send({ kind: 'first', matches }),
  };
  try {
    return { ok: true, answer: answer(library, demangler, question, listener) };
  } catch (error) {
    return { ok: false, ...failureOf(error) };
  }
}

function answer<K extends QuestionKind>(
  library: Library,
  demangler: Demangler,
  { kind, asked }: Question<K>,
  listener: OpenListener,
): Answer<K> {
  const answers: { readonly [P in QuestionKind]: (one: Asked<P>) => Answer<P> } = {
    open: ({ path, patterns }) =>
      library.open(path, listener.progress, (elf) => lookAhead(elf, patterns, demangler, listener)),
    find: ({ modules, pattern, options }) => find(library, demangler, modules, pattern, options),
    variables: ({ modules, name, depth }) => findVariables(library, modules, name, depth),
    statements: ({ modules, where, wanted }) => findStatements(library, modules, where, wanted),
    sourceFiles: (modules) => sourceFiles(library, modules),
    statementLines: ({ modules, file }) => statementLines(library, modules, file),
    lineRanges: ({ module, offset }) => lineRanges(library, module, offset),
    namesAt({ path, offsets }) {
      const code = library.code(path);
      return offsets.map((offset) => code.nameAt(offset));
    },
    explain: ({ snapshot, options }) => postMortem(snapshot, library, options),
    threads: ({ snapshot, options, variablesOf }) =>
      threadByThread(snapshot, library, options, variablesOf),
    evaluate: ({ snapshot, options, request }) => evaluateIn(snapshot, library, options, request),
    core: readCore,
    readable: (names) => names.map((name) => readableSymbol(name, demangler).name),
    complete: ({ modules, prefix, limit }) => complete(library, modules, prefix, limit),
  };
  return answers[kind](asked);
}

/** The index has what this cannot see. */
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
