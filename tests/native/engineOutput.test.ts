import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startOwned, type OwnedProcess } from '../../src/base/process.ts';
import { OutputRingFile, outputExitCode } from '../../src/collector/rings/outputRingFile.ts';
import { installPaths } from '../../src/base/installPaths.ts';
import { HostProcess } from '../../src/collector/frida/hostProcess.ts';
import type { AgentLink } from '../../src/collector/frida/fridaHost.ts';
import type { LogRecord } from '../../src/model/outputRecord.ts';
import type { StartResult } from '../../src/protocol/agent.ts';
import { outputRing } from '../../src/protocol/record.ts';
import { fridaFolder } from '../support/engineProgram.ts';
import { until } from '../support/processes.ts';
import { changedCode, footprint } from '../support/processImage.ts';
import { packageRoot } from '../support/strobe.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000 });

const talker = buildTarget('engine/talker.c', ['-pthread']);

/** A talker that runs for itself, and what it has written so far. */
class Talker implements AsyncDisposable {
  readonly #child: OwnedProcess;
  readonly folder = mkdtempSync('/dev/shm/strobe-test-');
  stdout = '';
  stderrBytes = 0;

  private constructor(child: OwnedProcess) {
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (this.stderrBytes += chunk.length));
  }

  static async start(): Promise<Talker> {
    const talk = new Talker(await startOwned({ command: talker, args: [] }));
    await until('it is ready', () => talk.stdout.includes('ready'));
    return talk;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Has it do one thing to the end. */
  async do(word: string): Promise<void> {
    const before = this.stdout.split('done\n').length;
    this.#child.stdin.write(`${word}\n`);
    await until(`it has done ${word}`, () => this.stdout.split('done\n').length > before);
  }

  async leave(): Promise<number | null> {
    this.#child.stdin.end('leave\n');
    return (await this.#child.ended).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Our presence in a talker, with its output recorded. */
async function attach(talk: Talker, name = '1'): Promise<Attached> {
  const paths = installPaths();
  const host = await HostProcess.start({
    command: { command: 'python3', args: ['-I', '-S', paths.fridaSidecar, fridaFolder()] },
    surroundings: { home: talk.folder, python: 'python3', paths },
  });
  const session = await host.attach(talk.pid);
  const link = await session.load(readFileSync(join(packageRoot, 'dist/agent.js'), 'utf8'));
  const outputPath = join(talk.folder, `${name}.output`);
  const started = await link.call<StartResult>('start', [
    {
      enginePath: join(packageRoot, 'dist/engine.so'),
      ringPath: join(talk.folder, `${name}.ring`),
      slotCount: 4,
      ringBytes: 1 << 16,
      outputPath,
    },
  ]);
  const file = new OutputRingFile(outputPath, 0n);
  return {
    started,
    link,
    file,
    async detach() {
      await link.call('leave', []);
      await session.detach();
    },
    async [Symbol.asyncDispose]() {
      file.close();
      await host[Symbol.asyncDispose]();
    },
  };
}

interface Attached extends AsyncDisposable {
  readonly started: StartResult;
  readonly link: AgentLink;
  readonly file: OutputRingFile;
  detach(): Promise<void>;
}

function text(records: readonly LogRecord[], stream: 'stdout' | 'stderr'): string {
  return Buffer.concat(
    records.flatMap((one) => (one.kind === 'output' && one.stream === stream ? [one.bytes] : [])),
  ).toString();
}

it('[attach.output] what a process writes to its two streams is copied, and goes where it went', async () => {
  await using talk = await Talker.start();
  await talk.do('print');
  await using attached = await attach(talk);
  expect(attached.started.taps.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
  const before = talk.stdout;
  for (const word of ['print', 'error', 'vectors', 'crowd', 'elsewhere', 'fork'])
    await talk.do(word);
  await attached.link.call('clock', []);
  const records = attached.file.read();
  const copied = text(records, 'stdout');
  // A forked child's output is its own: it is not copied.
  const out = talk.stdout.slice(before.length).replace('from the child\n', '');
  // A thread waits for another that copies, but not for long: what it then drops is counted.
  const lines = out.split('\n');
  const missing = lines.filter((line) => !copied.split('\n').includes(line));
  const lost = records.reduce((sum, one) => sum + (one.kind === 'lost' ? one.bytes : 0), 0);
  expect(missing.join('').length + missing.length).toBe(lost);
  const written = lines.filter((line) => !missing.includes(line)).join('\n');
  // Two threads that write at the same moment may be copied in another order than they wrote.
  for (const of of [/^(?!north|east|south|west).*$/gm, /^north .*$/gm, /^east .*$/gm])
    expect(copied.match(of)).toEqual(written.match(of));
  expect(copied.split('\n').toSorted()).toEqual(written.split('\n').toSorted());
  expect(copied).toContain('in three parts\n');
  expect(text(records, 'stderr')).toBe('an error\n');
  expect(records.at(-1)?.kind).toBe('clock');
  expect(outputExitCode(attached.file.path)).toBeNull();
  expect(await talk.leave()).toBe(42);
  expect(outputExitCode(attached.file.path)).toBe(42);
});

it('[attach.output] what the ring cannot hold is counted where it is missing', async () => {
  await using talk = await Talker.start();
  await using attached = await attach(talk);
  await talk.do('flood');
  await until('the flood came out', () => talk.stderrBytes === 4096 * 4096);
  let bytes = 0;
  let lost = 0;
  const take = () => {
    for (let records = attached.file.read(); records.length > 0; records = attached.file.read()) {
      for (const one of records) {
        if (one.kind === 'output' && one.stream === 'stderr') bytes += one.bytes.length;
        if (one.kind === 'lost') lost += one.bytes;
      }
    }
    attached.file.publishRead();
  };
  take();
  expect(bytes).toBeLessThanOrEqual(outputRing.bytes);
  expect(bytes).toBeGreaterThan(outputRing.bytes * 0.99);
  await talk.do('print');
  take();
  // The answer "done" of the flood had no room either.
  expect(bytes + lost).toBe(4096 * 4096 + 'done\n'.length);
  expect(attached.file.droppedAtEnd()).toBe(0);
});

it('[attach.detach] a process that was let go is as it was, time after time', async () => {
  await using talk = await Talker.start();
  const untouched = changedCode(talk.pid);
  expect(untouched).toEqual([]);
  const prints: ReturnType<typeof footprint>[] = [];
  for (let round = 0; round < 5; round++) {
    await using attached = await attach(talk, String(round));
    expect(changedCode(talk.pid)).not.toEqual([]);
    await talk.do('print');
    expect(text(attached.file.read(), 'stdout')).toContain('printed');
    await attached.detach();
    await talk.do('crowd');
    expect(text(attached.file.read(), 'stdout')).not.toContain('north');
    expect(changedCode(talk.pid)).toEqual([]);
    await until('our threads have ended', () => footprint(talk.pid).threads === 1);
    prints.push(footprint(talk.pid));
  }
  expect(prints.at(-1)?.descriptors).toBe(prints[0]?.descriptors);
  expect(await talk.leave()).toBe(42);
});
