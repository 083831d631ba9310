import vm from 'node:vm';
import type { ModuleFormat } from '../../../protocol/nodeTracer.ts';
import { showOriginals } from './originals.ts';
import { rewriteOrTell } from './moduleRewriting.ts';
import { hide } from './standIns.ts';

type Options =
  { readonly filename?: string | undefined; readonly cachedData?: unknown } | string | undefined;
type Strobe = (key: number, read?: (index: number) => unknown) => unknown;

/** What runs in contexts of their own is rewritten where its file is known, as Jest and Vitest run modules. */
export function hookScripts($strobe: Strobe): void {
  const builtin = vm as {
    -readonly [K in keyof typeof vm]: (typeof vm)[K];
  };
  const { Script, createContext, compileFunction, runInThisContext, runInContext } = vm;
  const { runInNewContext } = vm;
  const prepared = new WeakSet<object>();

  /** Its globals have the function as well, and functions of it show their own text. */
  function prepare<T>(context: T): T {
    if (typeof context !== 'object' || context === null || prepared.has(context)) return context;
    if (!vm.isContext(context)) return context;
    prepared.add(context);
    const global = new Script('globalThis').runInContext(context) as typeof globalThis;
    Object.defineProperty(global, '$strobe', { value: $strobe, configurable: true });
    showOriginals(global);
    return context;
  }

  class RewritingScript extends Script {
    constructor(code: string, options?: vm.ScriptOptions | string) {
      super(rewrittenCode(code, options), options);
    }

    override runInContext(context: vm.Context, options?: vm.RunningScriptOptions): unknown {
      return super.runInContext(prepare(context), options);
    }

    override runInNewContext(
      object?: vm.Context,
      options?: vm.RunningScriptInNewContextOptions,
    ): unknown {
      return super.runInContext(prepare(createContext(object ?? {})), options);
    }
  }
  hide(RewritingScript, Script);
  builtin.Script = RewritingScript;

  replace('createContext', createContext, (...words) => prepare(createContext(...words)));
  replace('compileFunction', compileFunction, (code, parameters, options) => {
    prepare(options?.parsingContext);
    return compileFunction(rewrittenCode(code, options, 'commonjs'), parameters, options);
  });
  replace('runInThisContext', runInThisContext, (code, options) =>
    runInThisContext(rewrittenCode(code, options), options),
  );
  replace('runInContext', runInContext, (code, context, options) =>
    runInContext(rewrittenCode(code, options), prepare(context), options),
  );
  replace('runInNewContext', runInNewContext, (code, object, options) =>
    runInNewContext(rewrittenCode(code, options), prepare(createContext(object ?? {})), options),
  );

  function replace<K extends keyof typeof vm>(
    name: K,
    replaced: (typeof vm)[K] & object,
    made: (typeof vm)[K] & object,
  ): void {
    hide(made, replaced);
    builtin[name] = made;
  }
}

function rewrittenCode(code: string, options: Options, format: ModuleFormat = 'script'): string {
  const path = typeof options === 'string' ? options : options?.filename;
  // What was compiled before fits no other text.
  const isCached = typeof options === 'object' && options.cachedData !== undefined;
  if (typeof code !== 'string' || path === undefined || isCached) return code;
  const file = path.startsWith('file://') ? decodeURIComponent(new URL(path).pathname) : path;
  return rewriteOrTell(file, format, code);
}
