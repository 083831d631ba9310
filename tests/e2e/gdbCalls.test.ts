import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { z } from 'zod';
import { callsOf, type SeenCall } from '../support/calls.ts';
import { itNeeds, itProves } from '../support/needs.ts';
import { at } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget, libcxxFlags } from '../support/targets.ts';

/** A value as gdbCalls.py writes it. */
type Tree =
  | { readonly kind: 'number' | 'text'; readonly text: string }
  | { readonly kind: 'name'; readonly text: string; readonly number: string }
  | { readonly kind: 'pointer'; readonly address: string; readonly to?: Tree | undefined }
  | { readonly kind: 'none'; readonly why?: string | undefined }
  /** A type of a library that gdb has no printer for. */
  | { readonly kind: 'library' }
  | { readonly variant: string; readonly members: Readonly<Record<string, Tree>> }
  | { readonly members: Readonly<Record<string, Tree>> }
  | { readonly items: readonly Tree[] }
  /** Keys and values in turn. */
  | { readonly pairs: readonly Tree[] };

const tree: z.ZodType<Tree> = z.lazy(() =>
  z.union([
    z.object({ kind: z.literal('name'), text: z.string(), number: z.string() }),
    z.object({ kind: z.enum(['number', 'text']), text: z.string() }),
    z.object({ kind: z.literal('pointer'), address: z.string(), to: tree.optional() }),
    z.object({ kind: z.literal('none'), why: z.string().optional() }),
    z.object({ kind: z.literal('library') }),
    z.object({ variant: z.string(), members: z.record(z.string(), tree) }),
    z.object({ members: z.record(z.string(), tree) }),
    z.object({ items: z.array(tree) }),
    z.object({ pairs: z.array(tree) }),
  ]),
);
const seenByGdb = z.array(z.object({ name: z.string(), arguments: z.record(z.string(), tree) }));

const here = dirname(fileURLToPath(import.meta.url));

function gdbCalls(program: string, names: readonly string[]): z.infer<typeof seenByGdb> {
  const commands = [
    'set pagination off',
    `python wanted = ${JSON.stringify(names)}`,
    `source ${join(here, '../support/gdbLeaves.py')}`,
    `source ${join(here, 'gdbCalls.py')}`,
  ];
  const args = ['--batch', '-nx', ...commands.flatMap((command) => ['-ex', command]), program];
  const shown = spawnSync('gdb', args, { timeout: 60_000, encoding: 'utf8' });
  const line = /^CALLS (.*)$/m.exec(shown.stdout)?.[1];
  if (line === undefined) throw new Error(`gdb shows no calls:\n${shown.stdout}${shown.stderr}`);
  return seenByGdb.parse(JSON.parse(line));
}

/** What the comparison found, by the path of the value (`whole::chain.owner.name`). */
class Found {
  readonly same: string[] = [];
  readonly different: string[] = [];
  /** Values that gdb shows and we do not, with our reason. */
  readonly missing: string[] = [];
  /** Values that we show and gdb does not. */
  readonly beyond: string[] = [];

  match(path: string, ours: unknown, theirs: Tree): void {
    const why = at(ours, 'notCaptured');
    if ('kind' in theirs && theirs.kind === 'library') return;
    if ('kind' in theirs && theirs.kind === 'none') {
      if (ours !== undefined && why === undefined)
        this.beyond.push(`${path}: ${JSON.stringify(ours)}`);
    } else if (ours === undefined || why !== undefined)
      this.missing.push(`${path}: ${JSON.stringify(why)}`);
    else if ('pairs' in theirs) this.#pairs(path, ours, theirs.pairs);
    else if ('items' in theirs) this.#items(path, behind(ours), theirs.items);
    else if ('variant' in theirs) this.#variant(path, behind(ours), theirs.variant, theirs.members);
    else if ('members' in theirs)
      this.#members(path, 'value' in theirs.members ? ours : behind(ours), theirs.members);
    else if (theirs.kind === 'pointer') this.#pointer(path, ours, theirs.address, theirs.to);
    else this.#leaf(path, isSameLeaf(behind(ours), theirs), ours, theirs);
  }

