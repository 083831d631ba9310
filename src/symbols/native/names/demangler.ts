import { withoutEndings } from './clones.ts';

/**
 * Demangles Itanium C++, Rust legacy and Rust v0 names through the WebAssembly module of
 * gecko-profiler-demangle. The package's own glue keeps one instance in a global; here each demangler has
 * an instance of its own, and a new one after a trap.
 */
export class Demangler {
  readonly #module: object;
  #instance: DemanglerInstance | null = null;

  /** `wasm` is the content of the package's index_bg.wasm. */
  constructor(wasm: Uint8Array) {
    this.#module = new WebAssembly.Module(wasm);
  }

  /**
   * The readable form with parameters, where the mangling knows them; Rust hashes are left out. A name
   * that cannot be read comes back as it was.
   */
  demangle(linkageName: string): string {
    const name = withoutEndings(linkageName);
    if (!/^_{1,2}[ZR]/.test(name) || name.length > maxLength) return linkageName;
    try {
      this.#instance ??= instantiate(this.#module);
      const text = this.#instance.demangle(name);
      return isUnchanged(name, text) ? linkageName : text;
    } catch {
      // A trap leaves the instance unusable, and this one name unread.
      this.#instance = null;
      return linkageName;
    }
  }
}

const maxLength = 20_000;

/** What it cannot read comes back without its leading underscore. */
function isUnchanged(name: string, text: string): boolean {
  return text === '' || text === name || text === name.slice(1);
}

interface DemanglerInstance {
  demangle(name: string): string;
}

/** Throws when the module is not the one expected. */
function instantiate(module: object): DemanglerInstance {
  let table: unknown = null;
  const imports = {
    // wasm-bindgen keeps four fixed values at the end of its table of references.
    __wbindgen_init_externref_table: (): void => {
      if (!(table instanceof WebAssembly.Table)) return;
      const start = table.grow(4);
      table.set(0, undefined);
      [undefined, null, true, false].forEach((value, i) => {
        if (table instanceof WebAssembly.Table) table.set(start + i, value);
      });
    },
  };
  const { exports } = new WebAssembly.Instance(module, { './index_bg.js': imports });
  table = exports['__wbindgen_export_0'];
  const {
    demangle_any: demangle,
    __wbindgen_malloc: malloc,
    __wbindgen_free: free,
    __wbindgen_start: start,
    memory,
  } = exports;
  if (
    !isCallable(demangle) ||
    !isCallable(malloc) ||
    !isCallable(free) ||
    !(memory instanceof WebAssembly.Memory)
  ) {
    throw new TypeError('the demangler has an unexpected interface');
  }
  if (isCallable(start)) start();
  return {
    demangle(name) {
      const bytes = Buffer.from(name, 'utf8');
      const input = Number(malloc(bytes.length, 1));
      new Uint8Array(memory.buffer).set(bytes, input);
      const result = demangle(input, bytes.length);
      const [at, length] = Array.isArray(result) ? result.map(Number) : [];
      if (at === undefined || length === undefined)
        throw new TypeError('the demangler gave no text');
      const text = Buffer.from(memory.buffer, at, length).toString('utf8');
      free(at, length, 1);
      return text;
    },
  };
}

function isCallable(value: unknown): value is (...values: number[]) => unknown {
  return typeof value === 'function';
}
