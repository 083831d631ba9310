import { escaped } from '../../../base/visible.ts';
import type {
  ChangesPage,
  ChangeView,
  SuspectCall,
  WriteView,
} from '../../../model/questions/query.ts';
import type { WriteFrame } from '../../../model/watches/watchWrite.ts';
import { assemble, type Item, type Shown } from '../answers/assemble.ts';
import type { Rendered } from '../answers/budget.ts';
import { briefly } from '../answers/brevity.ts';
import { callText, callPlace, type CallStyle } from '../text/callText.ts';
import { lastPart } from '../../../model/endings/crashLine.ts';
import { chosen, nextLines, type NextStep } from '../answers/nextSteps.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import {
  callStyle,
  cursorAfter,
  moreLine,
  query,
  sceneLines,
  sceneTwin,
  type Scene,
} from '../answers/scene.ts';
import { decimalsFor, duration, stamp, type Decimals } from '../text/timeText.ts';
import { valueJson, valueText } from '../text/valueText.ts';

/** When watched values changed, and in which calls that can have happened. */
export function renderChanges(
  scene: Scene,
  page: ChangesPage,
): (room: number) => Rendered & { readonly shown: number } {
  const possible = changesSteps(scene, page);
  const calls = page.changes.flatMap((change) => change.calls.map(({ call }) => call.function));
  const style = callStyle(scene, calls);
  const decimals = decimalsFor(page.changes.map((change) => change.to));
  const items = page.changes.map((change) => changeItem(change, style, decimals));
  const told = page.complete
    ? []
    : [`Searched samples up to ${stamp(page.lookedUntil)} only: narrow timeFrom, timeTo or watch.`];
  return (room) => {
    const steps = chosen(possible, room, scene);
    return assemble(room, items, {
      keep: 'first',
      before: (shown) => [...sceneLines(scene), ...headLines(scene, page, shown), ...told],
      after: (shown) => [...moreLine(scene, cursorAfter(page, shown)), ...nextLines(steps)],
      structured: (twins, shown) => ({
        view: 'changes',
        ...sceneTwin(
          scene,
          {
            pids: page.pids,
            total: page.total,
            totalIsExact: page.complete,
            hasMore: page.hasMore || shown.count < shown.of,
            cursor: cursorAfter(page, shown),
          },
          { steps, room, notes: told },
        ),
        watches: page.watches,
        changes: twins,
      }),
    });
  };
}

function noSamples({ session, summary }: Scene, { accepted }: ChangesPage): string {
  if (accepted === 0)
    return session.notes.some((note) => note.startsWith('Watch ')) || session.hooks.hooked > 0
      ? 'No sample was taken: no watch was accepted (refused ones are not kept), or none was asked for.'
      : 'No sample was taken: the session has no watch.';
  return summary.calls > 0
    ? 'No sample was taken: none of the calls was of a function that the watches mean.'
    : 'No sample was taken: watches are sampled when traced functions are called, and none was.';
}

function headLines(scene: Scene, page: ChangesPage, shown: Shown): string[] {
  const watched = page.watches.map(({ label, samples, changes, isWritten, isOfCall }) =>
    isOfCall
      ? `${escaped(label)}: ${counted(samples, 'sample')}, a value of its own in each call`
      : `${escaped(label)}: ${counted(changes, 'change')} in ${counted(samples, isWritten ? 'write' : 'sample')}`,
  );
  if (page.changes.length === 0)
    return watched.length > 0
      ? [`No change seen. ${watched.join('; ')}.`]
      : [noSamples(scene, page)];
  const all = watched.length > 1 || shown.count < page.total ? [`${watched.join('; ')}.`] : [];
  const isSampled = page.changes.some(({ write }) => write === null);
  const meaning = isSampled
    ? '; each happened between two samples (from..to)'
    : ', as they were written';
  const near = page.changes.some(({ write }) => write?.isNear === true)
    ? ' (~: another thread wrote within 1 ms: the order may be the other)'
    : '';
  return [...all, `${grouped(shown.count)} of ${counted(page.total, 'change')}${meaning}${near}:`];
}

