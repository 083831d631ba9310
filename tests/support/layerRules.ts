import type { ImportEdge, SourceFile } from './sourceTree.ts';

/** One row of the layer table of docs/architecture.md; the longest folder that fits counts. */
interface Layer {
  readonly folder: string;
  /** Folders and files of ours. */
  readonly ours: readonly string[];
  /** Packages; `node:` stands for all of Node's own modules. */
  readonly packages: readonly string[];
  /** What may be imported as types only. */
  readonly typesOf?: readonly string[];
}

const [base, model] = ['src/base', 'src/model'];
const wires = [
  'agent',
  'record',
  'statementProbe',
  'fromOutside',
  'goArea',
  'definitions',
  'pythonTracer',
  'nodeTracer',
  'keptAnswers',
  'refusals',
  'walk',
  'crashFile',
  'exceptionFile',
  'supervisor',
  'host',
].map((name) => `src/protocol/${name}.ts`);
const pillars = ['src/symbols', 'src/collector', 'src/db', 'src/testing'];
const mcpClients = ['@modelcontextprotocol/client', '@modelcontextprotocol/sdk'];
const daemonPackages = ['zod', '@modelcontextprotocol/server', 're2js'];
const testPackages = [
  'vitest',
  'fast-check',
  '@babel/parser',
  'zod',
  'better-sqlite3',
  'esbuild',
  'ws',
  '@vscode/debugadapter-testsupport',
  '@vscode/debugprotocol',
];
/** What the size of answers, which the product estimates, is measured with. */
const tokenizers = ['gpt-tokenizer'];
/** What exports are read back with. */
const readers = ['csv-parse', 'saxes', '@opentelemetry/otlp-transformer'];

export const layers: readonly Layer[] = [
  { folder: base, ours: [], packages: ['node:'] },
  { folder: model, ours: [base], packages: ['picomatch'], typesOf: ['node:'] },
  { folder: 'src/protocol', ours: [base, model], packages: ['zod'] },
  {
    folder: 'src/symbols',
    ours: [base, model],
    packages: ['node:', 'gecko-profiler-demangle', '@lezer/python', '@babel/parser'],
    typesOf: ['@babel/types'],
  },
  {
    folder: 'src/db',
    ours: [base, model],
    packages: ['node:', 'better-sqlite3', 're2js', 'picomatch', 'http-parser-js', 'hpack.js'],
  },
  { folder: 'src/testing', ours: [base, model], packages: ['node:', 'saxes'] },
  {
    folder: 'src/collector',
    ours: [base, model, ...wires],
    packages: ['node:', 'ws', 'zod', 'x11'],
  },
  {
    folder: 'src/daemon',
    ours: [base, model, 'src/protocol', ...pillars],
    packages: ['node:', ...daemonPackages],
    typesOf: ['@vscode/debugprotocol'],
  },
  {
    folder: 'src/client',
    ours: [
      base,
      'src/model/errors.ts',
      'src/collector/frida/pinnedFrida.ts',
      'src/collector/ui/stagePrograms.ts',
    ],
    packages: ['node:', 'jsonc-parser', 'smol-toml'],
    typesOf: ['src/protocol'],
  },
  {
    folder: 'editors/vscode/plain',
    ours: [base, 'src/client/messages.ts', 'src/daemon/report/text/timeText.ts'],
    packages: ['node:'],
  },
  {
    folder: 'editors/vscode/host',
    ours: ['editors/vscode/plain', 'src/client/messages.ts'],
    packages: ['node:', 'vscode'],
  },
  {
    folder: 'agent',
    ours: ['src/protocol/record.ts', 'src/protocol/walk.ts', 'src/protocol/exceptionFile.ts'],
    packages: [],
    typesOf: ['src/protocol/agent.ts', model],
  },
  {
    folder: 'tests',
    ours: ['src', 'agent', 'editors/vscode/plain'],
    packages: ['node:', ...testPackages, ...mcpClients, ...tokenizers, ...readers],
  },
];

