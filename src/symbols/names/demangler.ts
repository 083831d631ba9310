import * as glue from 'gecko-profiler-demangle/index_bg.js';

/**
 * Demangles Itanium C++, Rust legacy and Rust v0 names through the WebAssembly module of
 * gecko-profiler-demangle. A name it cannot read comes back as it was.
 */
export class Demangler {
  readonly #module: WebAssembly.Module;
  #isReady = false;

  /** `wasm` is the content of the package's index_bg.wasm. */
  constructor(wasm: Uint8Array<ArrayBuffer>) {
    this.#module = new WebAssembly.Module(wasm);
  }

  /** The readable form with parameters, where the mangling knows them; Rust hashes are left out. */
  demangle(linkageName: string): string {
    const name = linkageName.replace(/\.llvm\.\d+$/, '');
    if (!/^_{1,2}[ZR]/.test(name) || name.length > maxLength) return linkageName;
    try {
      if (!this.#isReady) this.#instantiate();
      const text = glue.demangle_any(name);
      return isUnchanged(name, text) ? linkageName : text;
    } catch {
      // A trap leaves the instance unusable, and the name unread.
      this.#isReady = false;
      return linkageName;
    }
  }

  #instantiate(): void {
    const imports = { __wbindgen_init_externref_table: glue.__wbindgen_init_externref_table };
    const instance = new WebAssembly.Instance(this.#module, { './index_bg.js': imports });
    glue.__wbg_set_wasm(instance.exports);
    const start = instance.exports['__wbindgen_start'];
    if (typeof start === 'function') start();
    this.#isReady = true;
  }
}

const maxLength = 20_000;

/** What it cannot read comes back without its leading underscore. */
function isUnchanged(name: string, text: string): boolean {
  return text === '' || text === name || text === name.slice(1);
}
