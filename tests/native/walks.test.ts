import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Walks } from '../../src/collector/native/walkTable.ts';
import { decodeTree } from '../../src/db/reader/values/valueTrees.ts';
import { plainText } from '../../src/db/reader/values/capturedValues.ts';
import type { Shape } from '../../src/model/values/shape.ts';
import type { ValueType } from '../../src/model/values/valueType.ts';
import { packageRoot } from '../support/strobe.ts';
import { buildTarget } from '../support/targets.ts';

type Tree = Extract<ValueType, { kind: 'tree' }>;

const source = [
  'readSafely.c',
  'reads.c',
  'waitingFiles.c',
  'walk.c',
  join(process.arch, 'copies.h'),
]
  .map((name) => readFileSync(join(packageRoot, 'native/engine', name), 'utf8'))
  .join('');
/** Built targets are kept by their flags: this one changes with the engine. */
const version = createHash('sha256').update(source).digest('hex').slice(0, 12);
const wide = process.arch === 'x64' ? ['-mcx16'] : [];

const char = { kind: 'char', name: 'char', bytes: 1, signed: true } as const;
const int = { kind: 'int', name: 'int', bytes: 8, signed: true } as const;

/** The address of a value stands for it. */
function boxed(target: number): Shape {
  const place = { bytes: 8, at: 0, skip: 0, target } as const;
  return { kind: 'pointer', name: 'box', ...place, isFree: true, isValue: true };
}

/** An interface of Go that holds a number or a text of seven letters. */
const shapes: readonly Shape[] = [
  {
    kind: 'interface',
    name: 'any',
    bytes: 16,
    options: [
      { name: 'int', hash: 1, shape: 1 },
      { name: 'word', hash: 2, shape: 2 },
    ],
  },
  boxed(3),
  boxed(4),
  { kind: 'scalar', bytes: 8, type: int },
  { kind: 'array', name: 'word', bytes: 7, count: 7, element: 5 },
  { kind: 'scalar', bytes: 1, type: char },
];
const held: Tree = { kind: 'tree', name: 'any', depth: 1, root: 0, shapes };

it('[watch.torn] an interface that was written while it was copied is told as torn, never shown as of a wrong type', () => {
  const walks = new Walks();
  walks.add(held, { stringBytes: 256, secretNames: [] });
  const flags = ['-O2', '-pthread', '-fno-strict-aliasing', ...wide, `-DSOURCE=0x${version}`];
  const program = buildTarget('engine/walkAgain.c', flags);
  const input = Buffer.from(walks.since(0)).toString('hex');
  const said = execFileSync(program, { input, timeout: 60_000 }).toString().trim().split('\n');
  expect(said.pop()).toBe('written 0 wrong');
  const shown = said.map((line) => {
    const [, name = '', hex = ''] = /^(.*) (\w+)$/.exec(line) ?? [];
    const bytes = Buffer.from(hex, 'hex');
    const value = decodeTree(held, bytes, 8, bytes.length, bytes.readUInt32LE(4));
    return [name, value.kind === 'notCaptured' && value.torn ? 'torn' : plainText(value)];
  });
  expect(Object.fromEntries(shown)).toEqual({
    one: 'int(7)',
    other: 'word("letters")',
    nothing: 'nil',
    'type written': 'torn',
    'data written': 'torn',
    'both written': 'torn',
    emptied: 'torn',
    set: 'torn',
    gone: 'torn',
  });
});
