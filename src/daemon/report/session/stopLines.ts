import { escaped, sourceText } from '../../../base/visible.ts';
import type { FrameVariable, StackFrame } from '../../../model/endings/crashReport.ts';
import type {
  GoalView,
  StopCause,
  StoppedThread,
  StopView,
  Touched,
} from '../../../model/debug/stop.ts';
import type { SessionNs } from '../../../model/ids.ts';
import { place } from '../text/placeText.ts';
import { ago, duration } from '../text/timeText.ts';
import { declared, variableText, variableValue } from '../views/variableLines.ts';

/** How much of a stop is shown. */
export interface StopAmount {
  readonly callers: number;
  /** Lines of source before and after. */
  readonly around: number;
  readonly locals: number;
  /** Characters of a value. */
  readonly value: number;
}

/** What every answer about stops needs of the session. */
export interface StopScene {
  readonly projectRoot: string;
  readonly now: SessionNs;
}

/** The frame that a stop is about: the newest, or the newest of the program's own. */
export function shownFrame({ frames }: StoppedThread): StackFrame | undefined {
  return frames.find(({ isOwn }) => isOwn) ?? frames[0];
}

/** `s7 stopped · b3 · thread t (23262) · 3 ms ago`, then place, source and variables. */
export function stopLines(stop: StopView, scene: StopScene, amount: StopAmount): string[] {
  const { thread } = stop;
  const frame = shownFrame(thread);
  return [
    headLine(stop, scene),
    ...(frame === undefined
      ? [thread.problem ?? 'no stack could be read']
      : placeLines(thread, frame, scene, amount)),
    ...(frame === undefined ? [] : variableLines(stop, frame, amount)),
  ].map((line) => escaped(line));
}

function headLine(stop: StopView, { now }: StopScene): string {
  const { id, thread, at, left, doubt } = stop;
  const state = left === null ? 'stopped' : `was left ${ago(left.at, now)} (${left.how})`;
  const name = thread.name === '' ? '' : `${thread.name} `;
  return [
    `${id} ${state}`,
    reasonText(thread),
    `thread ${name}(${thread.tid})`,
    ...(left === null ? [othersText(stop)] : []),
    ago(at, now),
    ...(doubt === null || left !== null ? [] : [`UNSURE: ${doubt}`]),
  ].join(' · ');
}

function othersText({ holds, others }: StopView): string {
  if (holds === 'process') return 'all threads stand';
  return others.length === 0 ? 'other threads run' : `of the other threads ${others.length} stand`;
}

export function reasonText({ cause, frames }: StoppedThread): string {
  if (cause.kind === 'pause' && cause.isWaiting === true) return 'pause in native code';
  if (cause.kind === 'step' && cause.byInstruction === true)
    return `step to ${frames[0]?.pc ?? 'an instruction'}`;
  if (cause.kind === 'step' && cause.isCut === true)
    return 'step, cut short by a hit that stops no thread';
  if (cause.kind !== 'breakpoint') return cause.kind;
  const { ids, raised, touched = [], undecided } = cause;
  const condition =
    undecided === undefined ? [] : [`its condition cannot be worked out: ${undecided}`];
  const what = raised ? [`throws ${raised.type ?? 'an exception'}`] : [];
  const message = raised?.message == null ? [] : [JSON.stringify(raised.message)];
  return [ids.join(', '), ...condition, ...touched.map(touchedText), ...what, ...message].join(' ');
}

function placeLines(
  thread: StoppedThread,
  frame: StackFrame,
  { projectRoot }: StopScene,
  { callers, around, value }: StopAmount,
): string[] {
  const { frames, source } = thread;
  const at = frames.indexOf(frame);
  const above = frames.slice(0, at).map(({ function: name, pc }) => name ?? pc);
  const passed = frame.variables.filter(({ isParameter }) => isParameter);
  const given = passed.map((one) => variableText(one, value)).join(', ');
  const below = frames
    .slice(at + 1)
    .filter(({ isOwn, function: name }) => isOwn && name !== '_start')
    .slice(0, callers)
    .map((one) => `${one.function ?? one.pc}${one.line === null ? '' : `:${one.line}`}`);
  const from = below.length === 0 ? '' : `  ← ${below.join(' ← ')}`;
  const inner = above.length === 0 ? '' : `in ${above.slice(-2).join(' ← ')} called by `;
  const where = place(frame.file, frame.line, projectRoot);
  const shown =
    source !== null && source.file === frame.file && source.line === frame.line ? source : null;
  return [
    `${inner}${where === '' ? frame.pc : where} ${frame.function ?? '?'}(${given})${from}`,
    ...(shown === null
      ? []
      : shown.lines.flatMap((text, i) => {
          const line = shown.first + i;
          if (Math.abs(line - shown.line) > around) return [];
          return [`${line === shown.line ? '->' : '  '} ${line} ${sourceText(text.slice(0, 120))}`];
        })),
  ];
}

