import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { z } from 'zod';
import type { CrashReport } from '../../../src/model/endings/crashReport.ts';
import type { Value } from '../../../src/model/questions/query.ts';
import { SymbolIndex } from '../../../src/symbols/native/symbolIndex.ts';
import { itNeeds } from '../../support/needs.ts';
import { packageRoot } from '../../support/strobe.ts';
import { buildByClang, buildTarget } from '../../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** A value as gdbValues.py writes it. */
type Tree =
  | { readonly kind: 'number' | 'text'; readonly text: string }
  | { readonly kind: 'pointer'; readonly address: string }
  | { readonly kind: 'none'; readonly why?: string | undefined }
  | { readonly members: Readonly<Record<string, Tree>> }
  | { readonly items: readonly Tree[] };

const tree: z.ZodType<Tree> = z.lazy(() =>
  z.union([
    z.object({ kind: z.enum(['number', 'text']), text: z.string() }),
    z.object({ kind: z.literal('pointer'), address: z.string() }),
    z.object({ kind: z.literal('none'), why: z.string().optional() }),
    z.object({ members: z.record(z.string(), tree) }),
    z.object({ items: z.array(tree) }),
  ]),
);
const frames = z.array(
  z.object({ name: z.string(), line: z.number(), variables: z.record(z.string(), tree) }),
);

const here = dirname(fileURLToPath(import.meta.url));

/** What the comparison found, by the path of the value (`main.accounts[1].rate`). */
interface Found {
  readonly same: string[];
  readonly different: string[];
  /** Values that gdb shows and we do not, with our reason. */
  readonly missing: string[];
  /** Values that we show and gdb does not. */
  readonly beyond: string[];
}

const builds: readonly (readonly [name: string, flags: readonly string[], least: number])[] = [
  ['kinds.cpp', ['-O0'], 70],
  ['kinds.cpp', ['-O2'], 40],
  ['kinds.cpp', ['-O2', '-gdwarf-4', '-fomit-frame-pointer'], 40],
  ['holders.cpp', ['-std=c++17', '-O0'], 55],
  ['holders.cpp', ['-std=c++17', '-O2'], 45],
  ['entered.c', ['-O2'], 6],
  ['converted.c', ['-O2'], 11],
  ['converted.c', ['-O2', '-gdwarf-4'], 11],
  ['kinds.c', ['-O0'], 40],
  ['kinds.c', ['-O2'], 34],
];

describe('variables of core files, as gdb shows them', () => {
  let folder = '';
  let symbols: SymbolIndex;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'strobe-values-'));
    symbols = await SymbolIndex.start(join(packageRoot, 'dist/symbolWorker.js'), {
      cacheDir: join(folder, 'cache'),
    });
  });
  afterAll(async () => {
    await symbols.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const compare = async (program: string): Promise<Found> => {
    const core = join(folder, 'core');
    const theirs = gdbFrames(program, core);
    const { snapshot } = await symbols.readCore(core);
    const report = await symbols.explain(snapshot, { own: [program], hidden: [] });
    rmSync(core);
    const ours = ownFrames(report);
    expect(ours.map(({ line }) => line)).toEqual(theirs.map(({ line }) => line));
    const found: Found = { same: [], different: [], missing: [], beyond: [] };
    // Of so many frames variables are read.
    for (const [i, { name, variables }] of theirs.slice(0, 4).entries())
      for (const [variable, value] of Object.entries(variables))
        match(`${name}.${variable}`, ours[i]?.variables.get(variable), value, found);
    return found;
  };

  const check = async (program: string, flags: readonly string[], least: number): Promise<void> => {
    const found = await compare(program);
    expect(found.different).toEqual([]);
    expect(found.beyond).toEqual([]);
    expect(found.same.length).toBeGreaterThanOrEqual(least);
    // Of a division gdb tells another number than the program has.
    const isHonest =
      /: (its register was reused|the compiler does not say with which sign it is divided)$/;
    // gdb tells what the first of two functions that jump to each other was called with.
    const jumped = 'ping.left: kept at the call only';
    expect(found.missing.filter((one) => !isHonest.test(one) && one !== jumped)).toEqual([]);
    if (flags.includes('-O0')) expect(found.missing).toEqual([]);
  };

  for (const [name, flags, least] of builds) {
    itNeeds(
      'gdb',
      `[crash.values] ${name} ${flags.join(' ')}, gcc: numbers, text, pointers, structures and arrays, or that the compiler removed them`,
      async () => check(buildTarget(`crash/${name}`, flags), flags, least),
    );
    itNeeds('clang', `[crash.values] ${name} ${flags.join(' ')}: the same of clang`, async () => {
      const library = name.endsWith('.cpp') ? ['-std=c++17', '-fstandalone-debug', '-lstdc++'] : [];
      await check(buildByClang(`crash/${name}`, [...flags, ...library]), flags, least);
    });
  }

  itNeeds(
    'clang',
    '[crash.values] kinds.cpp: text whose inner types clang did not describe, which gdb cannot show',
    async () => {
      const program = buildByClang('crash/kinds.cpp', ['-std=c++17', '-lstdc++']);
      const { different, beyond } = await compare(program);
      expect(different).toEqual([]);
      const title = { kind: 'string', text: 'the title that is longer than a short string' };
      expect(beyond).toContain(`middle.title: ${JSON.stringify({ ...title, truncated: false })}`);
    },
  );
});

