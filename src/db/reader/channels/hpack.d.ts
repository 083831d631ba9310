/** What is used of hpack.js, which comes without types. */
declare module 'hpack.js' {
  import type { Duplex } from 'node:stream';

  /** Takes header blocks by `write`, gives fields by `read`. */
  export interface Decompressor extends Duplex {
    /** Decodes what was written. Throws for a block that is damaged. */
    execute(): void;
    read(): { readonly name: string; readonly value: string } | null;
  }

  const hpack: {
    readonly decompressor: {
      create(options: { readonly table: { readonly maxSize: number } }): Decompressor;
    };
  };
  export default hpack;
}
