/** How long a name may be before its template arguments are left out. */
const comfortable = 56;

/**
 * Short forms of function names, as they are shown. Spelling noise of libstdc++ goes always;
 * template arguments become `<*>` when the name stays long (which is also a pattern that finds
 * it). Two names never get the same short form: then both keep more of theirs.
 */
export function shortNames(names: Iterable<string>): (name: string) => string {
  const all = new Set(names);
  const chosen = new Map<string, string>();
  const takenBy = new Map<string, string[]>();
  for (const name of all) {
    const short = withoutArguments(withoutNoise(name));
    takenBy.set(short, [...(takenBy.get(short) ?? []), name]);
  }
  for (const [short, owners] of takenBy) {
    const [only] = owners;
    if (owners.length === 1 && only !== undefined) {
      chosen.set(only, short);
      continue;
    }
    const spellings = new Set(owners.map(withoutNoise));
    for (const owner of owners)
      chosen.set(owner, spellings.size === owners.length ? withoutNoise(owner) : owner);
  }
  return (name) => chosen.get(name) ?? withoutNoise(name);
}

/** A type's name without spelling noise; its template arguments become `<*>` when it is long. */
export function shortType(name: string): string {
  return withoutArguments(withoutNoise(name));
}

function withoutNoise(name: string): string {
  return name
    .replaceAll('[abi:cxx11]', '')
    .replaceAll('std::__cxx11::', 'std::')
    .replaceAll(
      /std::basic_string<char, std::char_traits<char>, std::allocator<char> ?>/g,
      'std::string',
    )
    .replaceAll(
      /, std::(?:allocator|less|equal_to|hash|default_delete|char_traits)<[^<>]*> ?(?=[,>])/g,
      '',
    )
    .replaceAll(/> (?=>)/g, '>');
}

/** `A<B<C>, D>::f` → `A<*>::f`; operators such as `operator<` and `<A as B>::f` stay whole. */
function withoutArguments(name: string): string {
  if (name.length <= comfortable || name.startsWith('<') || /\boperator\s*[<>-]/.test(name))
    return name;
  let out = '';
  let depth = 0;
  for (const character of name) {
    if (character === '<') {
      if (depth === 0) out += '<*>';
      depth += 1;
    } else if (character === '>') {
      depth -= 1;
      if (depth < 0) return name;
    } else if (depth === 0) out += character;
  }
  return depth === 0 ? out : name;
}
