import { basename, dirname } from 'node:path';
import type { EnteredProcess } from '../../collector/program/entryFacts.ts';
import { imageOf } from '../../collector/program/image.ts';
import type { Claim, ProgramFacts, TracerFactory } from '../../collector/tracer.ts';
import { StrobeError } from '../../model/errors.ts';
import type { RuntimeName, Traceable } from '../../model/functions/traceable.ts';
import type { SymbolResolver } from '../../symbols/resolver.ts';

/** A language, or a way into its programs: who finds its functions, and who traces them. */
export interface Runtime<F extends Traceable = Traceable> {
  readonly resolver: SymbolResolver<F>;
  readonly tracers: TracerFactory<F>;
}

/** A runtime that has to do with a program. */
export interface Claimed {
  readonly runtime: Runtime;
  readonly claim: Claim;
}

/** The runtimes of a daemon, in the order in which they enter a process. */
export class RuntimeList {
  readonly all: readonly Runtime[];
  readonly #byName: ReadonlyMap<RuntimeName, Runtime>;
  /** Files of engines, as far as they were seen, with what a session calls them. */
  readonly #engines = new Map<string, { readonly runtime: RuntimeName; readonly name: string }>();
  /** Of those whose own language is never traced: why, and what to do. */
  readonly #refusals = new Map<string, { readonly name: string; readonly text: string }>();

  constructor(all: readonly Runtime[]) {
    this.all = all;
    this.#byName = new Map(all.map((runtime) => [runtime.tracers.runtime, runtime]));
  }

  named(name: RuntimeName): Runtime {
    const runtime = this.#byName.get(name);
    if (!runtime) throw new StrobeError('INTERNAL', `There is no runtime "${name}".`);
    return runtime;
  }

  /** Those of `among` that have to do with a program. */
  async claims(program: ProgramFacts, among = this.all): Promise<readonly Claimed[]> {
    const claims = await Promise.all(
      among.map(async (runtime) => ({ runtime, claim: await runtime.tracers.claim(program) })),
    );
    const claimed = claims.flatMap(({ runtime, claim }) =>
      claim === null ? [] : [{ runtime, claim }],
    );
    const engine = claimed.find(({ runtime }) => runtime.tracers.ownsImage);
    if (engine) {
      const { runtime } = engine.runtime.tracers;
      this.#engines.set(program.image, { runtime, name: engine.claim.engine ?? runtime });
    }
    if (engine?.claim.able === false && program.process === null)
      this.#refusals.set(program.image, {
        name: engine.claim.engine ?? basename(program.image),
        text: refusalText(engine.claim),
      });
    return claimed;
  }

  /** The same of an ELF file that `process` runs, or will; what cannot be read is left to those who enter it. */
  async claimsOf(
    image: string,
    process: EnteredProcess | null = null,
    among = this.all,
  ): Promise<readonly Claimed[]> {
    const loader = (await imageOf(image))?.loader;
    const facts = { image, loader: loader === undefined ? '' : loader, process };
    return await this.claims(facts, among);
  }

  /** Whether a process can be entered. Those of languages are asked first: what machine code needs takes longest to find out. */
  async claimOf(image: string, process: EnteredProcess): Promise<Claim> {
    const refused: Claimed[] = [];
    for (const runtime of this.all.toReversed()) {
      const claims = await this.claimsOf(image, process, [runtime]);
      if (claims.some(({ claim }) => claim.able)) return oneOf(claims);
      refused.unshift(...claims);
    }
    return oneOf(refused);
  }

  /** Whether the machine code of a program is an engine's and none of the project. */
  isEngine(image: string): boolean {
    return this.#engines.has(image);
  }

  /** The names of those of a runtime among programs; of none the runtime's own. */
  engineNames(runtime: RuntimeName, images: Iterable<string>): readonly string[] {
    const engines = [...images].flatMap((image) => this.#engines.get(image) ?? []);
    const names = engines.filter((engine) => engine.runtime === runtime).map(({ name }) => name);
    return names.length > 0 ? [...new Set(names)] : [runtime];
  }

  /** Why functions of an engine's own language cannot be traced, as a whole sentence; null: they can. */
  async refusedEngine(image: string): Promise<string | null> {
    for (const { runtime, claim } of await this.claimsOf(image))
      if (runtime.tracers.ownsImage && !claim.able) return claim.message;
    return null;
  }

  /** The same with what to do, of an engine that was claimed before, as far as it is so in every process. */
  refusalOf(image: string): string | null {
    return this.#refusals.get(image)?.text ?? null;
  }

  /** The name of such an engine. */
  untracedEngine(image: string): string | null {
    return this.#refusals.get(image)?.name ?? null;
  }

  /** Whether a program is to be entered before anything of it has run, or never. */
  entersAtStart(claims: readonly Claimed[]): boolean {
    return claims.some(
      ({ runtime, claim }) => claim.able && runtime.tracers.capabilities.late !== 'all',
    );
  }

  /** Whether a program can be traced at all; else what the first that has to do with it says. */
  async claim(program: ProgramFacts): Promise<Claim> {
    return oneOf(await this.claims(program));
  }

  /** Where the sources of what a process runs lie: beside its program where no runtime knows better. */
  async sourceFolder(image: string, pid: number): Promise<string> {
    const claims = await this.claimsOf(image, { pid, atExec: false });
    const folders = claims.flatMap(({ runtime }) => runtime.tracers.sourceFolder?.(pid) ?? []);
    return folders[0] ?? dirname(image);
  }

  /** Whether some runtime that can enter a program writes down how it crashes. */
  keepsCrashes(claims: readonly Claimed[]): boolean {
    return claims.some(({ runtime, claim }) => claim.able && runtime.tracers.capabilities.crashes);
  }

  /** By then no tracer of a daemon that died is in a process. */
  get leaveMs(): number {
    return Math.max(...this.all.map(({ tracers }) => tracers.leaveMs));
  }

  warm(): void {
    for (const { tracers } of this.all) tracers.warm();
  }

  async rest(): Promise<void> {
    await Promise.all(this.all.map(async ({ tracers }) => tracers.rest()));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.all.map(async ({ tracers }) => tracers.close()));
  }
}

function refusalText({ message, hint }: { message: string; hint: string }): string {
  return `${message} ${hint}`;
}

/** Able when one of them is. */
export function oneOf(claims: readonly Claimed[]): Claim {
  const able = claims.find(({ claim }) => claim.able) ?? claims[0];
  return able?.claim ?? notKnown;
}

const notKnown: Claim = {
  able: false,
  code: 'INSTRUMENTATION_FAILED',
  message: 'No tracer knows programs of this kind.',
  hint: 'Output, exit status and what it executes are captured all the same.',
  reason: 'no tracer knows programs of its kind',
};
