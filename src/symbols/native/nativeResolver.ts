import { isSystemPath } from '../../base/systemPaths.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { PatternMatch, UnitSummary } from '../../model/functions/traceable.ts';
import { matchesModule, type Pattern } from '../../model/names/pattern.ts';
import type { Outcome } from '../../model/problem.ts';
import type {
  DebugInfoAdvice,
  FindOptions,
  OpenListener,
  Scope,
  SymbolResolver,
} from '../resolver.ts';
import { adviseDebugInfo } from './advice.ts';
import { isNamed, mayLoad, ownUnits, usesChannel } from './ownUnits.ts';
import type { SymbolIndex } from './symbolIndex.ts';

/** Functions of machine code, by the symbols and the debug information of ELF files. */
export class NativeResolver implements SymbolResolver<FoundFunction> {
  readonly runtime = 'native';
  readonly nameStyle = 'native';
  readonly #symbols: SymbolIndex;

  constructor(symbols: SymbolIndex) {
    this.#symbols = symbols;
  }

  async open(
    unit: string,
    patterns?: readonly Pattern[],
    listener?: OpenListener,
  ): Promise<UnitSummary> {
    return await this.#symbols.open(unit, patterns, listener);
  }

  async find(
    units: readonly string[],
    pattern: Pattern,
    options: FindOptions,
  ): Promise<Outcome<PatternMatch<FoundFunction>>> {
    return await this.#symbols.find(units, pattern, options);
  }

  own(units: readonly string[], { programs, projectRoot }: Scope): string[] {
    if (programs.length === 0) return ownUnits(units, null, projectRoot);
    const own = programs.flatMap((program) => ownUnits(units, program, projectRoot));
    return [...new Set(own)];
  }

  ofLibrary({ module }: Pattern, units: readonly string[]): string[] {
    return module === null ? [] : units.filter((path) => matchesModule(module, path));
  }

  async concerns(
    program: string,
    patterns: readonly Pattern[],
    scope: Scope,
  ): Promise<'yes' | 'no' | 'outside'> {
    if (this.own([program], scope).length > 0 || isNamed(patterns, program)) return 'yes';
    if (await usesChannel(program, patterns)) return 'yes';
    return isSystemPath(program) ? 'no' : 'outside';
  }

  async mayLoad(program: string, patterns: readonly Pattern[]): Promise<boolean> {
    return await mayLoad(program, patterns);
  }

  async sources(units: readonly string[]): Promise<readonly string[]> {
    return await this.#symbols.sourceFiles(units);
  }

  async statementLines(units: readonly string[], file: string): Promise<readonly number[]> {
    return await this.#symbols.statementLines(units, file);
  }

  advise(projectRoot: string): DebugInfoAdvice {
    return adviseDebugInfo(projectRoot);
  }
}
