import { decodeValue, plainText } from '../db/reader/values/capturedValues.ts';
import { noNames } from '../model/decoding/dynamic.ts';
import type { AdapterSettings } from '../collector/debug/adapters/chosenAdapter.ts';
import { AgentLinks } from '../collector/frida/agentLinks.ts';
import type { HostPool } from '../collector/frida/hostPool.ts';
import { NativeTracers } from '../collector/native/nativeTracers.ts';
import { PythonTracers } from '../collector/python/pythonTracers.ts';
import { NodeTracers } from '../collector/node/nodeTracers.ts';
import type { StatementFinder } from '../collector/source/sourceProbes.ts';
import { NativeResolver } from '../symbols/native/nativeResolver.ts';
import { JavaScriptResolver } from '../symbols/javascript/javaScriptResolver.ts';
import { PythonResolver } from '../symbols/python/pythonResolver.ts';
import { readPythonStacks } from '../symbols/python/stacks/readPythonStacks.ts';
import { matchesModule } from '../model/names/pattern.ts';
import type { SourceResolver } from '../symbols/sourceResolver.ts';
import type { StackReader } from '../symbols/stackReader.ts';
import type { Log } from './log.ts';
import type { Rewriter } from './rewriting/rewriter.ts';
import {
  evaluateSnapshot,
  explainSnapshot,
  explainThreads,
  type StackParts,
} from './postMortem/explainSnapshot.ts';
import type { Runtime } from './tracing/runtimeList.ts';

/** A captured text has at most this many bytes. */
const STRING_BYTES = 1024;

/** What the runtimes are made of. */
export interface RuntimeParts {
  readonly stacks: StackParts;
  readonly hosts: HostPool;
  readonly agentSource: () => Promise<string>;
  readonly spotterPath: string;
  readonly stopperPath: string;
  /** Of the settings `adapters.…`. */
  readonly adapters: AdapterSettings;
  /** native/outside, built, and what it puts into programs. */
  readonly outsidePath: string;
  readonly outsideTargetPath: string;
  /** native/python, built. */
  readonly pythonPath: string;
  /** Where Python threads that stand still ask what to do. */
  readonly stopsPath: string;
  /** native/node, built. */
  readonly nodePath: string;
  readonly nodePreloadPath: string;
  readonly nodeStartPath: string;
  /** Where Node processes ask for modules to be rewritten. */
  readonly rewriteSocket: string;
  /** Where Node processes come in by themselves. */
  readonly nodeLinkSocket: string;
  readonly rewriter: Rewriter;
  readonly log: Log;
}

interface SharedParts extends RuntimeParts {
  /** One runtime comes into a process by the agent of another. */
  readonly agents: AgentLinks;
}

/** Of runtimes whose calls the machine's stacks do not show. */
export const stackReaders: readonly StackReader[] = [readPythonStacks];

/** Every runtime that Strobe has, in the order in which they enter a process: the only place that lists them. */
const runtimes = { native, python, node } satisfies Record<string, (parts: SharedParts) => Runtime>;

export function allRuntimes(parts: RuntimeParts): readonly Runtime[] {
  const agents = new AgentLinks();
  return Object.values(runtimes).map((make) => make({ ...parts, agents }));
}

/** C, C++, Rust and whatever else becomes machine code. */
function native({
  stacks,
  hosts,
  agents,
  agentSource,
  spotterPath,
  stopperPath,
  adapters,
  outsidePath,
  outsideTargetPath,
  log,
}: SharedParts): Runtime {
  const { symbols, enginePath } = stacks;
  return {
    resolver: new NativeResolver(symbols),
    tracers: new NativeTracers({
      hosts,
      agents,
      agentSource,
      enginePath,
      spotterPath,
      stopperPath,
      adapters,
      outsidePath,
      outsideTargetPath,
      stringBytes: STRING_BYTES,
      code: {
        find: (units, pattern, options) => symbols.find(units, pattern, options),
        statements: (units, where, wanted) => symbols.statements(units, where, wanted),
        lineRanges: (module, offset) => symbols.lineRanges(module, offset),
        variables: (units, name, depth) => symbols.variables(units, name, depth),
        readable: (names) => symbols.readable(names),
        explain: async (snapshot, session) => explainSnapshot(snapshot, session, stacks),
        explainThreads: async (snapshot, session, variablesOf) =>
          explainThreads(snapshot, session, { parts: stacks, variablesOf }),
        evaluate: async (snapshot, session, request) =>
          evaluateSnapshot(snapshot, session, { parts: stacks, request }),
      },
      values: {
        decode: (type, bytes) => decodeValue(type, bytes, 0, bytes.length, noNames).value,
        text: plainText,
      },
      warn: (message, detail) => log.warn('session', message, detail),
    }),
  };
}

/** CPython from 3.9 on. */
function python({ stacks, agents, pythonPath, stopsPath, adapters, log }: SharedParts): Runtime {
  const { enginePath } = stacks;
  const resolver = new PythonResolver();
  const finder = finderOf(resolver);
  return {
    resolver,
    tracers: new PythonTracers({
      agents,
      libraryPath: pythonPath,
      enginePath,
      stopsPath,
      adapters,
      warn: (message, detail) => log.warn('session', message, detail),
      ...finder,
    }),
  };
}

/** Node from 20 on. */
function node(parts: SharedParts): Runtime {
  const { stacks, agents, nodePath, nodePreloadPath, rewriteSocket, nodeLinkSocket, rewriter } =
    parts;
  const { enginePath } = stacks;
  const resolver = new JavaScriptResolver((text, path) => rewriter.functions(text, path));
  return {
    resolver,
    tracers: new NodeTracers({
      agents,
      libraryPath: nodePath,
      preloadPath: nodePreloadPath,
      startPath: parts.nodeStartPath,
      enginePath,
      socketPath: rewriteSocket,
      linkPath: nodeLinkSocket,
      rewrite: (request) => rewriter.rewrite(request),
      ...finderOf(resolver),
    }),
  };
}

function finderOf(resolver: SourceResolver): StatementFinder {
  return {
    statements: (file) => resolver.statements(file),
    find: async ({ own, all }, pattern, projectRoot) => {
      const { module } = pattern;
      const meant = module === null ? own : own.filter((path) => matchesModule(module, path));
      const units = [...new Set([...meant, ...resolver.ofLibrary(pattern, all)])];
      return (await resolver.find(units, pattern, { projectRoot })).value;
    },
  };
}
