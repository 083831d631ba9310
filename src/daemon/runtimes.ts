import type { HostPool } from '../collector/frida/hostPool.ts';
import { NativeTracers } from '../collector/native/nativeTracers.ts';
import { NativeResolver } from '../symbols/native/nativeResolver.ts';
import type { Log } from './log.ts';
import { explainSnapshot, type StackParts } from './postMortem/explainSnapshot.ts';
import type { Runtime } from './tracing/runtimeList.ts';

/** A captured text has at most this many bytes. */
const STRING_BYTES = 1024;

/** What the runtimes are made of. */
export interface RuntimeParts {
  readonly stacks: StackParts;
  readonly hosts: HostPool;
  readonly agentSource: () => Promise<string>;
  readonly spotterPath: string;
  readonly log: Log;
}

/** Every runtime that Strobe has: the only place that lists them. */
const runtimes = { native } satisfies Record<string, (parts: RuntimeParts) => Runtime>;

export function allRuntimes(parts: RuntimeParts): readonly Runtime[] {
  return Object.values(runtimes).map((make) => make(parts));
}

/** C, C++, Rust and whatever else becomes machine code. */
function native({ stacks, hosts, agentSource, spotterPath, log }: RuntimeParts): Runtime {
  const { symbols, enginePath } = stacks;
  return {
    resolver: new NativeResolver(symbols),
    tracers: new NativeTracers({
      hosts,
      agentSource,
      enginePath,
      spotterPath,
      stringBytes: STRING_BYTES,
      code: {
        find: (units, pattern, options) => symbols.find(units, pattern, options),
        variables: (units, name, depth) => symbols.variables(units, name, depth),
        readable: (names) => symbols.readable(names),
        explain: async (snapshot, session) => explainSnapshot(snapshot, session, stacks),
      },
      warn: (message, detail) => log.warn('session', message, detail),
    }),
  };
}
