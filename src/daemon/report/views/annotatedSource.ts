import { escaped, sourceText } from '../../../base/visible.ts';
import type { CallLines } from '../../../model/questions/callLines.ts';
import type { CallView } from '../../../model/questions/query.ts';
import { assemble, type Item } from '../answers/assemble.ts';
import type { Rendered } from '../answers/budget.ts';
import { callStyle, sceneLines, sceneTwin, type Scene } from '../answers/scene.ts';
import { callPlace, callText, shownText, type CallStyle } from '../text/callText.ts';
import { counted, grouped } from '../text/groupedNumber.ts';

/** What happened in a line of the source. */
interface Line {
  readonly line: number;
  readonly text: string | null;
  times: number;
  isUnseen: boolean;
  /** What it left, by name, in order. */
  readonly left: Map<string, string[]>;
}

const mostLeft = 4;

/** One call as its source: how often each line ran, and what it changed. */
export function renderCallLines(
  scene: Scene,
  lines: CallLines,
): (room: number) => Rendered & { readonly shown: number } {
  const { call, hits, isCut } = lines;
  const style = { ...callStyle(scene, [call.function]), asked: call.id };
  const annotated = annotate(lines, style);
  const width = String(annotated.at(-1)?.line ?? 0).length;
  const most = Math.max(1, ...annotated.map(({ times }) => String(times).length));
  const items = annotated.map((one): Item => {
    const text = lineText(one, width, most);
    return { text, twin: twinOf(one) };
  });
  const notes = [
    ...(isCut ? [`Only the first ${grouped(hits.length)} lines that ran are counted.`] : []),
    ...(annotated.length === 0
      ? ['No line of this call was recorded: add its function with {"pattern": …, "lines": true}.']
      : []),
  ];
  return (room) =>
    assemble(room, items, {
      keep: 'first',
      before: () => [
        ...sceneLines(scene),
        ...notes.map((note) => `! ${escaped(note)}`),
        `${callText(call, style)}  ${callPlace(call, style)}  [${call.id}]`,
        `${counted(hits.length, 'line')} ran; ×: how often; →: what a line left, as the next one found it; -: did not run${annotated.some(({ isUnseen, times }) => isUnseen && times === 0) ? '; ?: not recorded' : ''}.`,
      ],
      after: () => [],
      structured: (twins) => ({
        view: 'tree',
        ...sceneTwin(
          scene,
          {
            pids: [call.pid],
            total: hits.length,
            totalIsExact: !isCut,
            hasMore: isCut,
            cursor: null,
          },
          { steps: [], room, notes },
        ),
        tree: items
          .slice(0, twins.length)
          .map(({ text }) => text)
          .join('\n'),
        threads: [],
        call: call.id,
        lines: twins,
      }),
    });
}

function annotate({ places, hits }: CallLines, style: CallStyle): Line[] {
  const byLine = new Map<number, Line>();
  const placeOf = new Map<number, Place>();
  for (const { fn, line, text, within, isUnseen } of places) {
    const known = byLine.get(line) ?? { line, text, times: 0, isUnseen, left: new Map() };
    known.isUnseen ||= isUnseen;
    byLine.set(line, known);
    placeOf.set(fn, { within, line: known });
  }
  let before: { readonly hit: CallView; readonly line: Line } | null = null;
  const open: Round[] = [];
  for (const hit of hits) {
    const place = placeOf.get(hit.fn);
    if (!place) continue;
    if (before !== null) addLeft(before.line, changes(before.hit, hit, style));
    begin(open, place, hit.fn);
    before = { hit, line: place.line };
  }
  return [...byLine.values()].toSorted((a, b) => a.line - b.line);
}

/** A place where a line begins. `within`: the function, which may be inlined. */
interface Place {
  readonly within: string;
  readonly line: Line;
}

/** The line that a function is in, and those of its places that were visited. */
interface Round extends Place {
  readonly visited: Set<number>;
}

/**
 * Counts a line when it begins. One line may have several places, with inlined calls between them: a place that comes again
 * is another round of a loop. `open`: the function and the inlined ones that it is in.
 */
function begin(open: Round[], { within, line }: Place, fn: number): void {
  const depth = open.findIndex((round) => round.within === within);
  if (depth >= 0) open.length = depth + 1;
  const known = open[depth];
  if (known?.line === line && !known.visited.has(fn)) {
    known.visited.add(fn);
    return;
  }
  line.times++;
  if (known) open.pop();
  open.push({ within, line, visited: new Set([fn]) });
}

/** The values that differ, as they are afterwards. */
function changes(before: CallView, after: CallView, style: CallStyle): [string, string][] {
  const known = new Map(before.arguments.map(({ name, value }) => [name, shownText(value, style)]));
  return after.arguments.flatMap(({ name, value }): [string, string][] => {
    const text = shownText(value, style);
    return known.has(name) && known.get(name) !== text ? [[name, text]] : [];
  });
}

function addLeft({ left }: Line, found: readonly (readonly [string, string])[]): void {
  for (const [name, text] of found) {
    const values = left.get(name);
    if (values) values.push(text);
    else left.set(name, [text]);
  }
}

function lineText(
  { line, text, times, isUnseen, left }: Line,
  width: number,
  most: number,
): string {
  const none = isUnseen ? '?' : '-';
  const often = (times === 0 ? none : `×${times}`).padStart(most + 1);
  const shown = [...left].map(([name, values]) => `${name}=${valuesText(values)}`);
  const what = shown.length === 0 ? '' : `   → ${shown.join(', ')}`;
  return escaped(`${String(line).padStart(width)} ${often}  ${sourceText(text ?? '')}${what}`);
}

function valuesText(values: readonly string[]): string {
  if (values.length <= mostLeft) return values.join(', ');
  return `${values.slice(0, mostLeft - 1).join(', ')} … ${values.at(-1) ?? ''}`;
}

function twinOf({ line, text, times, isUnseen, left }: Line): Record<string, unknown> {
  const ran = times === 0 && isUnseen ? null : times;
  return { line, text, times: ran, ...(left.size > 0 ? { left: Object.fromEntries(left) } : {}) };
}
