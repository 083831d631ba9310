/** Node has WebAssembly as a global; its types leave out the classes that are used here. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
  class Memory {
    readonly buffer: ArrayBuffer;
  }
  class Table {
    grow(count: number): number;
    set(index: number, value: unknown): void;
  }
}
