import { knotsOf } from './layerRules.ts';
import type { NativeFile } from './nativeTree.ts';

/** What one folder below native/ may include of another. */
const across: Readonly<Record<string, readonly string[]>> = {
  'native/host': ['native/supervisor/parked.h'],
  'native/node': ['native/engine/record.h', 'native/engine/unseenCalls.h'],
  'native/python': ['native/engine/record.h', 'native/engine/unseenCalls.h'],
  'native/outside': [
    'native/engine/exceptionFile.c',
    'native/engine/exceptionFile.h',
    'native/engine/raw.h',
    'native/engine/reads.h',
    'native/engine/probeRow.h',
    'native/engine/probeValues.c',
    'native/engine/probeValues.h',
    'native/engine/quick.h',
    'native/engine/relocate.h',
    'native/engine/types.h',
    'native/engine/captureText.c',
    'native/engine/captureText.h',
    'native/engine/captureValue.c',
    'native/engine/captureValue.h',
    'native/engine/condition.c',
    'native/engine/walk.c',
    'native/engine/walk.h',
    'native/engine/watchSample.c',
    'native/engine/watchSample.h',
    'native/engine/x64/decode.h',
    'native/stopper/memory.h',
    'native/stopper/threads.h',
  ],
  'native/stopper': [
    'native/engine/condition.h',
    'native/engine/reads.h',
    'native/engine/thrown.h',
    'native/engine/traps.h',
    'native/engine/types.h',
    'native/engine/x64/decode.h',
    'native/supervisor/handover.h',
    'native/supervisor/park.h',
  ],
  'native/spotter': ['native/engine/cpu.h', 'native/engine/x64/decode.h'],
};

/** A reference that is not followed, with the reason; without it there is a knot. */
interface Declared {
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const declared: readonly Declared[] = [
  {
    from: 'native/engine/ring',
    to: 'native/engine/pool',
    why: 'compares return addresses with places in its code, and calls nothing there',
  },
  {
    from: 'native/engine/exceptions',
    to: 'native/engine/exceptionHooks',
    why: 'says where its code lies, for a jump, and calls nothing there',
  },
];

/** A source, its header, and what is written for each processor are one unit: one idea. */
function unitOf(path: string): string {
  return path.replace(/\.\w+$/, '').replace(/\/x64\//, '/');
}

function folderOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

/** Which units of a folder define a name that other files can use. */
function definers(files: readonly NativeFile[]): (folder: string, name: string) => string[] {
  const units = new Map<string, string[]>();
  for (const file of files) {
    for (const name of file.defines) {
      const key = `${folderOf(file.path)} ${name}`;
      units.set(key, [...(units.get(key) ?? []), unitOf(file.path)]);
    }
  }
  return (folder, name) => units.get(`${folder} ${name}`) ?? [];
}

/** Which units of its folder each unit includes or names something of. */
function nativeEdges(files: readonly NativeFile[]): Map<string, Set<string>> {
  const definersOf = definers(files);
  const edges = new Map<string, Set<string>>();
  for (const file of files) {
    const [unit, folder] = [unitOf(file.path), folderOf(file.path)];
    const named = [...file.uses].filter((name) => !file.keeps.includes(name));
    const to = [
      ...file.includes.map(unitOf).filter((other) => folderOf(other) === folder),
      ...named.flatMap((name) => definersOf(folder, name)),
    ];
    edges.set(unit, new Set([...(edges.get(unit) ?? []), ...to.filter((other) => other !== unit)]));
  }
  return edges;
}

/** Units of one folder that need each other, but for the references that are declared. */
export function nativeKnots(
  files: readonly NativeFile[],
  but: readonly Declared[] = declared,
): string[][] {
  const edges = [...nativeEdges(files)].map(([unit, to]): [string, string[]] => [
    unit,
    [...to].filter((other) => !but.some((one) => one.from === unit && one.to === other)),
  ]);
  return knotsOf(new Map(edges)).map((knot) => knot.toSorted());
}

/** One sentence for each name of ours that is not in snake_case; members may be another library's. */
export function nativeNames(files: readonly NativeFile[]): string[] {
  return files.flatMap((file) =>
    [...file.uses]
      .filter((name) => /^[a-z]+[A-Z]/.test(name))
      .map((name) => `${file.path}: ${name} is not in snake_case`),
  );
}

/** One sentence for each header that declares what another unit defines, and for each include from another folder. */
export function nativeProblems(files: readonly NativeFile[]): string[] {
  const definersOf = definers(files);
  return files.flatMap((file) => {
    const folder = folderOf(file.path);
    const foreign = file.declares.filter((name) => {
      const units = definersOf(folder, name);
      return units.length > 0 && !units.includes(unitOf(file.path));
    });
    const outside = file.includes.filter(
      (path) => folderOf(path) !== folder && across[folder]?.includes(path) !== true,
    );
    return [
      ...foreign.map(
        (name) => `${file.path}: ${name} is declared by ${definersOf(folder, name).join(', ')}`,
      ),
      ...outside.map((path) => `${file.path}: ${folder} may not include ${path}`),
    ];
  });
}
