import type { Disassembly } from '../../model/debug/disassembly.ts';
import { StrobeError } from '../../model/errors.ts';
import type { ProbeRequest } from '../../model/probes/probe.ts';
import type { Expression } from '../../model/watches/expression.ts';
import { unplanned, type DapGround, type Planned } from '../debug/dap/dapGround.ts';
import type { CodeAt } from '../debug/dap/dapStacks.ts';
import { noInstructions } from '../debug/noInstructions.ts';
import type { WantedProbe } from '../wantedProbe.ts';
import type { SourceProbes } from './sourceProbes.ts';
import { isRaise } from './sourceRaises.ts';

/** A language as a debugger that runs in its programs reads it. */
export interface DebuggedLanguage {
  readonly name: string;
  readonly raised: 'python' | 'js';
  text(expression: Expression): string;
  /** A condition whose value is one of two. */
  condition(expression: Expression): string;
  literal(value: string | number | boolean): string;
  /** A file that such a debugger passes over. */
  readonly isLibrary: (file: string) => boolean;
}

/** Source text: where statements are, the files say. */
export class SourceGround<C> implements DapGround {
  readonly asksAgain = true;
  readonly #language: DebuggedLanguage;
  readonly #probes: SourceProbes<C>;

  constructor(language: DebuggedLanguage, probes: SourceProbes<C>) {
    this.#language = language;
    this.#probes = probes;
  }

  whyNot({ thread }: ProbeRequest, adapter: string): string | null {
    return thread === undefined
      ? null
      : `${adapter} stops all threads: leave out "thread", or use Strobe's own code ("adapter": "strobe").`;
  }

  async plan(probe: WantedProbe, own: readonly string[]): Promise<Planned> {
    const { name, raised, isLibrary } = this.#language;
    if (isRaise(probe, raised)) return this.#raise(probe);
    const now = { own, hooked: new Set<string>(), functions: () => Promise.resolve([]) };
    const { match, places, reasons } = await this.#probes.resolve(probe, now);
    const [why = match.why] = reasons;
    const library = places.find(({ site }) => isLibrary(site.file));
    if (library)
      return unplanned(
        probe,
        `${library.site.file} is a library, which debugpy passes over ("justMyCode"): Strobe's own code stops there ("adapter": "strobe").`,
      );
    if (places.length === 0) return unplanned(probe, why ?? `It means no code of ${name}.`);
    return {
      probe: this.#conditional(probe),
      match,
      places: places.map(({ at, site }) => ({
        shown: at,
        at: `${site.file}:${site.statement.line}`,
      })),
    };
  }

  literal(value: string | number | boolean): string {
    return this.#language.literal(value);
  }

  codeAt(): CodeAt {
    const nothing = (): Promise<null> => Promise.resolve(null);
    return { arguments: nothing, line: nothing };
  }

  text(expression: Expression): string {
    return this.#language.text(expression);
  }

  memory(): null {
    return null;
  }

  disassemble(): Promise<Disassembly> {
    throw noInstructions(this.#language.name);
  }

  register(): never {
    throw new StrobeError('BAD_PARAMETER', `${this.#language.name} has no registers.`);
  }

  /** The debugger that runs in the program says that. */
  doubt(): null {
    return null;
  }

  /** With its condition as the language writes it. */
  #conditional(probe: WantedProbe): WantedProbe {
    if (probe.condition === null) return probe;
    const condition = this.#language.condition(probe.condition);
    return { ...probe, request: { ...probe.request, condition } };
  }

  #raise(probe: WantedProbe): Planned {
    const { where } = probe.request;
    const isUncaught = where.kind === 'exception' && where.isUncaught === true;
    const { name } = this.#language;
    const said = isUncaught
      ? `where nothing catches an exception of ${name}`
      : `where code of no library raises an exception of ${name}`;
    return {
      probe,
      match: { moved: null, isStale: false, why: null, nearest: [] },
      places: [
        {
          shown: { function: said, file: null, line: null, text: null },
          at: isUncaught ? 'uncaught' : 'raised',
        },
      ],
    };
  }
}
