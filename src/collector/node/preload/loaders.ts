import nodeModule from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { leftAlone, rewrite, rewriteOrTell } from './moduleRewriting.ts';

/** Node's own class, as far as it is replaced. */
interface ModuleClass {
  readonly prototype: {
    _compile(this: object, content: string, filename: string, ...rest: unknown[]): unknown;
  };
}

interface LoadContext {
  readonly format?: string | null;
}

interface Loaded {
  readonly format?: string | null;
  readonly source?: string | ArrayBuffer | NodeJS.TypedArray | null;
}

type RegisterHooks = (hooks: {
  load(
    url: string,
    context: LoadContext,
    next: (url: string, context: LoadContext) => Loaded,
  ): Loaded;
}) => void;

/** Modules of this thread are rewritten as Node loads them. */
export function hookLoaders(): void {
  const { registerHooks } = nodeModule as unknown as { registerHooks?: RegisterHooks };
  hookCompile(nodeModule as unknown as ModuleClass, registerHooks === undefined);
  if (registerHooks) registerHooks({ load });
  else nodeModule.register(pathToFileURL(`${__dirname}/nodeLoader.mjs`).href);
}

/** `seesRequired`: nothing else sees ES modules that are required. */
function hookCompile({ prototype }: ModuleClass, seesRequired: boolean): void {
  const compile = prototype._compile;
  prototype._compile = function (content, filename, ...rest) {
    const text = typeof content === 'string' ? textOf(content, filename, rest[0]) : content;
    return Reflect.apply(compile, this, [text, filename, ...rest]);
  };
  hide(prototype._compile, compile);

  function textOf(content: string, path: string, format: unknown): string {
    if (format !== 'module') return compiled(content, path);
    return seesRequired ? rewriteOrTell(path, 'module', content) : content;
  }
}

/** Where nothing says what it is, Node takes what is no CommonJS for an ES module. */
function compiled(content: string, path: string): string {
  const made = rewrite(path, 'commonjs', content);
  if (made === null) return content;
  if ('text' in made) return made.text;
  const asModule = rewrite(path, 'module', content);
  if (asModule && 'text' in asModule) return asModule.text;
  leftAlone(path, made);
  return content;
}

/** As its name and length were. */
export function hide(made: object, replaced: object): void {
  for (const key of ['name', 'length']) {
    const known = Object.getOwnPropertyDescriptor(replaced, key);
    if (known) Object.defineProperty(made, key, known);
  }
}

const decoder = new TextDecoder();

function load(
  url: string,
  context: LoadContext,
  next: (url: string, context: LoadContext) => Loaded,
): Loaded {
  const loaded = next(url, context);
  const { format, source } = loaded;
  const isModule = format === 'module' || format === 'module-typescript';
  if (!isModule || source === null || source === undefined || !url.startsWith('file:'))
    return loaded;
  const path = fileURLToPath(url);
  const original = typeof source === 'string' ? source : decoder.decode(source);
  const text = rewriteOrTell(path, 'module', original);
  return text === original ? loaded : { ...loaded, source: text };
}
