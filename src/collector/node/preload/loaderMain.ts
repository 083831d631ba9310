/*
 * Up to Node 20 ES modules are loaded by a thread of their own, which runs this: it rewrites them for the thread that
 * runs them.
 */
import { fileURLToPath } from 'node:url';
import { loadAddon } from './addon.ts';
import { rewriteForOther, startRewriting } from './moduleRewriting.ts';

interface Loaded {
  readonly format?: string | null;
  readonly source?: string | ArrayBuffer | NodeJS.TypedArray | null;
}

const folder = fileURLToPath(new URL('.', import.meta.url)).slice(0, -1);
if (loadAddon(`${folder}/node.node`)) startRewriting(folder);
const decoder = new TextDecoder();

export async function load(
  url: string,
  context: unknown,
  next: (url: string, context: unknown) => Promise<Loaded>,
): Promise<Loaded> {
  const loaded = await next(url, context);
  const { format, source } = loaded;
  if (format !== 'module' || !source || !url.startsWith('file:')) return loaded;
  const original = typeof source === 'string' ? source : decoder.decode(source);
  return { ...loaded, source: rewriteForOther(fileURLToPath(url), original) };
}
