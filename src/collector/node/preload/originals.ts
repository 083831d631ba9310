import { isDeno, isMappedByNode } from './readers/mapReaders.ts';
import { originalColumn, originalOf, textOf, type RewrittenText } from './rewrittenText.ts';
import { hide, textOwner } from './standIns.ts';

/** Functions and stacks of a realm show what they were before they were rewritten. */
export function showOriginals(global: typeof globalThis): void {
  showTexts(global.Function.prototype);
  if (!isDeno) showPlaces(global.Error);
}

function showTexts(prototype: typeof Function.prototype): void {
  const { toString } = prototype;
  const shown = new Proxy(toString, {
    apply(target, of: unknown, words: unknown[]): unknown {
      const text: unknown = Reflect.apply(target, textOwner(of), words);
      return typeof text === 'string' ? (originalOf(text) ?? text) : text;
    },
  });
  Object.defineProperty(prototype, 'toString', {
    value: shown,
    writable: true,
    configurable: true,
  });
  hide(shown, toString);
}

type Prepare = (error: Error, sites: NodeJS.CallSite[]) => unknown;

/** The place in its original of a call in rewritten text. */
function placed(site: NodeJS.CallSite): NodeJS.CallSite {
  if (site.isNative()) return site;
  const file = site.getFileName() ?? site.getScriptNameOrSourceURL();
  const text = file ? textOf(file) : undefined;
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  if (!text || line === null || column === null) return site;
  // Node's own function leads these back by the map that the text was given.
  if (text.isMapped && isMappedByNode()) return site;
  const original = originalColumn(text, line, column);
  if (original === column) return site;
  return answering(site, {
    getColumnNumber: () => original,
    getEnclosingColumnNumber: () => enclosingColumn(text, site),
    toString: (told) => told.replace(`:${line}:${column}`, `:${line}:${original}`),
  });
}

/** Where the function begins that calls. */
function enclosingColumn(text: RewrittenText, site: NodeJS.CallSite): number | null {
  const [line, column] = [site.getEnclosingLineNumber(), site.getEnclosingColumnNumber()];
  return line === null || column === null ? column : originalColumn(text, line, column);
}

interface Answers {
  readonly toString: (told: string) => string;
  readonly [method: string]: (told: string) => unknown;
}

/** The same call with other answers. */
function answering(site: NodeJS.CallSite, answers: Answers): NodeJS.CallSite {
  return new Proxy(site, {
    get(target, key): unknown {
      if (typeof key === 'string' && Object.hasOwn(answers, key))
        // oxlint-disable-next-line typescript/no-base-to-string -- it has its own
        return () => answers[key]?.(String(target));
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}

/**
 * Modules are compiled through a function of ours, which stands where Node's own is looked for: that is known by no
 * member any more.
 */
function ofProgram(sites: readonly NodeJS.CallSite[]): NodeJS.CallSite[] {
  return sites.flatMap((site) => {
    const file = site.getFileName();
    if (file === __filename) return [];
    const isCompile = file === 'node:internal/modules/cjs/loader' && isNameless(site);
    return [isCompile ? named(site, '_compile') : placed(site)];
  });
}

function isNameless(site: NodeJS.CallSite): boolean {
  return (
    site.getTypeName() === 'Module' &&
    site.getMethodName() === null &&
    site.getFunctionName() === null
  );
}

function named(site: NodeJS.CallSite, name: string): NodeJS.CallSite {
  return answering(site, {
    getMethodName: () => name,
    toString: (told) => told.replace('.<anonymous> (', `.${name} (`),
  });
}

function showPlaces(errors: ErrorConstructor): void {
  const known = Object.getOwnPropertyDescriptor(errors, 'prepareStackTrace');
  let own: unknown = known?.value;
  const wrapped = new WeakMap<object, Prepare>();

  const usual: Prepare = (error, sites) => {
    const places = ofProgram(sites);
    const head = headOf(error);
    return places.length === 0 ? head : `${head}\n    at ${places.map(String).join('\n    at ')}`;
  };

  Object.defineProperty(errors, 'prepareStackTrace', {
    configurable: true,
    enumerable: known?.enumerable ?? true,
    get: () => (typeof own === 'function' ? wrap(own as Prepare) : usual),
    set(value: unknown) {
      own = value === usual ? undefined : value;
    },
  });

  function wrap(prepare: Prepare): Prepare {
    let made = wrapped.get(prepare);
    if (!made) {
      made = function prepareStackTrace(this: unknown, error, sites) {
        return Reflect.apply(prepare, this, [error, ofProgram(sites)]);
      };
      wrapped.set(prepare, made);
      wrapped.set(made, made);
    }
    return made;
  }
}

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>';
  }
}