  #leaf(path: string, same: boolean, ours: unknown, theirs: unknown): void {
    const line = `${path}: ${JSON.stringify(ours)}, gdb ${JSON.stringify(theirs)}`;
    (same ? this.same : this.different).push(line);
  }

  #pointer(path: string, ours: unknown, address: string, to: Tree | undefined): void {
    const isNull = address === '0x0';
    const isAddress = typeof ours === 'string' && /^(?:0x|&|<circular)/.test(ours);
    if (isNull || ours === null || isAddress || to === undefined)
      this.#leaf(path, isNull === (ours === null), ours, address);
    else this.match(path, ours, to);
  }

  #items(path: string, ours: unknown, theirs: readonly Tree[]): void {
    if (ours === 'valueless' && theirs.length === 0) return;
    const [only] = theirs;
    // The value of a std::variant, which we tell with its type.
    if (only && theirs.length === 1 && !Array.isArray(ours))
      return this.match(path, Object.values(fieldsOf(ours))[0], only);
    if (!Array.isArray(ours) || ours.length !== theirs.length)
      return this.#leaf(path, false, ours, theirs);
    for (const [i, value] of theirs.entries()) this.match(`${path}[${i}]`, ours[i], value);
  }

  #pairs(path: string, ours: unknown, theirs: readonly Tree[]): void {
    const own = Object.entries(fieldsOf(ours)).filter(([name]) => name !== 'address');
    if (own.length * 2 !== theirs.length) return this.#leaf(path, false, ours, theirs);
    for (let i = 0; i < theirs.length; i += 2) {
      const [key, value] = [theirs[i], theirs[i + 1]];
      if (!key || !value || !('text' in key)) continue;
      this.match(`${path}.${key.text}`, at(behind(ours), key.text), value);
    }
  }

  #variant(
    path: string,
    ours: unknown,
    variant: string,
    members: Readonly<Record<string, Tree>>,
  ): void {
    const [only] = Object.values(members);
    if (only === undefined || typeof ours === 'string')
      return this.#leaf(path, ours === variant, ours, variant);
    const inner = at(ours, variant);
    const isOne = Object.keys(members).join(',') === '__0';
    if (isOne) this.match(`${path}.${variant}`, inner, only);
    else this.#members(`${path}.${variant}`, inner, members);
  }

  #members(path: string, ours: unknown, members: Readonly<Record<string, Tree>>): void {
    if (typeof ours !== 'object' || ours === null) return this.#leaf(path, false, ours, members);
    for (const [name, value] of Object.entries(members))
      this.match(`${path}.${name}`, at(ours, name), value);
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  const inner = behind(value);
  return typeof inner === 'object' && inner !== null
    ? Object.fromEntries(Object.entries(inner))
    : {};
}

/** What stands behind an address that is told with it. */
function behind(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('address' in value)) return value;
  const names = Object.keys(value);
  return names.length === 2 && 'value' in value ? value.value : value;
}

type Leaf = Extract<Tree, { kind: 'number' | 'text' | 'name' }>;

function isSameLeaf(ours: unknown, theirs: Leaf): boolean {
  const { kind, text } = theirs;
  if (kind === 'text') return ours === text;
  if (kind === 'name')
    return String(ours) === theirs.number || lastNames(String(ours)) === lastNames(text);
  if (typeof ours === 'boolean') return Number(ours) === Number(text);
  if (ours === text) return true;
  // Of a float gdb writes the double it is.
  const number = ours === '' ? Number.NaN : Number(ours);
  const isNumber = [number, Math.fround(number)].some((one) => Object.is(one, Number(text)));
  return isNumber || (typeof ours === 'string' && BigInt(ours.codePointAt(0) ?? 0) === whole(text));
}

const whole = (text: string): bigint | null => (/^-?\d+$/.test(text) ? BigInt(text) : null);

/** `shop::A|shop::B` is `A|B`. */
function lastNames(text: string): string {
  return text.replaceAll(/\w+::/g, '');
}