/** What has one place where it may be touched; everything else goes through that place. */
export const doors: readonly { readonly to: string; readonly onlyIn: readonly string[] }[] = [
  { to: 'node:child_process', onlyIn: ['src/base/process.ts'] },
  { to: 'better-sqlite3', onlyIn: ['src/db/sqlite.ts'] },
  { to: '@modelcontextprotocol/server', onlyIn: ['src/daemon/mcp'] },
  { to: 'ws', onlyIn: ['src/collector/look', 'tests/support'] },
  { to: 'x11', onlyIn: ['src/collector/ui'] },
  { to: 'jsonc-parser', onlyIn: ['src/client/install'] },
  { to: 'smol-toml', onlyIn: ['src/client/install'] },
  { to: 'http-parser-js', onlyIn: ['src/db/reader/channels'] },
  { to: 'hpack.js', onlyIn: ['src/db/reader/channels'] },
  { to: '@lezer/python', onlyIn: ['src/symbols/python'] },
  { to: '@babel/parser', onlyIn: ['src/symbols/javascript'] },
  { to: '@babel/types', onlyIn: ['src/symbols/javascript'] },
];

/** Global members with one place, or only in the main file of a process. */
export const globalDoors: readonly {
  readonly names: readonly string[];
  readonly onlyIn: RegExp;
}[] = [
  {
    names: ['Date.now', 'performance.now', 'process.hrtime', 'new Date()'],
    onlyIn: /^src\/base\/clock\.ts$/,
  },
  { names: ['process.exit'], onlyIn: /\/(main|[A-Za-z]+Main)\.ts$/ },
];

/** One sentence for each import that the table or a door forbids. */
export function layerProblems(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const layer = layerOf(file.path);
    if (layer === undefined) return [`${file.path}: in no layer`];
    return file.imports.flatMap((edge) => [
      ...(isAllowed(layer, edge)
        ? []
        : [`${file.path}: ${layer.folder} may not import ${edge.to}`]),
      ...doorProblems(file, edge),
    ]);
  });
}

/** One sentence for each use of a global outside its door. */
export function globalProblems(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => file.path.startsWith('src/'))
    .flatMap((file) =>
      globalDoors
        .filter((door) => !door.onlyIn.test(file.path))
        .flatMap((door) => door.names.filter((name) => file.globals.includes(name)))
        .map((name) => `${file.path}: ${name} has its own place`),
    );
}

/** Knots of files that import each other, type imports included. */
export function importCycles(files: readonly SourceFile[]): string[][] {
  return knotsOf(new Map(files.map((file) => [file.path, file.imports.map((edge) => edge.to)])));
}

/** What can be reached from itself, together: strongly connected components. */
export function knotsOf(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const knots: string[][] = [];
  const visit = (path: string): number => {
    const known = order.get(path);
    if (known !== undefined) return stack.includes(path) ? known : Number.POSITIVE_INFINITY;
    const mine = order.size;
    order.set(path, mine);
    stack.push(path);
    const next = (edges.get(path) ?? []).filter((to) => edges.has(to));
    const lowest = Math.min(
      mine,
      ...next.map((to) => Math.min(visit(to), low.get(to) ?? Infinity)),
    );
    low.set(path, lowest);
    if (lowest === mine) {
      const knot = stack.splice(stack.indexOf(path));
      for (const member of knot) low.set(member, Number.POSITIVE_INFINITY);
      if (knot.length > 1 || next.includes(path)) knots.push(knot);
    }
    return lowest;
  };
  for (const path of edges.keys()) visit(path);
  return knots;
}

const bannedWords = /^(utils?|common|misc|manager|services?|impl|data|info|helpers?|stuff)$/i;
/** Terms of the field that hold such a word. */
const terms = ['debugInfo'];

/** One sentence for each name that style forbids. */
export function namingProblems(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    const stem = name.slice(0, name.indexOf('.'));
    const problems: string[] = [];
    if (!/^[a-z][A-Za-z0-9]*(\.test)?\.ts$/.test(name)) problems.push('file names are camelCase');
    if (stem === 'index') problems.push('no index.ts: name the file after its idea');
    if (file.hasDefaultExport) problems.push('no default exports');
    for (const word of [...file.path.split('/').slice(0, -1), stem, ...file.typeNames].flatMap(
      badWords,
    )) {
      problems.push(`"${word}" says nothing`);
    }
    for (const type of file.typeNames) {
      if (/^(I[A-Z]|_)/.test(type)) problems.push(`${type}: no prefix`);
      if (/^(Base|Abstract).+/.test(type)) problems.push(`${type}: a base class is not an idea`);
    }
    return problems.map((problem) => `${file.path}: ${problem}`);
  });
}