function match(path: string, ours: Value | undefined, theirs: Tree, found: Found): void {
  if (ours === undefined || ours.kind === 'notCaptured') {
    if (!('kind' in theirs) || theirs.kind !== 'none')
      found.missing.push(`${path}: ${ours?.kind === 'notCaptured' ? ours.reason : 'not there'}`);
    return;
  }
  if ('members' in theirs) {
    const members = Object.entries(theirs.members);
    const [only] = members;
    // gdb has no printer for std::array.
    if (ours.kind === 'list' && only !== undefined && members.length === 1)
      return match(path, ours, only[1], found);
    if (ours.kind !== 'object') return void found.different.push(`${path}: ${ours.kind}`);
    for (const [name, value] of members) {
      const own = ours.object.fields.find((field) => field.name === name);
      match(`${path}.${name}`, own?.value, value, found);
    }
    return;
  }
  if ('items' in theirs) return matchItems(path, ours, theirs.items, found);
  if (theirs.kind === 'none') return void found.beyond.push(`${path}: ${JSON.stringify(ours)}`);
  const text = 'address' in theirs ? theirs.address : theirs.text;
  const list = isSame(leafText(ours), text) ? found.same : found.different;
  list.push(`${path}: ${leafText(ours)}, gdb ${text}`);
}

function matchItems(path: string, ours: Value, theirs: readonly Tree[], found: Found): void {
  const { items, total } = itemsOf(ours, theirs.length);
  if (total !== theirs.length) found.different.push(`${path}: ${total} elements`);
  for (const [i, value] of theirs.entries()) match(`${path}[${i}]`, items[i], value, found);
}

/** What gdb's printers tell as `count` children: of a map keys and values in turn, of an owner its pointer. */
function itemsOf(
  ours: Value,
  count: number,
): { readonly items: readonly Value[]; readonly total: number } {
  const some = (items: readonly Value[]): ReturnType<typeof itemsOf> => ({
    items,
    total: items.length,
  });
  switch (ours.kind) {
    case 'list':
      return ours;
    case 'map': {
      const items = ours.entries.flatMap(({ key, value }) => [key, value]);
      return { items, total: ours.total * 2 };
    }
    case 'object':
      return some(count === 1 ? [ours] : ours.object.fields.map(({ value }) => value));
    case 'variant':
      return some(ours.value === null ? [] : [ours.value]);
    default:
      return some([ours]);
  }
}

function leafText(value: Value): string {
  switch (value.kind) {
    case 'int':
    case 'enum':
    case 'string':
      return value.text;
    case 'float':
      return Object.is(value.value, -0) ? '-0.0' : String(value.value);
    case 'bool':
      return value.value ? '1' : '0';
    case 'char':
      return String(value.code);
    case 'pointer':
    case 'unreadable':
      return value.address;
    default:
      return JSON.stringify(value);
  }
}

/** Python and JavaScript write the same floating-point number in their own ways. */
function isSame(ours: string, theirs: string): boolean {
  const isFraction = /^-?[\d.]+(?:e[-+]?\d+)?$/.test(theirs) && /[.e]/.test(theirs);
  return isFraction ? Object.is(Number(ours), Number(theirs)) : ours === theirs;
}

function gdbFrames(program: string, core: string): z.infer<typeof frames> {
  gdb([program], ['run > /dev/null', `generate-core-file ${core}`, 'kill']);
  if (!existsSync(core)) throw new Error('gdb wrote no core file');
  const scripts = ['../../support/gdbLeaves.py', 'gdbValues.py'];
  const shown = gdb(
    [program, core],
    scripts.map((script) => `source ${join(here, script)}`),
  );
  const line = /^FRAMES (.*)$/m.exec(shown)?.[1];
  if (line === undefined) throw new Error(`gdb shows no frames:\n${shown}`);
  return frames.parse(JSON.parse(line));
}

function gdb(files: readonly string[], commands: readonly string[]): string {
  const args = ['--batch', '-nx', '-ex', 'set pagination off'];
  for (const command of commands) args.push('-ex', command);
  return spawnSync('gdb', [...args, ...files], { timeout: 60_000, encoding: 'utf8' }).stdout;
}

interface OwnFrame {
  readonly line: number | null;
  readonly variables: ReadonlyMap<string, Value>;
}

function ownFrames(report: CrashReport): OwnFrame[] {
  return (report.threads[0]?.frames ?? [])
    .filter((frame) => frame.file?.includes('/targets/crash/') === true)
    .map(({ line, variables }) => ({
      line,
      variables: new Map(variables.map(({ name, value }) => [name, value])),
    }));
}