describe('arguments of live calls, as gdb shows them', () => {
  const { home, client } = withClient();

  async function compared(program: string, pattern: string): Promise<Found> {
    const run = await runToEnd(client, home, program, { patterns: [{ pattern, depth: 3 }] });
    const calls: readonly SeenCall[] = await callsOf(client, run.sessionId);
    // gdb finds no lambdas by their names.
    const ours = calls.filter((call) => !/[{$]/.test(call.function));
    const names = ours.map((call) => call.function);
    const theirs = gdbCalls(program, [...new Set(names)]);
    expect(theirs.map(({ name }) => name)).toEqual(names);
    const found = new Found();
    for (const [i, call] of theirs.entries())
      for (const [name, value] of Object.entries(call.arguments))
        found.match(`${call.name}.${name}`, ours[i]?.arguments[name], value);
    return found;
  }

  /** gdb alone is wrong: the program prints what we show (wholeValues.test.ts holds it against that). */
  const isGdbsFault = /^(?:mix\.f\.[abc]|complexes\.b\.n|whole::wide\.letter): /;
  /** Told by other names: a field of the base it is of, a lock by its state. */
  const isOurWay = /^whole::(?:others\.both\.id|waits\.locks\.[cp]\.__\w+): /;

  async function isSame(program: string, pattern: string, least: number): Promise<void> {
    const found = await compared(program, pattern);
    expect(found.different.filter((one) => !isGdbsFault.test(one))).toEqual([]);
    expect(found.missing.filter((one) => !isOurWay.test(one))).toEqual([]);
    expect(found.same.length).toBeGreaterThanOrEqual(least);
  }

  const byGcc = [
    ['e2e/wholeC.c', '@file:**/wholeC.c', 28],
    ['e2e/wholeEdges.c', '@file:**/wholeEdges.c', 86],
    ['e2e/wholeCpp.cpp', 'whole::*', 19],
    ['e2e/wholeEdges.cpp', 'whole::**', 5],
    ['e2e/wholeClasses.cpp', 'whole::*', 15],
  ] as const;
  const byClang = [
    ['e2e/wholeCpp.cpp', 5],
    ['e2e/wholeClasses.cpp', 15],
  ] as const;
  /** By each compiler, its levels and versions: what the others show is not shown again in all of them. */
  const withLibstdcxx = [
    ['clang', 'e2e/wholeCpp.cpp', '-O0 -gdwarf-4', 42],
    ['clang', 'e2e/wholeCpp.cpp', '-O2 -gdwarf-4', 17],
    ['clang', 'e2e/wholeCpp.cpp', '-O0 -gdwarf-5', 42],
    ['clang', 'e2e/wholeCpp.cpp', '-O2 -gdwarf-5', 17],
    ['gcc', 'e2e/wholeMore.cpp', '-O0 -gdwarf-5', 34],
    ['gcc', 'e2e/wholeMore.cpp', '-O2 -gdwarf-4', 27],
    ['clang', 'e2e/wholeMore.cpp', '-O0 -gdwarf-4', 35],
    ['clang', 'e2e/wholeMore.cpp', '-O2 -gdwarf-5', 22],
  ] as const;
  const byRustc = [
    ['e2e/whole.rs', 'whole::whole::*', 21],
    ['e2e/wholeEdges.rs', 'wholeEdges::whole::*', 26],
  ] as const;

  for (const version of ['4', '5']) {
    const itVersionNeeds = version === '5' ? itNeeds : itProves;
    for (const [source, pattern, least] of byGcc)
      for (const level of ['-O0', '-O2'])
        itVersionNeeds(
          'gdb',
          `[values.gdb] ${source} by gcc ${level}, DWARF ${version}`,
          async () => {
            const standard = source.endsWith('.c') ? [] : ['-std=c++20'];
            const flags = [...standard, level, `-gdwarf-${version}`];
            await isSame(buildTarget(source, flags), pattern, least);
          },
        );
    for (const [source, least] of byClang)
      itNeeds(
        'gdbAndLibcxx',
        `[values.gdb] ${source} by clang -O2 with libc++, DWARF ${version}`,
        async () => {
          const flags = [...libcxxFlags, '-O2', `-gdwarf-${version}`];
          await isSame(buildByClang(source, flags), 'whole::**', least);
        },
      );
    for (const [source, pattern, least] of byRustc)
      for (const level of ['0', '2'])
        itVersionNeeds(
          'gdbAndRustc',
          `[values.gdb] ${source} by rustc, opt-level=${level}, DWARF ${version}`,
          async () => {
            const flags = [`opt-level=${level}`, `dwarf-version=${version}`];
            const options = flags.flatMap((one) => ['-C', one]);
            await isSame(buildTarget(source, ['--edition=2021', ...options]), pattern, least);
          },
        );
  }

  for (const [compiler, source, flags, least] of withLibstdcxx) {
    const isClang = compiler === 'clang';
    const title = `[values.gdb] ${source} with libstdc++ by ${compiler} ${flags}`;
    itNeeds(isClang ? 'gdbAndClang' : 'gdb', title, async () => {
      const build = isClang ? buildByClang : buildTarget;
      await isSame(build(source, ['-std=c++20', ...flags.split(' ')]), 'whole::**', least);
    });
  }
});