function variableLines(
  { before }: StopView,
  frame: StackFrame,
  { locals, value }: StopAmount,
): string[] {
  const all = declared(frame.variables).filter(({ isParameter }) => !isParameter);
  const known = all.filter((one) => one.value.kind !== 'notCaptured');
  const gone = all.length - known.length;
  const shown = known.slice(0, locals).map((one) => variableText(one, value));
  const rest = known.length - shown.length;
  const more = [
    ...(rest > 0 ? [`… ${rest} more`] : []),
    ...(gone > 0 ? [`${gone} optimised out here`] : []),
  ];
  const line = [...shown, ...more].join(' ');
  const changes = before === null ? [] : changed(before, frame);
  return [
    ...(line === '' ? [] : [line]),
    ...(changes.length === 0 ? [] : [`changed: ${changes.slice(0, locals).join(', ')}`]),
  ];
}

/** Variables of the same call whose values differ from what they were at the stop before. */
function changed(before: StoppedThread, frame: StackFrame): string[] {
  const old = before.frames.find(
    (one) => one.frameAddress === frame.frameAddress && one.function === frame.function,
  );
  const texts = new Map(
    (old?.variables ?? []).map((one) => [one.name, variableValue(one.value)] as const),
  );
  return declared(frame.variables).flatMap((one) => {
    const was = texts.get(one.name);
    const is = variableValue(one.value);
    if (was === undefined || was === is || isGone(one)) return [];
    return was.length + is.length > 60 ? [one.name] : [`${one.name} ${was} → ${is}`];
  });
}

function isGone({ value }: FrameVariable): boolean {
  return value.kind === 'notCaptured';
}

/** `stepping over bank.c:20 for 4.1 s (thread 23262)` */
export function goalLine(goal: GoalView, { now, projectRoot }: StopScene): string {
  const { kind, from, since, tid } = goal;
  const [, file = from, line = ''] = /^(.*):(\d+)$/.exec(from) ?? [];
  const where = line === '' ? from : place(file, Number(line), projectRoot);
  const what = kind === 'until' ? `running on from ${where}` : `stepping ${kind} from ${where}`;
  return escaped(`${what} for ${duration(now - since)} (thread ${tid})`);
}

function touchedText({ expression, old, now }: Touched): string {
  const [before, after] = [variableValue(old), variableValue(now)];
  return before === after ? `${expression} = ${after}` : `${expression} ${before} → ${after}`;
}

function causeTwin({ ids, raised, touched }: Extract<StopCause, { kind: 'breakpoint' }>) {
  const changes = touched?.map(({ expression, old, now }) => {
    return { expression, old: variableValue(old), now: variableValue(now) };
  });
  return {
    breakpoints: ids,
    ...(raised ? { raised } : {}),
    ...(changes ? { touched: changes } : {}),
  };
}

export function stopTwin(
  { id, thread, holds, left, doubt, before }: StopView,
  { projectRoot }: StopScene,
): Record<string, unknown> {
  const frame = shownFrame(thread);
  const variables = declared(frame?.variables ?? []);
  return {
    id,
    thread: thread.tid,
    threadName: thread.name,
    reason: thread.cause.kind,
    ...(thread.cause.kind === 'breakpoint' ? causeTwin(thread.cause) : {}),
    holds,
    left: left?.how ?? null,
    ...(doubt === null ? {} : { doubt }),
    place: frame ? place(frame.file, frame.line, projectRoot) : '',
    function: frame?.function ?? null,
    variables: Object.fromEntries(variables.map((one) => [one.name, variableValue(one.value)])),
    changed: before === null || frame === undefined ? [] : changed(before, frame),
  };
}