function changeItem(change: ChangeView, style: CallStyle, decimals: Decimals): Item {
  const { watch, from, to, address, calls, others, bounded, write } = change;
  if (write !== null) return writeItem(change, write, style, decimals);
  const head = `${stamp(from, decimals)}..${duration(to - from)} ${escaped(watch)}${address === null ? '' : ` at ${address}`}: ${valueText(change.old, style)} → ${valueText(change.now, style)}`;
  const by = calls.map((one) => suspectText(one, style));
  const rest = others > 0 ? [`${bounded ? '≥ ' : ''}${counted(others, 'more call')}`] : [];
  const who =
    by.length === 0
      ? 'no traced call ran: by code that is not traced'
      : `in ${[...by, ...rest].join(' or ')}`;
  const seen = change.seenBy
    ? `; seen at ${change.atReturn ? 'the return' : 'the entry'} of ${escaped(style.shortName(change.seenBy.function))} ${change.seenBy.id}`
    : '';
  const twin = {
    watch,
    fromNs: from,
    toNs: to,
    old: valueJson(change.old, style),
    new: valueJson(change.now, style),
    ...(address === null ? {} : { address }),
    pid: change.pid,
    seenBy: change.seenBy?.id ?? null,
    seenAt: change.atReturn ? 'return' : 'enter',
    calls: calls.map((one) => suspectTwin(one, style)),
    otherCalls: others,
    ...(bounded ? { bounded } : {}),
  };
  const [first] = calls;
  const most = first
    ? [`  in ${first.call.id} ${escaped(style.shortName(first.call.function))}`]
    : [];
  return {
    text: `${head}\n  ${who}${seen}`,
    twin,
    smaller: {
      text: [head, ...most].join('\n'),
      twin: {
        watch,
        fromNs: from,
        toNs: to,
        old: twin.old,
        new: twin.new,
        calls: twin.calls.slice(0, 1),
      },
    },
  };
}

/** Frames above the first that is the program's are of libraries that did it for it. */
const shownCallers = 2;

function writeItem(
  change: ChangeView,
  write: WriteView,
  style: CallStyle,
  decimals: Decimals,
): Item {
  const { watch, to, calls } = change;
  const head = `${stamp(to, decimals)} ${escaped(watch)}: ${valueText(change.old, style)} → ${valueText(change.now, style)}`;
  const own = write.frames.findIndex((frame) => frame.isOwn);
  const shown = write.frames.slice(0, Math.max(own + 1, 1));
  const frames = [...shown.slice(0, 1), ...shown.slice(1).slice(-shownCallers)];
  const who =
    frames.length === 0 ? 'code that is not known' : frames.map(writeFrameText).join(', from ');
  const [within] = calls;
  const call = within ? ` in ${within.call.id}` : '';
  const near = write.isNear ? ' ~' : '';
  const twin = {
    watch,
    fromNs: to,
    toNs: to,
    old: valueJson(change.old, style),
    new: valueJson(change.now, style),
    pid: change.pid,
    threadId: write.tid,
    calls: calls.map((one) => suspectTwin(one, style)),
    writtenBy: frames.map((frame) => ({
      functionName: codeName(frame),
      ...(frame.file === null ? {} : { at: `${frame.file}:${frame.line ?? '?'}` }),
    })),
    ...(write.isNear ? { orderUnsure: true } : {}),
  };
  return {
    text: `${head}  by ${escaped(who)} [tid ${write.tid}]${call}${near}`,
    twin,
    smaller: {
      text: `${head}  by ${escaped(who)}`,
      twin: { ...twin, writtenBy: twin.writtenBy.slice(0, 1) },
    },
  };
}

function writeFrameText(frame: WriteFrame): string {
  const { file, line } = frame;
  return `${codeName(frame)}${file === null ? '' : ` ${lastPart(file)}:${line ?? '?'}`}`;
}

function codeName({ function: name, module, pc }: WriteFrame): string {
  return name ?? (module === null ? pc : `${lastPart(module)}!${pc}`);
}

function suspectTwin({ call, ownNs }: SuspectCall, style: CallStyle) {
  return {
    id: call.id,
    functionName: call.function,
    threadId: call.tid,
    ownNs,
    ...(call.file === null ? {} : { at: callPlace(call, style) }),
  };
}

function suspectText({ call, ownNs }: SuspectCall, style: CallStyle): string {
  const brief = style.verbose ? style : { ...style, brief: briefly(call, style, []) };
  return `${call.id} ${callText(call, brief)} [tid ${call.tid}, ${duration(ownNs)} of it]`;
}

function changesSteps(scene: Scene, page: ChangesPage): NextStep[] {
  const [change] = page.changes;
  const [suspect] = change?.calls ?? [];
  const { session } = scene;
  if (!change) {
    if (page.watches.some(({ isOfCall }) => isOfCall))
      return [
        query(
          scene,
          { view: 'events', eventType: ['variable_snapshot'] },
          'what was seen in which call',
        ),
      ];
    if (page.watches.length > 0) return [];
    const runs = session.state.kind === 'running' || session.state.kind === 'starting';
    const [on] = session.hooks.patterns;
    if (runs)
      return [
        {
          tool: 'debug_trace',
          arguments: { sessionId: session.id },
          why: 'which watches there are, and what they wait for',
        },
      ];
    if (on === undefined) return [];
    return [
      {
        tool: 'debug_trace',
        arguments: {
          pending: true,
          add: [on],
          watches: { add: [{ expr: 'return', on, at: 'return' }] },
        },
        why: 'watches what they return in the next launch; or name a variable, an argument',
      },
    ];
  }
  const steps: NextStep[] = [];
  if (suspect)
    steps.push(query(scene, { view: 'tree', root: suspect.call.id }, 'what the first suspect did'));
  if (change.write !== null) return steps;
  steps.push(
    query(
      scene,
      { view: 'events', timeFrom: change.from, timeTo: change.to },
      'all that happened in that time',
    ),
  );
  return steps;
}
