import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOwned } from '../../src/base/process.ts';
import type { OwnedProcess, ProcessEnd } from '../../src/base/process.ts';
import {
  encodeProbeTable,
  encodeStatement,
  type ProbeRow,
} from '../../src/collector/native/probes/probeTable.ts';
import type { AgentLink, HostSession } from '../../src/collector/frida/fridaHost.ts';
import { installPaths } from '../../src/base/installPaths.ts';
import { HostProcess } from '../../src/collector/frida/hostProcess.ts';
import type { FoundStatement } from '../../src/model/functions/foundStatement.ts';
import { verdictCodes } from '../../src/protocol/refusals.ts';
import type { AgentCalls, AgentMessage, LoadedModule } from '../../src/protocol/agent.ts';
import { armEntry, captureReturn } from '../../src/protocol/record.ts';
import { readRings, type RingContent } from './ringEvents.ts';
import { until } from './processes.ts';
import { packageRoot } from './strobe.ts';

/** How a function is captured; what is left out is the simplest: nothing, no stack arguments. */
export interface Capture {
  /** Values of `op`. */
  readonly ops?: readonly number[];
  readonly returns?: number;
  readonly stackBytes?: number;
  readonly stringBytes?: number;
}

export interface Ran extends ProcessEnd {
  /** Standard output and error, in the order they were read. */
  readonly output: string;
}

export function op(kind: number, index: number, size = 0): number {
  return kind | (index << 8) | (size << 16);
}

/** Runs a target untraced with `line` as its input. */
export async function runPlain(
  program: string,
  line: string,
  args: readonly string[] = [],
): Promise<Ran> {
  await using child = await startOwned({ command: program, args: [...args] });
  const output = collect(child);
  child.stdin.end(`${line}\n`);
  return { ...(await child.ended), output: await output() };
}

/**
 * A target under Frida with our agent and engine. It prints a first line and waits for input, so
 * that everything can be armed before.
 */
export class EngineProgram implements AsyncDisposable {
  readonly pid: number;
  readonly #program: string;
  readonly #child: OwnedProcess;
  readonly #output: () => Promise<string>;
  readonly #host: HostProcess;
  readonly #session: HostSession;
  readonly #link: AgentLink;
  readonly #messages: AgentMessage[] = [];
  readonly #folder: string;
  readonly #numbers = new Map<string, number>();
  #modules: readonly LoadedModule[];

  private constructor(
    program: string,
    child: OwnedProcess,
    output: () => Promise<string>,
    host: HostProcess,
    session: HostSession,
    link: AgentLink,
    folder: string,
    modules: readonly LoadedModule[],
  ) {
    this.pid = child.pid;
    this.#program = program;
    this.#child = child;
    this.#output = output;
    this.#host = host;
    this.#session = session;
    this.#link = link;
    link.onMessage((message) => void this.#messages.push(message));
    this.#folder = folder;
    this.#modules = modules;
  }

  static async start(
    program: string,
    options: { slotCount?: number; ringBytes?: number; args?: readonly string[] } = {},
  ): Promise<EngineProgram> {
    const child = await startOwned({ command: program, args: [...(options.args ?? [])] });
    const output = collect(child);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const folder = mkdtempSync(
      join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'strobe-test-'),
    );
    const paths = installPaths();
    const host = await HostProcess.start({
      command: { command: 'python3', args: ['-I', '-S', paths.fridaSidecar, fridaFolder()] },
      surroundings: { home: folder, python: 'python3', paths },
    });
    const session = await host.attach(child.pid);
    const link = await session.load(readFileSync(join(packageRoot, 'dist/agent.js'), 'utf8'));
    const started = await link.call<ReturnType<AgentCalls['start']>>('start', [
      {
        enginePath: join(packageRoot, 'dist/engine.so'),
        ringPath: join(folder, 'rings'),
        slotCount: options.slotCount ?? 16,
        ringBytes: options.ringBytes ?? 1 << 20,
      },
    ]);
    return new EngineProgram(program, child, output, host, session, link, folder, started.modules);
  }

