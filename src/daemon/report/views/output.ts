import type { OutputLine } from '../../../model/outputRecord.ts';
import { engineRefusal } from '../../../model/session.ts';
import type { OutputPage } from '../../../model/questions/query.ts';
import { assemble, type Item, type Shown } from '../answers/assemble.ts';
import type { Rendered } from '../answers/budget.ts';
import { escaped } from '../../../base/visible.ts';
import { excerpt, shortened } from '../answers/clip.ts';
import { chosen, nextLines, tracesProject, type NextStep } from '../answers/nextSteps.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import {
  again,
  cursorAfter,
  moreLine,
  query,
  sceneLines,
  sceneTwin,
  type Scene,
} from '../answers/scene.ts';
import { stamp, type Decimals } from '../text/timeText.ts';

/** Characters of a line that are shown beside others. */
const lineShown = 400;

/** Few lines may be longer, as far as the budget surely has room: a character can cost a token. */
function shownOf(scene: Scene, lines: number): number {
  const asked = scene.request['budget'];
  const budget = typeof asked === 'number' ? asked : 2000;
  return Math.max(Math.min(lineShown, budget), Math.floor((budget * 0.6) / Math.max(1, lines)));
}

/** What the program wrote, a line per line, rendered for some room. With `tail` in the request the last lines stay. */
export function renderOutput(
  scene: Scene,
  page: OutputPage,
): (room: number) => Rendered & { readonly shown: number } {
  const possible = outputSteps(scene, page);
  const keep = scene.request['tail'] === undefined ? 'first' : 'last';
  const empty = page.lines.length === 0 ? emptyText(scene) : null;
  const pids = [...new Set(page.lines.map((line) => line.pid))];
  const decimals = 3;
  const items = outputItems(page.lines, {
    withPid: pids.length > 1,
    decimals,
    most: shownOf(scene, page.lines.length),
  });
  return (room) => {
    const steps = chosen(possible, room, scene);
    return assemble(room, items, {
      keep,
      before: (shown) => [...sceneLines(scene), empty ?? headline(page, shown, keep)],
      after: (shown) => [...moreLines(scene, page, shown, keep), ...nextLines(steps)],
      structured: (twins, shown) => ({
        view: 'output',
        ...sceneTwin(
          scene,
          {
            pids,
            total: page.total,
            totalIsExact: true,
            hasMore: page.hasMore || shown.count < shown.of,
            cursor: keep === 'last' ? null : cursorAfter(page, shown),
          },
          { steps, room, notes: empty === null ? [] : [empty] },
        ),
        lines: twins,
      }),
    });
  };
}

function headline(page: OutputPage, shown: Shown, keep: 'first' | 'last'): string {
  return `${keep === 'last' ? 'the last ' : ''}${grouped(shown.count)} of ${counted(page.total, 'line')} of output:`;
}

function emptyText(scene: Scene): string {
  const { summary, session } = scene;
  if (session.outputPassesBy)
    return session.owner.kind === 'run'
      ? 'No output is recorded: what the program of a `strobe run` writes goes where it would go without. `strobe launch` records it.'
      : 'No output is recorded: a core file holds none.';
  if (scene.indexedTo !== null) return 'No output read yet.';
  if (summary.outputLines > 0)
    return `No line fits; the program wrote ${counted(summary.outputLines, 'line')} in all.`;
  return session.state.kind === 'running' || session.state.kind === 'starting'
    ? 'No output yet. A program that writes to a pipe may keep its output in its own buffer until it is full or it ends.'
    : 'The program wrote nothing.';
}

interface LineForm {
  readonly withPid: boolean;
  readonly decimals: Decimals;
  /** Characters. */
  readonly most: number;
}

function outputItems(lines: readonly OutputLine[], form: LineForm): Item[] {
  const { withPid, decimals, most } = form;
  return lines.map((line) => {
    const text = excerpt(line.text, most, line.foundAt ?? 0);
    const twin = {
      timestampNs: line.time,
      stream: line.stream,
      text,
      ...(withPid ? { pid: line.pid } : {}),
      ...(line.bytes === null
        ? {}
        : { base64: shortened(Buffer.from(line.bytes).toString('base64'), most) }),
    };
    const short = excerpt(line.text, 60, line.foundAt ?? 0);
    return {
      text: lineText(line, form),
      twin,
      smaller: {
        text: `${stamp(line.time, decimals)} ${label(line)} ${escaped(short)}`,
        twin: { timestampNs: line.time, stream: line.stream, text: short },
      },
    };
  });
}

