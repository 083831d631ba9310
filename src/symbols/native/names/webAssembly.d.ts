/** Node has WebAssembly as a global; its types leave out the classes that are used here. */
declare namespace WebAssembly {
  const Module: new (bytes: Uint8Array) => object;
  class Instance {
    constructor(module: object, imports: Record<string, Record<string, unknown>>);
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
