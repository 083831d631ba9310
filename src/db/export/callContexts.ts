import type { TracedThread } from '../../model/eventColumns.ts';
import { OpenCalls } from './openCalls.ts';
import type { ExportAbout, ExportedCall, ExportTotals, ExportWriter, Piece } from './port.ts';

/** More ways to a function than this are not told apart. */
const MOST_CONTEXTS = 200_000;
/** Deeper frames are not told apart: recursion would make each line as long as it is deep. */
const MOST_FRAMES = 400;

/** A chain of callers, with what was spent at its end. */
export interface CallContext {
  readonly name: string;
  readonly depth: number;
  readonly children: Map<number, CallContext>;
  selfNs: number;
  calls: number;
}

interface Entered {
  readonly context: CallContext;
  readonly above: Entered | null;
  readonly time: number;
  readonly suspendedNs: number;
  innerNs: number;
}

/**
 * Sums calls up by the chain of their callers, a root for each name of a thread: what folded
 * stacks and flame graphs show. Time is what a call spent outside of the calls below it that are
 * exported, too; a call that had not ended lasted until the end of what is known.
 */
export class CallContexts {
  readonly #roots = new Map<string, CallContext>();
  readonly #about: ExportAbout;
  readonly #open: OpenCalls<Entered>;
  #contexts = 0;
  /** Calls whose way was not told apart from their caller's. */
  merged = 0;

  constructor(about: ExportAbout) {
    this.#about = about;
    this.#open = new OpenCalls<Entered>((entered, at) => this.#ended(entered, at));
  }

  /** Counts a call; the chain of callers it belongs to. */
  add(call: ExportedCall): CallContext {
    const lane = this.#open.leave(call);
    const above = this.#open.innermost;
    const context = this.#below(above?.context ?? this.#rootOf(call.thread), call);
    context.calls++;
    const { time, durationNs, suspendedNs } = call;
    const entered = { context, time, suspendedNs, innerNs: 0 };
    // Its caller may end before it.
    const isApart = lane > 0 && durationNs !== null;
    if (isApart && above) above.innerNs += durationNs - suspendedNs;
    this.#open.enter(call, { ...entered, above: isApart ? null : above });
    return context;
  }

  threadEnd(): void {
    this.#open.finish(this.#about.knownUntil);
  }

  /** Threads by name, in order of appearance. */
  get roots(): readonly CallContext[] {
    return [...this.#roots.values()];
  }

  get notes(): readonly string[] {
    return this.merged === 0
      ? []
      : [
          `${this.merged} calls are counted with their callers: more than ${MOST_CONTEXTS} chains of calls, or deeper than ${MOST_FRAMES}.`,
        ];
  }

  #rootOf({ name }: TracedThread): CallContext {
    const known = this.#roots.get(name);
    if (known) return known;
    const root = { name, depth: 0, children: new Map(), selfNs: 0, calls: 0 };
    this.#roots.set(name, root);
    return root;
  }

  #below(above: CallContext, { fn }: ExportedCall): CallContext {
    const known = above.children.get(fn.number);
    if (known) return known;
    if (this.#contexts >= MOST_CONTEXTS || above.depth >= MOST_FRAMES) {
      this.merged++;
      return above;
    }
    this.#contexts++;
    const context = {
      name: fn.name,
      depth: above.depth + 1,
      children: new Map(),
      selfNs: 0,
      calls: 0,
    };
    above.children.set(fn.number, context);
    return context;
  }

  #ended({ context, above, time, suspendedNs, innerNs }: Entered, at: number): void {
    const ran = Math.max(0, at - time - suspendedNs);
    context.selfNs += Math.max(0, ran - innerNs);
    if (above) above.innerNs += ran;
  }
}

/** What writes nothing before it knows all contexts. */
export abstract class ContextWriter implements ExportWriter {
  protected readonly contexts: CallContexts;

  constructor(about: ExportAbout) {
    this.contexts = new CallContexts(about);
  }

  begin(): Piece {
    return '';
  }

  call(call: ExportedCall): Piece {
    this.contexts.add(call);
    return '';
  }

  threadEnd(): Piece {
    this.contexts.threadEnd();
    return '';
  }

  abstract end(totals: ExportTotals): Iterable<Piece>;

  get notes(): readonly string[] {
    return this.contexts.notes;
  }
}
