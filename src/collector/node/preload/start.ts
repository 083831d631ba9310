/*
 * What Node runs first in a process that comes in by itself (native/node/alone.h): main.ts, as V8 compiled it for an
 * earlier process of the same version. Compiling it takes longer than all else that it does.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** Of what main.ts became, by the build. */
declare const MAIN_DIGEST: string;

type Main = (require: NodeJS.Require, __filename: string, __dirname: string) => void;

const main = join(__dirname, 'nodePreload.cjs');
/** The place in the word of a socket in the home (src/collector/node/entryWords.ts). */
const serviceAt = 4;

/** Null: the process has not been handed its word. */
function keptFolder(): string | null {
  const service = process.env['STROBE_ENTER']?.split('\x1f')[serviceAt];
  return service === undefined ? null : join(dirname(dirname(service)), 'cache', 'preload');
}

function readKept(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // There is none yet.
  }
}

/** Other versions of the tracer have left theirs. */
function keep(folder: string, versions: string, name: string, data: Buffer): void {
  const draft = join(folder, `${name}.${process.pid}.partial`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = openSync(draft, 'w', 0o600);
    try {
      writeFileSync(file, data);
      // V8 trusts what it finds in it.
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    for (const other of readdirSync(folder))
      if (other.startsWith(versions) && !other.endsWith('.partial'))
        rmSync(join(folder, other), { force: true });
    renameSync(draft, join(folder, name));
  } catch {
    // The next process compiles it as well.
  }
}

function start(folder: string): void {
  const versions = `${process.version}-${process.arch}-`;
  const name = `${versions}${MAIN_DIGEST}`;
  const text = readFileSync(main, 'latin1');
  const cachedData = readKept(join(folder, name));
  const script = new Script(text, { filename: main, ...(cachedData ? { cachedData } : {}) });
  (script.runInThisContext() as Main)(require, main, __dirname);
  if (!cachedData) keep(folder, versions, name, script.createCachedData());
}

delete require.cache[__filename];
const folder = '$strobe' in globalThis ? null : keptFolder();
if (folder === null) require(main);
else start(folder);
