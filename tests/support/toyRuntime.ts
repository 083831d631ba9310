import { readFileSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { makeRingDirectory, ringDirectory } from '../../src/collector/rings/ringFolder.ts';
import type {
  SessionTracer,
  TracedSession,
  Tracer,
  TracerFactory,
  TracerSink,
} from '../../src/collector/tracer.ts';
import type { Runtime } from '../../src/daemon/tracing/runtimeList.ts';
import { usualPolicy, type Traceable } from '../../src/model/functions/traceable.ts';
import { fileMatcher, matchesName, type Pattern } from '../../src/model/names/pattern.ts';
import type { Expression } from '../../src/model/watches/expression.ts';
import type { SymbolResolver } from '../../src/symbols/resolver.ts';

/** Where the tracer of a process listens (tests/targets/tracers/toy.c). */
export function toySocket(pid: number): string {
  return `/tmp/strobe-toy-${pid}`;
}

/** The toy language: `program` is its interpreter, `script` the only one there is. */
export function toyRuntime(program: string, script: string, engine: string): Runtime {
  return { resolver: resolverOf(program, script), tracers: tracersOf(program, script, engine) };
}

function functionsOf(script: string): Traceable[] {
  return readFileSync(script, 'utf8')
    .split('\n')
    .flatMap((text, at) => {
      const [name = '', ...parameters] = text.split(' ');
      if (name === '' || name === '#') return [];
      const signature = `${name}(${parameters.join(', ')})`;
      const id = `${script}#${name}`;
      return [{ runtime: 'toy', id, unit: script, name, signature, file: script, line: at + 1 }];
    });
}

function resolverOf(program: string, script: string): SymbolResolver {
  const isMeant = (pattern: Pattern, fn: Traceable, projectRoot: string): boolean => {
    if (pattern.selection.kind === 'name') return matchesName(pattern, fn.name, 'dotted');
    const { selection } = pattern;
    if (selection.kind !== 'file') return selection.kind === 'usercode';
    return fileMatcher(selection.glob, projectRoot)(fn.unit);
  };
  return {
    runtime: 'toy',
    nameStyle: 'dotted',
    ofLibrary: () => [],
    open: (path) =>
      Promise.resolve({
        runtime: 'toy',
        path,
        buildId: null,
        functions: functionsOf(path).length,
        debugInfo: 'dwarf',
        dwarfVersion: null,
        languages: ['Toy'],
        indexMs: 0,
        fromCache: false,
        problems: [],
      }),
    find: (units, pattern, { projectRoot }) => {
      const functions = units
        .flatMap(functionsOf)
        .filter((fn) => isMeant(pattern, fn, projectRoot));
      const none = { inlined: [], moreInlined: 0, leftOut: [], nearest: [], notes: [] };
      return Promise.resolve({ value: { functions, ...none }, problems: [] });
    },
    own: (units) => units.filter((unit) => unit === script),
    concerns: (image) => Promise.resolve(image === program ? 'yes' : 'no'),
    mayLoad: (image) => Promise.resolve(image === program),
    sources: (units) => Promise.resolve(units),
    statementLines: (units, file) =>
      Promise.resolve(units.includes(file) ? functionsOf(file).map((_, i) => i + 1) : []),
  };
}

function tracersOf(program: string, script: string, engine: string): TracerFactory {
  return {
    runtime: 'toy',
    capabilities: {
      returns: true,
      exceptions: 'full',
      suspensions: true,
      late: 'all',
      crashes: false,
    },
    leaveMs: 0,
    claim: ({ image }) => Promise.resolve(image === program ? { able: true } : null),
    begin: (session, sink) => sessionOf(session, sink, script, engine),
    warm: () => undefined,
    rest: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function sessionOf(
  session: TracedSession,
  sink: TracerSink,
  script: string,
  engine: string,
): SessionTracer {
  return {
    prepare: (spec) => spec,
    continueFrom: () => undefined,
    enter: async ({ pid }) => {
      const folder = ringDirectory(session.id);
      makeRingDirectory(folder);
      const { callsPerSecond, every } = session.limits.sampling;
      const start = `start ${engine} ${join(folder, `${pid}.toy`)} ${callsPerSecond} ${every}`;
      return await listen(pid, script, start, sink);
    },
    whyUndecided: (when) =>
      conditionOf(when) === null ? 'it is more than the toy language can decide' : null,
    close: () => Promise.resolve(),
  };
}

/** Answers one process that asks what is wanted of it. */
async function listen(
  pid: number,
  script: string,
  start: string,
  sink: TracerSink,
): Promise<Tracer> {
  const sockets = new Set<Socket>();
  let answer = '.\n';
  let hooked = 0;
  /** One line after the other: nothing is recorded before its ring is known. */
  const converse = async (socket: Socket): Promise<void> => {
    for await (const line of createInterface({ input: socket })) {
      const [, ring] = line.split(/^ring /);
      if (ring === undefined) socket.write(answer);
      else await sink.ring(ring);
    }
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.write(`${start}\n`);
    void converse(socket);
  });
  rmSync(toySocket(pid), { force: true });
  await new Promise<void>((resolve) => server.listen(toySocket(pid), resolve));
  return {
    pid,
    get hooked() {
      return hooked;
    },
    notes: [],
    units: () => [script],
    setWanted: (wanted, policies) => {
      const lines = wanted.map(({ id, name }) => {
        const { every, when } = policies.get(id) ?? usualPolicy;
        return `want ${name} ${every} ${when === null ? '' : conditionOf(when)}\n`;
      });
      answer = `none\n${lines.join('')}.\n`;
      hooked = wanted.length;
      return Promise.resolve(new Map(wanted.map(({ id }) => [id, { kind: 'hooked' }])));
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      rmSync(toySocket(pid), { force: true });
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const operators = { '<': '<', '>': '>', '==': '=', '&&': '&' };

/** Operands first, as the interpreter decides it; null: it cannot. */
function conditionOf(when: Expression): string | null {
  if (when.kind === 'integer') return String(when.value);
  if (when.kind === 'name') return when.name;
  if (when.kind !== 'binary') return null;
  const operator = Object.entries(operators).find(([text]) => text === when.operator)?.[1];
  const [left, right] = [conditionOf(when.left), conditionOf(when.right)];
  return operator && left !== null && right !== null ? `${left} ${right} ${operator}` : null;
}
