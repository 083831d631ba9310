import { expect, test } from 'vitest';
import { identify } from '../../../src/db/reader/functionIdentity.ts';
import type { TracedFunction } from '../../../src/model/eventColumns.ts';

function functionOf(
  number: number,
  name: string,
  file: string | null,
  module = '/bin/app',
): TracedFunction {
  return {
    number,
    name,
    signature: `${name}()`,
    linkageName: name,
    module,
    address: 100 - number,
    file,
    line: number,
    captured: [],
    uncaptured: [],
    returns: { kind: 'void' },
  };
}

test('[query.diff] functions of two sessions are the same by signature, namesakes by file, module and order', () => {
  const { here, there } = identify(
    [
      functionOf(1, 'main', '/one/main.c'),
      functionOf(2, 'step', '/one/a.c'),
      functionOf(3, 'step', '/one/b.c'),
      functionOf(4, 'load', '/one/load.c', '/lib/x.so'),
      functionOf(5, 'load', '/one/load.c', '/lib/y.so'),
      functionOf(6, 'twin', '/one/t.c'),
      functionOf(7, 'twin', '/one/t.c'),
      functionOf(8, 'bare', null, '/lib/x.so'),
    ],
    [
      functionOf(1, 'step', '/two/b.c'),
      functionOf(2, 'main', '/two/other.c'),
      functionOf(3, 'load', '/two/load.c', '/lib/y.so'),
      functionOf(4, 'twin', '/two/t.c'),
      functionOf(5, 'bare', '/two/bare.c'),
    ],
  );
  // Addresses fall as numbers rise.
  expect([...here].toSorted(([a], [b]) => a - b).map(([, text]) => text)).toEqual([
    'main()',
    'step() (a.c)',
    'step() (b.c)',
    'load() (load.c, x.so)',
    'load() (load.c, y.so)',
    'twin() (t.c, app) #2',
    'twin() (t.c, app)',
    'bare()',
  ]);
  expect([...there].toSorted(([a], [b]) => a - b).map(([, text]) => text)).toEqual([
    'step() (b.c)',
    'main()',
    'load() (load.c, y.so)',
    'twin() (t.c, app)',
    'bare()',
  ]);
});