function badWords(name: string): string[] {
  const rest = terms.reduce((left, term) => left.replace(new RegExp(term, 'i'), ''), name);
  return rest.split(/(?=[A-Z])|[^A-Za-z]/).filter((word) => bannedWords.test(word));
}

function layerOf(path: string): Layer | undefined {
  return layers.find((layer) => path.startsWith(`${layer.folder}/`));
}

function isAllowed(layer: Layer, edge: ImportEdge): boolean {
  const own = edge.to.startsWith(`${layer.folder}/`);
  const types = edge.isTypeOnly ? (layer.typesOf ?? []) : [];
  return (
    own || [...layer.ours, ...layer.packages, ...types].some((allowed) => covers(allowed, edge.to))
  );
}

function covers(allowed: string, to: string): boolean {
  return to === allowed || to.startsWith(allowed.endsWith(':') ? allowed : `${allowed}/`);
}

function doorProblems(file: SourceFile, edge: ImportEdge): string[] {
  if (!file.path.startsWith('src/')) return [];
  return doors
    .filter(
      (door) => covers(door.to, edge.to) && !door.onlyIn.some((place) => covers(place, file.path)),
    )
    .map((door) => `${file.path}: ${edge.to} only in ${door.onlyIn.join(', ')}`);
}

/** Folders that know a runtime: machine code and its files, Frida, debug information. */
const runtimeFolders = [
  'src/collector/native',
  'src/collector/python',
  'src/collector/node',
  'src/collector/frida',
  'src/collector/exceptions',
  'src/collector/crash',
  'src/collector/look',
  'src/collector/program/elfHeader.ts',
];
/** Folders that must not: they reach runtimes through src/collector/tracer.ts and src/symbols/resolver.ts. */
const withoutRuntimes = [
  'src/daemon/session',
  'src/daemon/tracing',
  'src/daemon/report',
  'src/daemon/tools',
  'src/db',
];
/** Where a runtime's name may be compared with: what lists them, and their own folders. */
const mayCompareNames = ['src/daemon/runtimes.ts', 'src/collector', 'src/symbols', 'src/model'];

/** One sentence for each place that knows a runtime and must not. A folder below src/symbols is a runtime's. */
export function runtimeProblems(files: readonly SourceFile[]): string[] {
  const names = new Set(
    files.flatMap(({ path }) => /^src\/symbols\/([^/]+)\//.exec(path)?.[1] ?? []),
  );
  const folders = [...runtimeFolders, ...[...names].map((name) => `src/symbols/${name}`)];
  return files
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap(({ path, imports, compared }) => {
      const isWithout = withoutRuntimes.some((folder) => covers(folder, path));
      const edges = isWithout ? imports : [];
      const known = edges.filter(({ to }) => folders.some((folder) => covers(folder, to)));
      const mayCompare = mayCompareNames.some((folder) => covers(folder, path));
      const met = mayCompare ? [] : compared.filter((text) => names.has(text));
      return [
        ...known.map(({ to }) => `${path}: knows the runtime of ${to}`),
        ...met.map((name) => `${path}: compares with the runtime "${name}"`),
      ];
    });
}

/** More files than these, and a folder is several rooms. */
const mostFiles = 25;

/** One sentence for each folder of src that holds too many files directly. */
export function folderProblems(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    if (folder.startsWith('src/')) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > mostFiles)
    .map(([folder, count]) => `${folder} holds ${count} files, more than ${mostFiles}`);
}

/** Folders that are alike by design: one name in both is one idea seen from two sides. */
const alike: readonly (readonly string[])[] = [
  ['src/protocol/tools', 'src/daemon/tools'],
  ['src/db/reader/views', 'src/daemon/report/views'],
  ['src/db/reader/tree', 'src/daemon/report/tree'],
];

/** One sentence for each name that several files of src have; each process has its main. */
export function nameProblems(files: readonly SourceFile[]): string[] {
  const byName = new Map<string, string[]>();
  for (const { path } of files) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (!path.startsWith('src/') || name === 'main.ts') continue;
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  return [...byName]
    .filter(([, paths]) => paths.length > 1 && !alike.some((folders) => areIn(folders, paths)))
    .map(([name, paths]) => `${name} is the name of ${paths.join(' and ')}`);
}

function areIn(folders: readonly string[], paths: readonly string[]): boolean {
  return paths.every((path) => folders.includes(path.slice(0, path.lastIndexOf('/'))));
}
