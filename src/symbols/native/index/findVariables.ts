import { nearest } from '../../../base/nearest.ts';
import type { FoundVariable, VariableMatch } from '../../../model/functions/foundVariable.ts';
import { NamedVariables, plainName, type VariablePlace } from '../unwind/namedVariables.ts';
import { depthOf } from '../../../model/values/shape.ts';
import { treeType } from '../dwarf/types/shapes.ts';
import type { TypeReader } from '../dwarf/types/types.ts';
import type { IndexedModule, Library } from './library.ts';

const maxNearest = 5;
const maxFound = 16;
/** The variables of a name as an expression spells it (`total`, `bank::total`, `"a.c"::total`) in these modules. */
export function findVariables(
  library: Library,
  modulePaths: readonly string[],
  wanted: string,
  depth: number,
): VariableMatch {
  const [, file, name = wanted] = /^(?:"([^"]*)")?(?:::)?(.*)$/s.exec(wanted) ?? [];
  const found = new Map<string, FoundVariable>();
  const refused = new Set<string>();
  const others: string[] = [];
  for (const path of modulePaths) {
    const module = library.get(path);
    const types = module.types();
    if (!types) {
      refused.add(`there is no debug information in ${path}`);
      continue;
    }
    for (const one of variablesOf(module, types, { name, depth, refused })) {
      if (file !== undefined && !(one.file ?? '').endsWith(file)) continue;
      found.set(`${path} ${one.place.kind} ${placeOf(one)}`, one);
    }
    if (found.size === 0) others.push(...module.variableNames());
  }
  const variables = [...found.values()];
  const exact = variables.filter((one) => plainName(one.name) === name);
  const best = exact.length > 0 ? exact : variables;
  const last = name.split(/::|\./).at(-1) ?? name;
  const byLast = new Map(others.map((other) => [other.split(/::|\./).at(-1) ?? other, other]));
  return {
    variables: best.slice(0, maxFound),
    refused: best.length > 0 ? [] : [...refused],
    nearest:
      best.length > 0 || refused.size > 0
        ? []
        : nearest(last, [...byLast.keys()], maxNearest).map((near) => byLast.get(near) ?? near),
  };
}

function placeOf({ place }: FoundVariable): number {
  return place.kind === 'parts' ? 0 : place.offset;
}

function placeIn({ index }: IndexedModule, place: VariablePlace): FoundVariable['place'] {
  if (place.kind === 'thread') return place;
  return { kind: 'static', offset: place.address - index.facts.loadAddress };
}

function variablesOf(
  module: IndexedModule,
  types: TypeReader,
  { name, depth, refused }: { name: string; depth: number; refused: Set<string> },
): FoundVariable[] {
  const search = new NamedVariables(types, name, {
    threadBlock: () => module.threadBlock(),
    refuse: (reason) => refused.add(reason),
  });
  const found: FoundVariable[] = [];
  for (const unit of search.units()) {
    try {
      for (const one of search.of(unit)) {
        const type = treeType(types, one.type, depthOf(depth));
        if (type)
          found.push({ ...one, module: module.path, place: placeIn(module, one.place), type });
      }
    } catch {
      refused.add(`a part of the debug information of ${module.path} is damaged`);
    }
    if (found.length > maxFound * 4) break;
  }
  return found;
}
