import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FoundFunction } from '../../src/model/functions/foundFunction.ts';
import type { InlinedFunction } from '../../src/model/functions/traceable.ts';
import { parsePattern } from '../../src/model/names/pattern.ts';
import { find } from '../../src/symbols/native/index/find.ts';
import { Library } from '../../src/symbols/native/index/library.ts';
import { Demangler } from '../../src/symbols/native/names/demangler.ts';
import { targetSource } from './targets.ts';

const wasm = createRequire(import.meta.url).resolve('gecko-profiler-demangle/index_bg.wasm');

/** A library without a worker around it, over an index folder of its own. */
export class TestLibrary implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'strobe-symbols-'));
  readonly demangler = new Demangler(readFileSync(wasm));
  readonly library: Library;

  constructor(debugFolder?: string) {
    this.library = new Library(this.folder, this.demangler, debugFolder);
  }

  [Symbol.dispose](): void {
    this.library[Symbol.dispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  find(module: string, pattern: string): readonly FoundFunction[] {
    return this.search(module, pattern).functions;
  }

  inlined(module: string, pattern: string): readonly InlinedFunction[] {
    return this.search(module, pattern).inlined;
  }

  search(module: string, pattern: string) {
    return find(this.library, this.demangler, [module], parsePattern(pattern), {
      projectRoot: sourceFolder,
    }).value;
  }
}

/** The folder of the targets, which serves as their project. */
export const sourceFolder = dirname(targetSource('symbols/places.cpp'));
