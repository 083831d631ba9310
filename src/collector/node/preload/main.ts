/*
 * What Node runs before a program that is traced (src/protocol/nodeTracer.ts): modules that are loaded from here on are
 * rewritten so that their functions tell of their calls.
 */
import { threadId } from 'node:worker_threads';
import { nodeNote } from '../../../protocol/nodeTracer.ts';
import { loadAddon, numberThread, theAddon } from './addon.ts';
import { hooksOf, type Hooks } from './calls.ts';
import { showOriginalCoverage } from './coverage.ts';
import { hookLoaders } from './loaders.ts';
import { hookScripts } from './scripts.ts';
import { moduleOf, note, startRewriting } from './moduleRewriting.ts';
import { showOriginals } from './originals.ts';
import { tellNodeTests, testsOfReporters, type Tests } from './tests.ts';
import { tellUncaught } from './uncaught.ts';
import { identifyFrom } from './identities.ts';
import { enterWorkers, restoreOptions } from './workers.ts';

const oldest = 20;

/** What a module's first line calls; with 0, what a reporter of tests calls. */
function $strobe(key: number, read?: (index: number) => unknown): Hooks | Tests | undefined {
  if (key === 0) return testsOfReporters();
  const module = moduleOf(key);
  if (!module) return undefined;
  module.read = read ?? null;
  return hooksOf(module);
}

/** What would see the text that modules become; as the end of a sentence. */
function whyUntraced(): string | null {
  const { node } = process.versions;
  if (Number(node.split('.')[0]) < oldest)
    return `it runs Node ${node}, and tracing needs 20 or newer`;
  if (process.env['NODE_V8_COVERAGE'])
    return 'its coverage is measured (NODE_V8_COVERAGE), which would count the code of the tracing';
  const options = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  if (options.includes('--enable-source-maps'))
    return 'it runs with --enable-source-maps, which would see the code of the tracing: leave the option out';
  return null;
}

function begin(): void {
  if (!loadAddon(`${__dirname}/node.node`)) return;
  restoreOptions(theAddon().options);
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
  enterWorkers(__filename);
  tellUncaught();
  tellNodeTests();
  Object.defineProperty(globalThis, '$strobe', { value: $strobe, configurable: true });
  startRewriting(__dirname);
  note(nodeNote.started, process.version);
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
