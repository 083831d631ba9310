import { readFileSync } from 'node:fs';
import { installPaths } from '../../../base/installPaths.ts';
import { CallContexts, type CallContext } from '../callContexts.ts';
import {
  aboutFacts,
  type ExportAbout,
  type ExportedCall,
  type ExportedEvent,
  type ExportFormat,
  type ExportTotals,
  type ExportWriter,
} from '../port.ts';
import { callLine, cut, ReportEvents, TextBudget } from './reportTexts.ts';

/**
 * One page to look at: summary, call tree, timeline, flame graph, functions, exceptions, watched values and output.
 * It needs nothing but a browser. Its size has a limit whatever the session holds: calls are summed up by the
 * chain of their callers, of single calls the longest are drawn, and a few of each chain are written out.
 */
export const htmlReport: ExportFormat = {
  name: 'html',
  extension: 'html',
  mediaType: 'text/html',
  order: 'thread',
  holdsEvents: true,
  holdsWatched: true,
  endsOpen: true,
  begins: /^<!doctype html>\n<!-- strobe report -->/,
  shownBy: 'any browser',
  isForBrowsers: false,
  open: (about) => new HtmlReport(about),
};

/** Together below 2 MB. */
const MOST = { contexts: 6000, drawn: 8000, nameLetters: 120, exampleLetters: 300_000 } as const;
/** Calls that are written out, of one chain of callers. */
const EXAMPLES = 20;

/** What is known of a chain of callers beside its sums. */
interface Chain {
  totalNs: number;
  mostNs: number;
  failed: number;
  examples: number;
}

type Drawn = readonly [
  thread: number,
  time: number,
  ns: number,
  level: number,
  name: string,
  failed: 0 | 1,
];
type Example = readonly [context: CallContext, id: string, time: number, ns: number, text: string];

class HtmlReport implements ExportWriter {
  readonly #about: ExportAbout;
  readonly #contexts: CallContexts;
  readonly #chains = new Map<CallContext, Chain>();
  readonly #threads = new Map<number, { readonly index: number; readonly name: string }>();
  readonly #events = new ReportEvents();
  readonly #exampleBudget = new TextBudget(MOST.exampleLetters);
  readonly #examples: Example[] = [];
  #drawn: Drawn[] = [];
  /** Shorter calls are not drawn. */
  #leastNs = -1;
  readonly #page: readonly [head: string, tail: string];

  constructor(about: ExportAbout) {
    this.#about = about;
    this.#contexts = new CallContexts(about);
    const [head = '', tail = ''] = readFileSync(installPaths().reportPage, 'utf8').split(
      '/*DATA*/',
    );
    this.#page = [head, tail];
  }

  begin(): string {
    return this.#page[0];
  }

  event(event: ExportedEvent): string {
    this.#events.add(event);
    return '';
  }

  call(call: ExportedCall): string {
    const context = this.#contexts.add(call);
    const { time, end } = call;
    const ns = call.durationNs ?? Math.max(0, this.#about.knownUntil - time);
    const failed = end === 'unwound';
    const chain = this.#chains.get(context) ?? { totalNs: 0, mostNs: 0, failed: 0, examples: 0 };
    this.#chains.set(context, chain);
    chain.totalNs += ns;
    chain.mostNs = Math.max(chain.mostNs, ns);
    if (failed) chain.failed++;
    this.#draw(call, ns, failed);
    if (chain.examples < EXAMPLES && this.#exampleBudget.has) {
      const text = this.#exampleBudget.take(callLine(call));
      this.#examples.push([context, call.id, time, ns, text]);
      chain.examples++;
    }
    return '';
  }

  threadEnd(): string {
    this.#contexts.threadEnd();
    return '';
  }

  *end(totals: ExportTotals): Generator<string> {
    const names = new Names();
    const { rows, indexOf, left } = this.#rows(names);
    this.#thin();
    const examples = this.#examples.flatMap(([context, ...rest]) => {
      const index = indexOf.get(context);
      return index === undefined ? [] : [[index, ...rest]];
    });
    const calls = this.#drawn.map(([thread, time, ns, level, name, failed]) => [
      thread,
      time,
      ns,
      level,
      names.index(name),
      failed,
    ]);
    const { until, ending } = { until: this.#about.knownUntil, ending: this.#events.ending };
    const notes = [...this.#about.notes, ...this.notes, ...left, ...this.#events.notes];
    const threads = [...this.#threads.values()].map(({ name }) => name);
    const about = { ...aboutFacts(this.#about), story: this.#about.story ?? null, until, ending };
    const data = {
      about,
      totals,
      notes,
      names: names.all,
      contexts: rows,
      examples,
      calls,
      threads,
      events: this.#events.all,
    };
    yield inScript(JSON.stringify(data));
    yield this.#page[1];
  }

  get notes(): readonly string[] {
    return this.#contexts.notes;
  }

  #draw({ thread, time, level, fn }: ExportedCall, ns: number, failed: boolean): void {
    let place = this.#threads.get(thread.key);
    if (!place) {
      place = { index: this.#threads.size, name: `${thread.name} (${thread.tid})` };
      this.#threads.set(thread.key, place);
    }
    if (ns <= this.#leastNs && !failed) return;
    this.#drawn.push([place.index, time, ns, level, fn.name, failed ? 1 : 0]);
    if (this.#drawn.length >= 2 * MOST.drawn) this.#thin();
  }

  /** Keeps the longest calls. */
  #thin(): void {
    if (this.#drawn.length <= MOST.drawn) return;
    this.#drawn = this.#drawn.toSorted((a, b) => b[2] - a[2]).slice(0, MOST.drawn);
    this.#leastNs = this.#drawn.at(-1)?.[2] ?? -1;
  }

  /** The chains that took longest, each behind its caller: [caller's row, name, calls, total, self, longest, failed]. */
  #rows(names: Names): { rows: number[][]; indexOf: Map<CallContext, number>; left: string[] } {
    const known = [...this.#chains.values()]
      .map(({ totalNs }) => totalNs)
      .toSorted((a, b) => b - a);
    const least = known[MOST.contexts] ?? -1;
    const rows: number[][] = [];
    const indexOf = new Map<CallContext, number>();
    let calls = 0;
    const add = (context: CallContext, above: number): void => {
      const chain = this.#chains.get(context);
      if (chain && (chain.totalNs <= least || rows.length >= MOST.contexts)) {
        calls += context.calls;
        return;
      }
      const index = rows.length;
      const children = [...context.children.values()];
      const total =
        chain?.totalNs ??
        children.reduce((sum, child) => sum + (this.#chains.get(child)?.totalNs ?? 0), 0);
      indexOf.set(context, index);
      rows.push([
        above,
        names.index(context.name),
        context.calls,
        total,
        context.selfNs,
        chain?.mostNs ?? total,
        chain?.failed ?? 0,
      ]);
      for (const child of children) add(child, index);
    };
    for (const root of this.#contexts.roots) add(root, -1);
    const left =
      calls === 0
        ? []
        : [`${calls} short calls and what they called are counted and not in the tree.`];
    return { rows, indexOf, left };
  }
}

/** Names by number, each once. */
class Names {
  readonly #numbers = new Map<string, number>();

  index(name: string): number {
    const short = cut(name, MOST.nameLetters);
    const known = this.#numbers.get(short);
    if (known !== undefined) return known;
    this.#numbers.set(short, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  get all(): string[] {
    return [...this.#numbers.keys()];
  }
}

/** JSON that nothing in it can end the script element around it. */
function inScript(json: string): string {
  return json
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);
}
