import type { OutputLine } from '../../model/output.ts';
import type { OutputPage } from '../../model/query.ts';
import { assemble, type Item, type Shown } from './assemble.ts';
import type { Rendered } from './budget.ts';
import { escaped } from '../../base/visible.ts';
import { shortened } from './clip.ts';
import { chosen, nextLines, type NextStep } from './nextSteps.ts';
import { counted, grouped } from './numbers.ts';
import { again, query, sceneLines, sceneTwin, type Scene } from './scene.ts';
import { decimalsFor, stamp, type Decimals } from './times.ts';

/** Characters of a line that are shown. */
const lineShown = 400;

/** What the program wrote, a line per line, rendered for some room. With `tail` in the request the last lines stay. */
export function renderOutput(
  scene: Scene,
  page: OutputPage,
): (room: number) => Rendered & { readonly shown: number } {
  const possible = outputSteps(scene, page);
  const keep = scene.request['tail'] === undefined ? 'first' : 'last';
  const empty = page.lines.length === 0 ? emptyText(scene) : null;
  const pids = [...new Set(page.lines.map((line) => line.pid))];
  const decimals = decimalsFor(page.lines.map((line) => line.time));
  const items = outputItems(page.lines, pids.length > 1, decimals);
  return (room) => {
    const steps = chosen(possible, room);
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
            cursor: page.cursor,
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
  if (summary.outputLines > 0)
    return `No line fits; the program wrote ${counted(summary.outputLines, 'line')} in all.`;
  return session.state.kind === 'running' || session.state.kind === 'starting'
    ? 'No output yet. A program that writes to a pipe may keep its output in its own buffer until it is full or it ends.'
    : 'The program wrote nothing.';
}

function outputItems(
  lines: readonly OutputLine[],
  severalPids: boolean,
  decimals: Decimals,
): Item[] {
  return lines.map((line) => {
    const text = shortened(line.text, lineShown);
    const twin = {
      timestampNs: line.time,
      stream: line.stream,
      text,
      ...(severalPids ? { pid: line.pid } : {}),
      ...(line.bytes === null
        ? {}
        : { base64: shortened(Buffer.from(line.bytes).toString('base64'), lineShown) }),
    };
    const short = shortened(line.text, 60);
    return {
      text: outputLineText(line, decimals, severalPids),
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

/** `+1.204s err| text`, control characters escaped, long lines shortened. */
export function outputLineText(line: OutputLine, decimals: Decimals = 3, withPid = false): string {
  const pid = withPid ? ` pid ${line.pid}` : '';
  const raw = line.bytes === null ? '' : '  (not UTF-8)';
  return `${stamp(line.time, decimals)}${pid} ${label(line)} ${escaped(shortened(line.text, lineShown))}${raw}`;
}

function moreLines(scene: Scene, page: OutputPage, shown: Shown, keep: 'first' | 'last'): string[] {
  if (keep === 'last') {
    const earlier = page.total - shown.count;
    return earlier > 0
      ? [`… ${counted(earlier, 'earlier line')}: ${again(scene, { tail: undefined })}`]
      : [];
  }
  return page.cursor === null ? [] : [`… more: ${again(scene, { cursor: page.cursor })}`];
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
  if (running && session.tracing.kind !== 'unavailable') {
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
  const at = stamp(complaint.time, decimalsFor(lines.map((line) => line.time)));
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

/** The first of them that tells of trouble: nearest to its cause. */
function firstComplaint(lines: readonly OutputLine[]): OutputLine | null {
  const words =
    /error|fail|exception|panic|abort|assert|warn|wrong|invalid|unexpected|cannot|could not|denied|mismatch|out of|overflow|leak|corrupt|timed? ?out|stuck|deadlock/i;
  return lines.find((line) => words.test(line.text) || line.stream === 'stderr') ?? null;
}
