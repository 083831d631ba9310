import nodeModule from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nodeNote } from '../../../protocol/nodeTracer.ts';
import { isDeno } from './readers/mapReaders.ts';
import { isOpen, leftAlone, note, rewrite, rewriteOrTell } from './moduleRewriting.ts';
import { hide } from './standIns.ts';

type Compile = (this: object, content: string, filename: string, ...rest: unknown[]) => unknown;

/** Node's own class, as far as it is replaced. */
interface ModuleClass {
  readonly prototype: { _compile: Compile };
}

interface LoadContext {
  readonly format?: string | null;
  readonly conditions?: readonly string[];
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

/** Of CommonJS, those whose text is rewritten already when it is compiled. */
const loaded = new Set<string>();

/**
 * Loaders of a program's own hand their texts to `_compile`. Who asks for it for a module that Node's loader has
 * rewritten is given Node's own, so that stacks have no frame of ours. `seesRequired`: nothing else sees ES modules that
 * are required.
 */
function hookCompile({ prototype }: ModuleClass, seesRequired: boolean): void {
  const native = prototype._compile;
  let replaced: Compile | null = null;
  const compile: Compile = function (content, filename, ...rest) {
    const text = typeof content === 'string' ? textOf(content, filename, rest[0]) : content;
    return Reflect.apply(native, this, [text, filename, ...rest]);
  };
  hide(compile, native);
  Object.defineProperty(prototype, '_compile', {
    configurable: true,
    enumerable: true,
    get(this: { readonly filename?: string }) {
      if (replaced) return replaced;
      return this !== prototype && loaded.delete(this.filename ?? '') ? native : compile;
    },
    set(this: object, made: Compile) {
      if (this === prototype) replaced = made;
      else
        Object.defineProperty(this, '_compile', {
          value: made,
          writable: true,
          configurable: true,
        });
    },
  });

  function textOf(content: string, path: string, format: unknown): string {
    if (format !== 'module') return compiled(content, path);
    if (!seesRequired) return content;
    sayUnseen(path, content);
    return rewriteOrTell(path, 'module', content);
  }
}

let isUnseenSaid = false;

/** What an ES module imports that was required is loaded without hooks of ours in Node 20. */
function sayUnseen(path: string, content: string): void {
  if (isUnseenSaid || !isOpen(path) || !/\bimport\b/.test(content)) return;
  isUnseenSaid = true;
  note(
    nodeNote.failed,
    `${path} is an ES module that was required, as Mocha does with its tests: in Node 20 what it imports is not traced. Node 22 or newer traces it.`,
  );
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

const decoder = new TextDecoder();

function load(
  url: string,
  context: LoadContext,
  next: (url: string, context: LoadContext) => Loaded,
): Loaded {
  const made = next(url, context);
  const { format = null, source } = made;
  if (source === null || source === undefined || !url.startsWith('file:')) return made;
  const path = fileURLToPath(url);
  if (!isOpen(path)) return made;
  const original = typeof source === 'string' ? source : decoder.decode(source);
  switch (format) {
    case 'module':
    case 'module-typescript':
      return withText(made, original, rewriteOrTell(path, 'module', original));
    case null:
    case 'commonjs':
    case 'commonjs-typescript':
      if (context.conditions?.includes('require'))
        return isCompiledFirst(path)
          ? made
          : withText(made, original, compiled(original, path), path);
      // Node requires an imported one once more; Deno imports ES modules only, and says no format.
      return isDeno ? withText(made, original, rewriteOrTell(path, 'module', original)) : made;
    default:
      return made;
  }
}

/** A loader of the program's own compiles the text before it hands it to `_compile`. */
function isCompiledFirst(path: string): boolean {
  const { _cache } = nodeModule as unknown as { readonly _cache?: Record<string, object> };
  const module = _cache?.[path];
  return module !== undefined && Object.hasOwn(module, '_compile');
}

/** `path`: of CommonJS. */
function withText(made: Loaded, original: string, source: string, path?: string): Loaded {
  if (source === original) return made;
  if (path !== undefined) loaded.add(path);
  return { ...made, source };
}
