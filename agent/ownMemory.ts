import type { Engine } from './engine.ts';

/** Where it begins and ends. */
type Range = readonly [from: bigint, to: bigint];

interface Mapping {
  readonly from: bigint;
  readonly to: bigint;
  readonly path: string;
}

/** What has no file and is smaller belongs to the program's thread or libraries. */
const leastOwn = 0x1_0000n;
/** As native/engine/lockAll.c takes. */
const mostRanges = 512;

let atStart: readonly Range[] = [];

/**
 * Tells the engine which memory is the instrumentation's. To be called before the program's start, when all
 * memory is that does not belong to its files, and again when ours has grown.
 */
export function nameOwnMemory(engine: Engine, isStart: boolean): void {
  const mappings = mappingsNow();
  const hidden = withoutVisible(mappings);
  const rangeOf = ({ from, to }: Mapping): Range => [from, to];
  if (isStart) atStart = mappings.filter(isOwn).map(rangeOf);
  const files = mappings.filter(isOwnFile).map(rangeOf);
  const all = merged([...atStart, ...files, ...hidden]).slice(0, mostRanges);
  const pairs = Memory.alloc(Math.max(16, all.length * 16));
  for (const [index, [from, to]] of all.entries()) {
    pairs.add(index * 16).writeU64(uint64(`0x${from.toString(16)}`));
    pairs.add(index * 16 + 8).writeU64(uint64(`0x${to.toString(16)}`));
  }
  const name = new NativeFunction(engine.entry('engine_own_memory'), 'void', ['pointer', 'uint32']);
  name(pairs, all.length);
}

function mappingsNow(): Mapping[] {
  const line = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+ *(.*)$/gm;
  return [...File.readAllText('/proc/self/maps').matchAll(line)].map(([, from, to, path = '']) => ({
    from: BigInt(`0x${from}`),
    to: BigInt(`0x${to}`),
    path,
  }));
}

function isOwnFile({ path }: Mapping): boolean {
  return /\/engine\.so$|\/strobe-\d+\//.test(path);
}

/** All that has no file, but for what is the program's at its start. */
function isOwn(mapping: Mapping, index: number, all: readonly Mapping[]): boolean {
  const { from, to, path } = mapping;
  if (path !== '') return isOwnFile(mapping) || path.startsWith('/dev/zero');
  const before = all[index - 1];
  // What is zero at first of a file's data is right behind it.
  const isData =
    before?.to === from && before.path.startsWith('/') && !isOwn(before, index - 1, all);
  return !isData && to - from >= leastOwn;
}

/** What Frida hides. */
function withoutVisible(mappings: readonly Mapping[]): Range[] {
  const visible = Process.enumerateRanges('---').map(({ base, size }): Range => {
    const from = BigInt(base.toString());
    return [from, from + BigInt(size)];
  });
  const hidden: Range[] = [];
  let next = 0;
  for (const { from, to } of mappings) {
    let at = from;
    while (next < visible.length && (visible[next]?.[1] ?? 0n) <= from) next++;
    for (let i = next; i < visible.length; i++) {
      const [begin = 0n, end = 0n] = visible[i] ?? [];
      if (begin >= to) break;
      if (begin > at) hidden.push([at, begin]);
      if (end > at) at = end;
    }
    if (at < to) hidden.push([at, to]);
  }
  return hidden;
}

/** Ascending, and apart from each other. */
function merged(ranges: readonly Range[]): Range[] {
  const all: [bigint, bigint][] = [];
  for (const [from, to] of ranges) {
    const at = all.findIndex((one) => one[1] >= from);
    const first = at < 0 ? all.length : at;
    let next = first;
    let [begin, end] = [from, to];
    for (let one = all[next]; one && one[0] <= to; one = all[++next]) {
      if (one[0] < begin) begin = one[0];
      if (one[1] > end) end = one[1];
    }
    all.splice(first, next - first, [begin, end]);
  }
  return all;
}