function label(line: OutputLine): string {
  return line.stream === 'stderr' ? 'err|' : 'out|';
}

/** `+1.204s err| text`, control characters escaped, long lines shortened; equal neighbours are one with ` ×18`. */
export function outputLineTexts(lines: readonly OutputLine[], decimals: Decimals = 3): string[] {
  const runs: { readonly line: OutputLine; times: number }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last && isRepeated(last.line, line)) last.times++;
    else runs.push({ line, times: 1 });
  }
  return runs.map(({ line, times }) => {
    const text = lineText(line, { withPid: false, decimals, most: lineShown });
    return times > 1 ? `${text}  ×${times}` : text;
  });
}

function isRepeated(line: OutputLine, next: OutputLine): boolean {
  const isText = line.bytes === null && next.bytes === null;
  return isText && line.text === next.text && line.stream === next.stream && line.pid === next.pid;
}

function lineText(line: OutputLine, { withPid, decimals, most }: LineForm): string {
  const pid = withPid ? ` pid ${line.pid}` : '';
  const raw = line.bytes === null ? '' : '  (not UTF-8)';
  return `${stamp(line.time, decimals)}${pid} ${label(line)} ${escaped(excerpt(line.text, most, line.foundAt ?? 0))}${raw}`;
}

function moreLines(scene: Scene, page: OutputPage, shown: Shown, keep: 'first' | 'last'): string[] {
  if (keep === 'last') {
    const earlier = page.total - shown.count;
    return earlier > 0
      ? [`… ${counted(earlier, 'earlier line')}: ${again(scene, { tail: undefined })}`]
      : [];
  }
  return moreLine(scene, cursorAfter(page, shown));
}

function outputSteps(scene: Scene, page: OutputPage): NextStep[] {
  const { session } = scene;
  const steps: NextStep[] = [];
  const running = session.state.kind === 'running';
  if (session.hooks.hooked > 0) {
    const complaint = complaintStep(session.id, page.lines);
    if (complaint) steps.push(complaint);
    steps.push(
      query(scene, { view: 'tree' }, 'what it did meanwhile'),
      query(scene, { view: 'stats' }, 'counts and times per function'),
    );
    return steps;
  }
  const isTraceable = session.tracing.kind !== 'unavailable' && engineRefusal(session) === null;
  if (running && isTraceable && !tracesProject(session)) {
    steps.push({
      tool: 'debug_trace',
      arguments: { sessionId: session.id, add: ['@usercode'] },
      why: 'hook the functions of the project; narrower is better',
    });
  }
  if (running) {
    steps.push({
      tool: 'debug_session',
      arguments: { action: 'wait', sessionId: session.id, for: ['output', 'exit'] },
      why: 'returns at the next line',
    });
  }
  return steps;
}

const beforeComplaintNs = 100e6;

/** The calls before the first line that tells of trouble; null when none does. */
export function complaintStep(sessionId: string, lines: readonly OutputLine[]): NextStep | null {
  const complaint = firstComplaint(lines);
  if (!complaint) return null;
  const at = stamp(complaint.time);
  return {
    tool: 'debug_query',
    arguments: {
      sessionId,
      view: 'tree',
      timeFrom: Math.max(0, complaint.time - beforeComplaintNs),
      timeTo: complaint.time,
    },
    why: `calls in the 100 ms before the complaint at ${at}`,
  };
}

/** `0 failed`, `no errors`, `failures: 0`. */
const noTrouble =
  /\b(?:0|no) (?:\w+ )?(?:fail|error|warning|exception|leak|mismatch)\w*|\b(?:fail|error|warning|exception|leak|mismatch)\w* ?[:=] ?0\b/gi;

/** The first of them that tells of trouble: nearest to its cause. */
function firstComplaint(lines: readonly OutputLine[]): OutputLine | null {
  const words =
    /error|fail|exception|panic|abort|assert|warn|wrong|invalid|unexpected|cannot|could not|denied|mismatch|out of|overflow|leak|corrupt|timed? ?out|stuck|deadlock/i;
  const tells = ({ text }: OutputLine): boolean => words.test(text.replaceAll(noTrouble, ''));
  return lines.find((line) => tells(line) || line.stream === 'stderr') ?? null;
}
