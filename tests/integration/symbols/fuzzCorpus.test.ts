import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { StrobeError } from '../../../src/model/errors.ts';
import type { Problem } from '../../../src/model/problem.ts';
import { depthOf } from '../../../src/model/values/shape.ts';
import { SymbolIndex } from '../../../src/symbols/native/symbolIndex.ts';
import { packageRoot } from '../../support/strobe.ts';
import { parsePattern } from '../../../src/model/names/pattern.ts';

/** Made by `npm run proof fuzz -- --keep` from programs that tests/targets/symbols/small.cpp and small.rs were built to. */
const corpus = join(dirname(fileURLToPath(import.meta.url)), 'corpus');
const folder = mkdtempSync(join(tmpdir(), 'strobe-corpus-'));
const limits = { openMs: 10_000, findMs: 10_000 };

/** Where what a program was split from or shares with others lies beside it. */
const parts = new Map([
  ['split', 'app.dwp'],
  ['oldSplit', 'app.dwp'],
  ['dwz', 'shared.debug'],
]);

const caseOf = z.object({
  base: z.string(),
  /** Its part is damaged, not the program. */
  isPart: z.boolean(),
  edits: z.array(z.tuple([z.number(), z.string()])),
  cut: z.number().optional(),
  outcome: z.array(z.string()),
});
type Case = z.infer<typeof caseOf>;
const cases = z.array(caseOf).parse(JSON.parse(readFileSync(join(corpus, 'cases.json'), 'utf8')));

const sound = readdirSync(corpus)
  .filter((name) => /^\w+\.gz$/.test(name))
  .map((name): Case => ({ base: name.slice(0, -3), isPart: false, edits: [], outcome: [] }));

describe('[symbols.broken] files that were damaged once', () => {
  let index: SymbolIndex;
  beforeAll(async () => {
    const cacheDir = join(folder, 'index');
    index = await SymbolIndex.start(join(packageRoot, 'dist/symbolWorker.js'), {
      cacheDir,
      limits,
    });
  });
  afterAll(async () => {
    await index[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(sound)('$base is sound', async (one) => {
    expect(await outcomeOf(one, 'sound')).toEqual([]);
    const path = join(folder, `sound${one.base}`, 'app');
    const { value } = await index.find([path], parsePattern('**'), {
      projectRoot: '/',
      depth: depthOf(3),
    });
    expect(value.functions.length).toBeGreaterThan(0);
  });

  test(`each of ${cases.length} has the outcome it had`, async () => {
    for (const [number, one] of cases.entries())
      expect({ number, outcome: await outcomeOf(one, String(number)) }).toEqual({
        number,
        outcome: one.outcome,
      });
  });

  /** What is told when it is read as a program that is traced. */
  async function outcomeOf(one: Case, name: string): Promise<string[]> {
    const path = join(folder, `${name}${one.base}`, 'app');
    writeCase(one, path);
    const told = new Set<string>();
    const asked = async (ask: () => Promise<readonly Problem[]>): Promise<void> => {
      try {
        for (const { detail } of await ask()) told.add(headOf(detail));
      } catch (error) {
        if (!(error instanceof StrobeError)) throw error;
        told.add(`refused: ${headOf(error.message)}`);
      }
    };
    const options = { projectRoot: '/', depth: depthOf(3) };
    await asked(async () => (await index.open(path)).problems);
    await asked(async () => (await index.find([path], parsePattern('**'), options)).problems);
    await asked(async () => {
      await index.variables([path], 'shop::total', 2);
      return [];
    });
    rmSync(join(folder, 'index'), { recursive: true, force: true });
    mkdirSync(join(folder, 'index'));
    return [...told].toSorted();
  }
});

function writeCase({ base, isPart, edits, cut }: Case, path: string): void {
  const read = (name: string): Buffer => gunzipSync(readFileSync(join(corpus, name)));
  const damaged = (bytes: Buffer): Buffer => {
    const copy = Buffer.from(bytes.subarray(0, cut ?? bytes.length));
    for (const [at, hex] of edits) copy.set(Buffer.from(hex, 'hex'), at);
    return copy;
  };
  mkdirSync(dirname(path), { recursive: true });
  const program = read(`${base}.gz`);
  writeFileSync(path, isPart ? program : damaged(program));
  const part = parts.get(base);
  if (part === undefined) return;
  const beside = read(`${base}.part.gz`);
  writeFileSync(join(dirname(path), part), isPart ? damaged(beside) : beside);
}

/** Without the words of V8, names and numbers, as proof/fuzz.proof.mjs writes it. */
function headOf(text: string): string {
  return text
    .replaceAll(/\/\S*\//g, '')
    .replaceAll(
      /Offset is outside.*?(?=\.|$)|Invalid (?:typed )?array.*?(?=\.|$)/g,
      'it ends too early',
    )
    .replaceAll(/ \([^)]*\)/g, '')
    .replaceAll(/0x[\da-f]+|\d+/g, 'N');
}
