import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the parts of an installed Strobe lie. Everything built is flat in `dist`. */
export interface InstallPaths {
  readonly root: string;
  readonly dist: string;
  readonly version: string;
  readonly client: string;
  readonly daemon: string;
  readonly symbolWorker: string;
  readonly rewriteWorker: string;
  readonly indexWorker: string;
  readonly queryWorker: string;
  /** Sees what a program shows. */
  readonly uiWorker: string;
  readonly exportWorker: string;
  /** The page that an export to HTML fills in. */
  readonly reportPage: string;
  readonly packWorker: string;
  /** The process that runs a client's SQL. */
  readonly sqlMain: string;
  /** The native part of SQLite's package. */
  readonly sqlite: string;
  /** The tables it has of calls and events, an SQLite extension. */
  readonly sqlTables: string;
  readonly agent: string;
  readonly engine: string;
  /** The tracer of Python. */
  readonly python: string;
  readonly node: string;
  /** What a traced Node process runs before its program. */
  readonly nodePreload: string;
  readonly nodeStart: string;
  /** The WebAssembly of the demangler's package. */
  readonly demangler: string;
  readonly supervisor: string;
  readonly watcher: string;
  /** A client of JACK, for MIDI. */
  readonly midi: string;
  /** The other end of a serial port. */
  readonly serial: string;
  readonly sampler: string;
  /** Display and buses of a session. */
  readonly stage: string;
  readonly spotter: string;
  readonly stopper: string;
  readonly outside: string;
  /** What that puts into programs. */
  readonly outsideTarget: string;
  /** Loaded into test runners. */
  readonly testReporters: string;
  /** The Python side of the Frida transport. */
  readonly fridaSidecar: string;
  /** Loaded ahead of libc into each host of Frida. */
  readonly hostCalls: string;
  /** The program of `strobe demo`, and the folder of its sources. */
  readonly ledger: string;
  readonly ledgerProject: string;
  /** The program of `strobe demo debug`, and the folder of its sources. */
  readonly ranks: string;
  readonly ranksProject: string;
  /** The service of `strobe demo python`. */
  readonly parcelsProject: string;
  readonly tillProject: string;
  /** The module of the demonstration in Go. */
  readonly depotProject: string;
  /** The service of `strobe demo node`, built, and its project. */
  readonly tickets: string;
  readonly ticketsProject: string;
  /** The method of debugging with Strobe, for coding agents that read skills. */
  readonly skill: string;
  /** Installs Frida. */
  readonly provision: string;
  /** pip requirements with hashes that pin Frida. */
  readonly fridaRequirements: string;
}

/** Finds the package root above this file; throws when the installation is damaged. */
export function installPaths(): InstallPaths {
  let root = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(root, 'settings.schema.json'))) {
    const parent = dirname(root);
    if (parent === root)
      throw new Error('Strobe is not installed completely: settings.schema.json is missing.');
    root = parent;
  }
  const dist = join(root, 'dist');
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? String(manifest.version)
      : '0';
  return {
    root,
    dist,
    version,
    client: join(dist, 'client.js'),
    daemon: join(dist, 'daemon.js'),
    symbolWorker: join(dist, 'symbolWorker.js'),
    rewriteWorker: join(dist, 'rewriteWorker.js'),
    indexWorker: join(dist, 'indexWorker.js'),
    queryWorker: join(dist, 'queryWorker.js'),
    uiWorker: join(dist, 'uiWorker.js'),
    packWorker: join(dist, 'packWorker.js'),
    exportWorker: join(dist, 'exportWorker.js'),
    reportPage: join(dist, 'report.html'),
    sqlMain: join(dist, 'sqlMain.js'),
    sqlite: join(dist, 'sqlite.node'),
    sqlTables: join(dist, 'sql.so'),
    agent: join(dist, 'agent.js'),
    engine: join(dist, 'engine.so'),
    python: join(dist, 'python.so'),
    node: join(dist, 'node.node'),
    nodePreload: join(dist, 'nodePreload.cjs'),
    nodeStart: join(dist, 'nodeStart.cjs'),
    demangler: join(dist, 'demangler.wasm'),
    supervisor: join(dist, 'supervisor'),
    watcher: join(dist, 'watcher'),
    midi: join(dist, 'midi'),
    serial: join(dist, 'serial'),
    sampler: join(dist, 'sampler'),
    stage: join(dist, 'stage'),
    spotter: join(dist, 'spotter'),
    stopper: join(dist, 'stopper'),
    outside: join(dist, 'outside'),
    outsideTarget: join(dist, 'outside.target'),
    testReporters: join(root, 'src', 'testing', 'reporters'),
    hostCalls: join(dist, 'host.so'),
    ledger: join(dist, 'ledger'),
    ledgerProject: join(root, 'demo', 'ledger'),
    ranks: join(dist, 'ranks'),
    ranksProject: join(root, 'demo', 'ranks'),
    parcelsProject: join(root, 'demo', 'parcels'),
    tillProject: join(root, 'demo', 'till'),
    depotProject: join(root, 'demo', 'depot'),
    tickets: join(dist, 'tickets', 'main.mjs'),
    ticketsProject: join(root, 'demo', 'tickets'),
    skill: join(root, 'skills', 'strobe', 'SKILL.md'),
    provision: join(dist, 'provisionMain.js'),
    fridaSidecar: join(root, 'src', 'collector', 'frida', 'sidecar.py'),
    fridaRequirements: join(root, 'src', 'collector', 'frida', 'requirements.txt'),
  };
}

/** The parts that are not where they belong. */
export function missingParts({ version: _version, ...parts }: InstallPaths): string[] {
  return Object.values(parts).filter((part) => !existsSync(part));
}
