import type { SourceStatement } from '../../model/functions/sourceStatement.ts';
import type { StandingFrame } from '../../protocol/nodeTracer.ts';
import type { StatementFinder } from '../source/sourceProbes.ts';

const mostFiles = 64;

/** Which variables of frames are arguments: V8 does not say, the source text of their functions does. */
export class FrameArguments {
  readonly #finder: Pick<StatementFinder, 'statements'>;
  /** A file is read once: the code that runs is that of then. */
  readonly #byFile = new Map<string, Promise<readonly SourceStatement[]>>();

  constructor(finder: Pick<StatementFinder, 'statements'>) {
    this.#finder = finder;
  }

  /** Their names; none where it is not certain. */
  async of({ name, file, line, names }: StandingFrame): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    let statements: readonly SourceStatement[];
    try {
      statements = await this.#statements(file);
    } catch {
      return new Set(); // The file cannot be read, or not any more.
    }
    const own = statements.flatMap((one) =>
      one.holder && isNamed(one.holder.name, name) ? [{ line: one.line, holder: one.holder }] : [],
    );
    // At its head a function stands before its first statement.
    const there = own.findLast((one) => one.line <= line) ?? own[0];
    const parameters = there?.holder.parameters ?? [];
    return new Set(parameters.every((one) => names.includes(one)) ? parameters : []);
  }

  async #statements(file: string): Promise<readonly SourceStatement[]> {
    const known = this.#byFile.get(file);
    if (known) return await known;
    const [oldest] = this.#byFile.keys();
    if (oldest !== undefined && this.#byFile.size >= mostFiles) this.#byFile.delete(oldest);
    const read = this.#finder.statements(file);
    this.#byFile.set(file, read);
    return await read;
  }
}

/** V8 names a function by its last name. */
function isNamed(qualified: string, name: string): boolean {
  return qualified === name || qualified.endsWith(`.${name}`) || qualified.endsWith(`:${name}`);
}
