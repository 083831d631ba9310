/* What Strobe, and what binutils and gdb know of the functions of a file. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { root } from '../../bench/support/record.mjs';
import { loadTypeScript } from '../../scripts/loadTypeScript.mjs';

export const demanglerPath = createRequire(import.meta.url).resolve(
  'gecko-profiler-demangle/index_bg.wasm',
);

const { patterns } = await loadTypeScript(root, { patterns: 'src/model/names/pattern.ts' });

/** The worker thread that reads symbols, asked one question at a time (src/symbols/native/workerMessages.ts); patterns are texts. */
export class SymbolWorker {
  #worker;

  constructor(cacheDir) {
    this.#worker = new Worker(join(root, 'dist', 'symbolWorker.js'), {
      workerData: { cacheDir, demanglerPath },
    });
  }

  async ask(kind, asked) {
    const answer = new Promise((resolve, reject) => {
      const receive = (told) => {
        if (told.kind !== 'end') return;
        this.#worker.off('message', receive);
        this.#worker.off('error', reject);
        if (told.reply.ok) resolve(told.reply.answer);
        else reject(new Error(told.reply.message));
      };
      this.#worker.on('message', receive);
      this.#worker.once('error', reject);
    });
    this.#worker.postMessage({ kind, asked: parsed(asked) });
    return await answer;
  }

  async close() {
    await this.#worker.terminate();
  }
}

function parsed(asked) {
  const parse = (text) => patterns.parsePattern(text);
  return {
    ...asked,
    ...(asked.patterns && { patterns: asked.patterns.map(parse) }),
    ...(asked.pattern && { pattern: parse(asked.pattern) }),
  };
}

function run(program, args, input) {
  return execFileSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: 300_000,
  });
}

/** Address → [{ name, size }] of all functions with a body in .symtab and .dynsym, as readelf reads them. */
export function symbolsOf(path) {
  const symbols = new Map();
  const lines = run('readelf', ['-sW', path]).matchAll(
    /^\s*\d+: ([0-9a-f]{16})\s+(\d+|0x[0-9a-f]+) FUNC\s+\S+\s+\S+\s+(?:\[.*?\]\s+)?\d+ (.+)$/gm,
  );
  for (const [, address, size, name] of lines) {
    const at = Number.parseInt(address, 16);
    const bare = name.replace(/@@?[A-Z]+\w*_?[\d.]+.*$/, '');
    if (Number(size) > 0)
      symbols.set(at, [...(symbols.get(at) ?? []), { name: bare, size: Number(size) }]);
  }
  return symbols;
}

/** `file:line` of each address, as a reader of debug information tells it; `?` where it does not say. */
export function linesOf(path, addresses, reader = 'addr2line') {
  if (addresses.length === 0) return [];
  const input = addresses.map((address) => `0x${address.toString(16)}\n`).join('');
  return run(reader, ['-e', path], input)
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, file, number] = /^(.*):(\d+|\?)/.exec(line) ?? [];
      return file === undefined || file === '??' || number === '?' || number === '0'
        ? '?'
        : `${basename(file)}:${number}`;
    });
}

/** The name gdb shows for the function at each address; empty where it has none. */
export function gdbNames(path, addresses) {
  if (addresses.length === 0) return [];
  const commands = addresses.flatMap((address) => [
    '-ex',
    `echo =${address}=\\n`,
    '-ex',
    `list *0x${address.toString(16)}`,
  ]);
  const told = run('gdb', ['-nx', '-batch', '-ex', 'set listsize 1', ...commands, path]);
  const names = new Map(
    [...told.matchAll(/=(\d+)=\n(?:0x[0-9a-f]+ is in (.*) \([^()]*:\d+\)\.)?/g)].map(
      ([, at, name]) => [Number(at), name ?? ''],
    ),
  );
  return addresses.map((address) => names.get(address) ?? '');
}

/** Readable names of linkage names. */
export function demangled(names) {
  return names.length === 0
    ? []
    : run('c++filt', [], `${names.join('\n')}\n`)
        .trimEnd()
        .split('\n');
}
