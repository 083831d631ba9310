/** The part of the package's generated glue that is used; it ships types for its bundler entry only. */
declare module 'gecko-profiler-demangle/index_bg.js' {
  export function __wbg_set_wasm(exports: WebAssembly.Exports): void;
  export function __wbindgen_init_externref_table(): void;
  export function demangle_any(name: string): string;
}

/** Node has it as a global; its types do not declare the classes. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Exports;
  }
  type Exports = Record<string, unknown>;
}
