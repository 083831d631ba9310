import { pause } from '../../base/deadline.ts';
import type { SymbolIndex } from '../../symbols/native/symbolIndex.ts';
import { stampOf } from '../../base/paths.ts';
import { readModules, type KeptModule } from '../../collector/native/loadedModules.ts';

/** Functions of one answer that are named at most. */
const mostNamed = 1000;
const deepest = 64;
const patienceMs = 2000;

/** How functions are written, by their addresses as answers have them. */
export type CodeNames = ReadonlyMap<string, string>;

/** Names the functions that values of an answer lead to, where their files are as they were. Never rejects. */
export async function codeNames(
  symbols: Pick<SymbolIndex, 'namesAt'>,
  storePath: string,
  answer: unknown,
): Promise<CodeNames> {
  const wanted = new Set<string>();
  collect(answer, wanted, 0);
  const names = new Map<string, string>();
  if (wanted.size === 0) return names;
  const modules = await readModules(storePath);
  const byFile = new Map<string, { readonly module: KeptModule; readonly addresses: string[] }>();
  for (const address of wanted) {
    const module = only(modules, BigInt(address));
    if (!module) continue;
    const key = `${module.path} ${module.base}`;
    const known = byFile.get(key);
    if (known) known.addresses.push(address);
    else byFile.set(key, { module, addresses: [address] });
  }
  const naming = Promise.all(
    [...byFile.values()].map(({ module, addresses }) =>
      // What cannot be named is shown as an address.
      nameIn(symbols, module, addresses, names).catch(() => undefined),
    ),
  );
  // A large library is read on meanwhile, and named in the next answer.
  const ended = new AbortController();
  await Promise.race([naming, pause(patienceMs, ended.signal)]);
  ended.abort();
  return new Map(names);
}

/** The file that holds an address; null also where processes of the session had different files there. */
function only(modules: readonly KeptModule[], address: bigint): KeptModule | null {
  let found: KeptModule | null = null;
  for (const module of modules) {
    const base = BigInt(module.base);
    if (address < base || address >= base + BigInt(module.size)) continue;
    if (found && (found.path !== module.path || found.base !== module.base)) return null;
    found = module;
  }
  return found;
}

async function nameIn(
  symbols: Pick<SymbolIndex, 'namesAt'>,
  { path, base, stamp }: KeptModule,
  addresses: readonly string[],
  names: Map<string, string>,
): Promise<void> {
  if ((await stampOf(path)) !== stamp) return;
  const offsets = addresses.map((one) => Number(BigInt(one) - BigInt(base)));
  const found = await symbols.namesAt(path, offsets);
  for (const [i, name] of found.entries()) {
    const address = addresses[i];
    if (name !== null && address !== undefined) names.set(address, written(name));
  }
}

/** What an address of a function in the values of an answer looks like; lines of a tree have them as text. */
const addressText = /0x[0-9a-f]{4,16}/g;

function collect(value: unknown, found: Set<string>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > deepest || found.size >= mostNamed)
    return;
  if (Array.isArray(value)) {
    for (const one of value) collect(one, found, depth + 1);
    return;
  }
  // A line of a tree without values.
  if ('isRead' in value && value.isRead === false) {
    collect('children' in value ? value.children : null, found, depth + 1);
    return;
  }
  const isCode = 'code' in value && value.code === true;
  if (isCode && 'address' in value && typeof value.address === 'string') found.add(value.address);
  for (const [key, one] of Object.entries(value)) {
    if (key === 'varying' && Array.isArray(one))
      for (const text of one)
        for (const [address] of String(text).matchAll(addressText)) found.add(address);
    else collect(one, found, depth + 1);
  }
}

/** libstdc++'s and libc++'s. */
const anyHandler =
  /^std::(?:any::_Manager_(?:in|ex)ternal|\w+::__any_imp::_(?:Small|Large)Handler)<(.*)>::(?:_S_manage|__handle)/;

/** Of what calls or manages the object in a std::function or std::any the object's type. */
function written(name: string): string {
  const [, managed] = anyHandler.exec(name) ?? [];
  if (managed !== undefined) return managed.trim();
  const begin = 'std::_Function_handler<';
  const end = name.lastIndexOf('>::_M_invoke');
  if (!name.startsWith(begin) || end < 0) return `&${name}`;
  const inner = name.slice(begin.length, end);
  let open = 0;
  for (let at = 0; at < inner.length; at++) {
    const character = inner.charAt(at);
    if (character === '(' || character === '<') open++;
    else if (character === ')' || character === '>') open--;
    else if (character === ',' && open === 0) return inner.slice(at + 1).trim();
  }
  return `&${name}`;
}