  /** Names of the functions the program itself defines. */
  functions(): string[] {
    return [...symbolsOf(this.#program).keys()];
  }

  /** The number a function is armed under; each name has one. */
  number(name: string): number {
    const known = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, known);
    return known;
  }

  /** Arms functions of the program, or of a loaded library of that file name. Answers verdicts. */
  async arm(
    captures: Readonly<Record<string, Capture>>,
    library?: string,
  ): Promise<Record<string, string>> {
    const names = Object.keys(captures);
    const rows: Buffer[] = [];
    for (const name of names) {
      const { address, size } = await this.place(name, library);
      rows.push(encodeRow(address, size, this.number(name), captures[name] ?? {}));
    }
    const codes = await this.armRows(rows);
    return Object.fromEntries(names.map((name, index) => [name, codes[index] ?? 'missing']));
  }

  /** Where a function lies now. */
  async place(name: string, library?: string): Promise<CodeSymbol> {
    const path = library ?? this.#program;
    const symbol = symbolsOf(path).get(name);
    if (symbol === undefined) throw new Error(`${path} does not define ${name}`);
    const base = isMovable(path) ? await this.#baseOf(path) : 0n;
    return { address: base + symbol.address, size: symbol.size };
  }

  /** Patches statements of the program, numbered from `from` on; answers verdicts in their order. */
  async armStatements(
    statements: readonly FoundStatement[],
    from: number,
    row: Partial<ProbeRow> = {},
  ): Promise<string[]> {
    const base = isMovable(this.#program) ? await this.#baseOf(this.#program) : 0n;
    const simple = {
      condition: [],
      values: [],
      hasVectors: false,
      gathered: [],
      after: 0,
      every: 0,
      most: 0,
      check: null,
      thread: { id: 0, name: '' },
    };
    const rows = statements.map((_one, i) => ({ ...simple, ...row, number: from + i }));
    await this.#link.call('probes', [rows.length], encodeProbeTable(rows));
    const encoded = statements.map((one, i) => encodeStatement(one, from + i, base, false));
    return await this.armRows(encoded.filter((one) => one !== null));
  }

  async disarmNumbers(numbers: readonly number[]): Promise<number> {
    const answer = await this.#link.call<{ removed: number }>('disarm', [numbers]);
    return answer.removed;
  }

  /** Bytes of the program's own code, as they are in memory now. */
  async code(address: number, bytes: number): Promise<Buffer> {
    const base = isMovable(this.#program) ? await this.#baseOf(this.#program) : 0n;
    const memory = openSync(`/proc/${this.pid}/mem`, 'r');
    try {
      const found = Buffer.alloc(bytes);
      readSync(memory, found, 0, bytes, base + BigInt(address));
      return found;
    } finally {
      closeSync(memory);
    }
  }

  /** Libraries are looked up again at the next `arm`. */
  forgetModules(): void {
    this.#modules = [];
  }

  async armRows(rows: readonly Buffer[]): Promise<string[]> {
    const answer = await this.#link.call<ReturnType<AgentCalls['arm']>>(
      'arm',
      [rows.length],
      Buffer.concat(rows),
    );
    return answer.codes.map((code) => verdictCodes[code] ?? String(code));
  }

  /** Hooks what raises and catches, and what jumps; `raises`: a function of the program that raises. */
  async hookExceptions(raises?: string): Promise<void> {
    const found =
      raises === undefined
        ? []
        : [{ address: `0x${(await this.place(raises)).address.toString(16)}`, kind: 'raised' }];
    await this.#link.call('exceptions', [{ path: join(this.#folder, 'exceptions'), found }]);
  }

  async disarm(...names: string[]): Promise<number> {
    const functions = names.map((name) => this.number(name));
    const answer = await this.#link.call<{ removed: number }>('disarm', [functions]);
    return answer.removed;
  }

  /** What the agent sent unasked before it answered this. */
  async messages(): Promise<readonly AgentMessage[]> {
    await this.#link.call('modules', []);
    return this.#messages;
  }

  /** Unloads the agent and lets the program go. */
  async detach(): Promise<void> {
    await this.#session.detach();
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Resolves with the next piece of standard output. */
  async said(): Promise<string> {
    return new Promise((resolve) =>
      this.#child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
    );
  }

  /** Ends the input and waits for the end of the program. */
  async end(line?: string): Promise<Ran> {
    this.#child.stdin.end(line === undefined ? '' : `${line}\n`);
    return { ...(await this.#child.ended), output: await this.#output() };
  }

  rings(): RingContent {
    return readRings(join(this.#folder, 'rings'));
  }

  /** Waits until so many threads have recorded something. */
  async untilRecorded(threads: number): Promise<void> {
    await until(
      `${threads} threads have recorded`,
      () => this.rings().threads.filter(({ events }) => events.length > 0).length >= threads,
    );
  }

  get ringPath(): string {
    return join(this.#folder, 'rings');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
    await this.#host[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #baseOf(path: string): Promise<bigint> {
    const find = () => this.#modules.find((module) => module.path === path);
    if (find() === undefined) this.#modules = await this.#link.call<LoadedModule[]>('modules', []);
    const found = find();
    if (found === undefined) throw new Error(`${path} is not loaded`);
    return BigInt(found.base);
  }
}

/** One armEntry row. */
export function encodeRow(address: bigint, size: number, number: number, capture: Capture): Buffer {
  const row = Buffer.alloc(armEntry.bytes);
  const ops = capture.ops ?? [];
  row.writeBigUInt64LE(address, armEntry.address);
  row.writeUInt32LE(size, armEntry.size);
  row.writeUInt32LE(number, armEntry.fn);
  row.writeUInt16LE(capture.stackBytes ?? 0, armEntry.stackBytes);
  row.writeUInt16LE(capture.stringBytes ?? 64, armEntry.stringBytes);
  row.writeUInt8(capture.returns ?? captureReturn.integer, armEntry.returnKind);
  row.writeUInt8(ops.length, armEntry.opCount);
  for (const [index, value] of ops.entries()) {
    row.writeBigUInt64LE(BigInt(value), armEntry.ops + index * 8);
  }
  return row;
}

export interface CodeSymbol {
  readonly address: bigint;
  readonly size: number;
}

const symbolTables = new Map<string, Map<string, CodeSymbol>>();

/** Functions of an ELF file by their linkage name, as binutils sees them; no `.cold` pieces. */
export function symbolsOf(path: string): Map<string, CodeSymbol> {
  const known = symbolTables.get(path);
  if (known !== undefined) return known;
  const text = execFileSync('nm', ['-S', '--defined-only', path], { maxBuffer: 1 << 28 });
  const found = new Map<string, CodeSymbol>();
  for (const line of text.toString().split('\n')) {
    const [address, size, kind, name] = line.split(' ');
    if (name === undefined || !/^[tTwW]$/.test(kind ?? '') || name.includes('.cold')) continue;
    found.set(name, { address: BigInt(`0x${address}`), size: parseInt(size ?? '0', 16) });
  }
  symbolTables.set(path, found);
  return found;
}

function isMovable(path: string): boolean {
  return readFileSync(path).readUInt16LE(16) === 3;
}

function collect(child: OwnedProcess): () => Promise<string> {
  const chunks: Buffer[] = [];
  const streams = [child.stdout, child.stderr];
  const ends = streams.map((stream) => {
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    return new Promise((resolve) => stream.once('close', resolve));
  });
  return async () => {
    await Promise.all(ends);
    return Buffer.concat(chunks).toString();
  };
}

/** Frida's Python package: as provisioned for all tests, else as installed beside this clone. */
export function fridaFolder(): string {
  const runtime = join(packageRoot, '.cache', 'home', 'runtime');
  const candidates = existsSync(runtime)
    ? readdirSync(runtime, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('frida/__init__.py'))
        .map((name) => join(runtime, name, '..', '..'))
    : [];
  const installed = join(packageRoot, '.cache', 'frida-test');
  const folder = [...candidates, installed].find((path) => existsSync(join(path, 'frida')));
  if (folder === undefined) throw new Error('Frida is not provisioned: run node scripts/setup.mjs');
  return folder;
}
