import inspector from 'node:inspector';

/** Deno shows places of code by its source map, always. */
export const isDeno = 'deno' in process.versions;

/** Who shows places of a text by its source map, as far as that is known when it is loaded: Deno, a debugger, or Node, which shows others as they are. */
export function isReadByMap(text: string): boolean {
  const hasOwn = isMappedByNode() && text.includes('sourceMappingURL=');
  // A map of ours would be in what is written of coverage.
  return isDeno || isDebugged() || (hasOwn && !process.env['NODE_V8_COVERAGE']);
}

/** Node leads the stacks of exceptions through source maps; a program may have it do so at any time. */
export function isMappedByNode(): boolean {
  return (process as { readonly sourceMapsEnabled?: boolean }).sourceMapsEnabled === true;
}

/** A debugger can come in. Worker threads only have the options. */
function isDebugged(): boolean {
  return (
    process.execArgv.some((option) => option.startsWith('--inspect')) ||
    inspector.url() !== undefined
  );
}
