/*
 * What Node runs before a program that is traced (src/protocol/nodeTracer.ts): modules that are loaded from here on are
 * rewritten so that their functions tell of their calls.
 */
import { syncBuiltinESMExports } from 'node:module';
import { threadId } from 'node:worker_threads';
import { nodeNote, untracedCode } from '../../../protocol/nodeTracer.ts';
import { isLive, loadAddon, numberThread, theAddon } from './addon.ts';
import { hooksOf, listenToReturns, type Hooks } from './calls.ts';
import { tellDenoTests } from './denoTests.ts';
import { showOriginalCoverage } from './readers/coverage.ts';
import { isDeno } from './readers/mapReaders.ts';
import { hookLoaders } from './loaders.ts';
import { hookScripts } from './scripts.ts';
import { isPermitted } from './permission.ts';
import { moduleOf, note, startRewriting } from './moduleRewriting.ts';
import { listenToSites, wantedFiles } from './plans.ts';
import { checkReturn, hitSite, pauseThread, setSites, siteKey } from './sites/sites.ts';
import { hooksOfProbes } from './sites/writtenSites.ts';
import { handedKey, takeHanded } from './stops/handed.ts';
import { frameKey, pauseKey, readFrame } from './stops/readFrame.ts';
import { showOriginals } from './originals.ts';
import { beginLive, hit, wake, wakeKey } from './live/live.ts';
import { tellRequests } from './requests.ts';
import { tellNodeTests, testsOfReporters, type Tests } from './tests.ts';
import { tellUncaught } from './uncaught.ts';
import { identifyFrom } from './values/identities.ts';
import { writeOriginalCoverage } from './readers/writtenCoverage.ts';
import { enterWorkers, restoreOptions } from './workers.ts';

const oldest = 20;

/** What a module's first line calls; with 0 a reporter of tests, with less the daemon and breakpoints (live/live.ts). */
function $strobe(
  key: number | string,
  ...words: readonly unknown[]
): Hooks | Tests | boolean | undefined {
  if (key === siteKey) return hitSite(words, shared);
  if (key === pauseKey) return pauseThread(words);
  if (key === frameKey) readFrame(words, shared);
  if (key === handedKey) takeHanded(words[0]);
  if (typeof key === 'string') return undefined;
  if (key === 0) return testsOfReporters();
  if (key === wakeKey) {
    wantedFiles();
    wake();
  } else if (key < 0) hit(key, words, shared);
  const module = key > 0 ? moduleOf(key) : undefined;
  if (!module) return undefined;
  const [read] = words;
  module.read = typeof read === 'function' ? (read as NonNullable<typeof module.read>) : null;
  const probes = hooksOfProbes(key);
  return probes ? { ...hooksOf(module), ...probes } : hooksOf(module);
}

/** As the modules have it. */
let shared: typeof $strobe = $strobe;

/** What would see the text that modules become; as the end of a sentence. */
function whyUntraced(): string | null {
  const { node } = process.versions;
  if (Number(node.split('.')[0]) < oldest)
    return `it runs Node ${node}, and tracing needs 20 or newer`;
  const options = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  if (Number(node.split('.')[0]) === oldest && options.includes('--enable-source-maps'))
    return `it runs Node ${node} with --enable-source-maps, which would show the code of the tracing: leave the option out, or use Node 22 or newer`;
  return null;
}

/** What is not traced as it is in no file, as a whole sentence. */
function storedCode(): string | null {
  const sea = process.getBuiltinModule?.('node:sea') as { isSea(): boolean } | undefined;
  if (sea?.isSea()) return untracedCode.application;
  const isSnapshot = process.execArgv.some((option) => option.startsWith('--snapshot-blob'));
  return isSnapshot ? untracedCode.snapshot : null;
}

/** Node's test runner hands all options of its process on to others, ours among them. */
function hideOwnOption(): void {
  const { execArgv } = process;
  const own = [__filename, `${__dirname}/nodeStart.cjs`].map((path) => `--require=${path}`);
  const at = execArgv.findIndex((option) => own.includes(option));
  if (at >= 0) execArgv.splice(at, 1);
}

const entryName = 'STROBE_ENTER';

/** Whether the process is entered, perhaps by this. What was put into its environment is gone then. */
function enter(): boolean {
  const word = process.env[entryName];
  if (word === undefined) {
    const isEntered = loadAddon(`${__dirname}/node.node`);
    if (isEntered && !isLive()) restoreOptions(theAddon().options);
    return isEntered;
  }
  try {
    return loadAddon(`${__dirname}/node.node`);
  } finally {
    delete process.env[entryName];
    restoreOptions(word.split('\x1f')[optionsAt]);
  }
}

/** The place in the word of NODE_OPTIONS of the user, where there are such (src/collector/node/entryWords.ts). */
const optionsAt = 7;

function begin(): void {
  hideOwnOption();
  // Required by both the environment and an option.
  if ('$strobe' in globalThis || !isPermitted(`${__dirname}/node.node`)) return;
  if (!enter()) return;
  // It is no module of the program.
  delete require.cache[__filename];
  const why = whyUntraced();
  if (why !== null) {
    note(nodeNote.failed, `Its JavaScript functions are not traced: ${why}.`);
    return;
  }
  numberThread(threadId + 1);
  identifyFrom(threadId + 1);
  showOriginals(globalThis);
  hookLoaders();
  hookScripts($strobe);
  showOriginalCoverage();
  writeOriginalCoverage();
  enterWorkers(__filename);
  // Once, for all that was replaced.
  syncBuiltinESMExports();
  tellUncaught();
  if (isDeno) tellDenoTests();
  else tellNodeTests();
  shared = theAddon().frame($strobe);
  Object.defineProperty(globalThis, '$strobe', { value: shared, configurable: true });
  startRewriting(__dirname);
  note(nodeNote.started, process.version);
  const stored = storedCode();
  if (stored !== null) note(nodeNote.failed, stored);
  listenToReturns(checkReturn);
  listenToSites(setSites);
  if (!isDeno) tellRequests();
  if (isLive()) beginLive();
}

try {
  begin();
} catch (error) {
  // The program continues untraced.
  try {
    note(nodeNote.failed, `Its JavaScript functions are not traced: ${String(error)}`);
  } catch {
    // Nor can that be told.
  }
}
