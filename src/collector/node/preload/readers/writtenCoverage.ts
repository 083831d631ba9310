import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import v8 from 'node:v8';
import { threadId } from 'node:worker_threads';
import { theAddon } from '../addon.ts';
import { ofOriginal, type ScriptCoverage } from './coverage.ts';
import { hide } from '../standIns.ts';
import { textOf } from '../rewrittenText.ts';

interface Written {
  readonly result: readonly ScriptCoverage[];
  /** Of scripts with a source map, for c8. */
  readonly 'source-map-cache'?: Readonly<Record<string, { lineLengths: readonly number[] }>>;
}

type Emit = (this: unknown, name: string | symbol, ...words: unknown[]) => unknown;

/**
 * What Node writes for NODE_V8_COVERAGE is that of the original texts. It is written when all listeners of `exit` are
 * done. Node writes what ran since a moment later, when no JavaScript runs any more: that is removed.
 */
export function writeOriginalCoverage(): void {
  const folder = process.env['NODE_V8_COVERAGE'];
  if (!folder) return;
  const files = new RegExp(`^coverage-${process.pid}-\\d+-${threadId}\\.json$`);
  const done = new Set<string>();
  const { takeCoverage } = v8;

  const takeOriginal = (): void => {
    takeCoverage();
    for (const name of readdirSync(folder)) {
      if (!files.test(name) || done.has(name)) continue;
      done.add(name);
      const written = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as Written;
      theAddon().keepCoverage(folder, name);
      writeFileSync(`${folder}/${name}`, JSON.stringify(originalOf(written)));
    }
  };
  hide(takeOriginal, takeCoverage);
  (v8 as { takeCoverage: typeof takeCoverage }).takeCoverage = takeOriginal;

  const { emit } = process;
  const emitAll: Emit = function (this: unknown, name, ...words) {
    const answer: unknown = Reflect.apply(emit as Emit, this, [name, ...words]);
    if (name === 'exit') {
      try {
        takeOriginal();
      } catch {
        // Its folder is gone, or full.
      }
    }
    return answer;
  };
  hide(emitAll, emit);
  Object.defineProperty(process, 'emit', { value: emitAll, writable: true, configurable: true });
}

function originalOf(written: Written): Written {
  for (const [url, kept] of Object.entries(written['source-map-cache'] ?? {})) {
    const text = textOf(url);
    if (text)
      kept.lineLengths = text.original.split(/[\n\u2028\u2029]/).map(({ length }) => length);
  }
  return { ...written, result: written.result.map(ofOriginal) };
}
