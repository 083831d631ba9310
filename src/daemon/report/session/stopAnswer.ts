import { escaped } from '../../../base/visible.ts';
import type { Disassembly } from '../../../model/debug/disassembly.ts';
import type { Evaluated } from '../../../model/debug/evaluated.ts';
import type { GoalView, StoppedThread, StopView } from '../../../model/debug/stop.ts';
import type { StackFrame } from '../../../model/endings/crashReport.ts';
import type { ProcessLook } from '../../../model/endings/threadLook.ts';
import type { SessionView } from '../../../model/session.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { richest } from '../answers/budget.ts';
import { endOf, sessionLine } from '../answers/header.ts';
import { chosen, nextLines, nextTexts, type NextStep } from '../answers/nextSteps.ts';
import { place } from '../text/placeText.ts';
import { declared, variableText, variableValue } from '../views/variableLines.ts';
import { goalLine, shownFrame, stopLines, stopTwin, type StopAmount } from './stopLines.ts';
import { lookLines, taskTwins } from './threadLines.ts';

/** What became of a request to go on. */
export interface Continued {
  readonly view: SessionView;
  readonly stops: readonly StopView[];
  readonly goals: readonly GoalView[];
  /** What was not done, in whole sentences. */
  readonly warnings: readonly string[];
  /** Other stops, which were seen before. */
  readonly held: readonly StopView[];
}

const amounts = [
  { callers: 4, around: 1, locals: 12, value: 80 },
  { callers: 2, around: 1, locals: 6, value: 40 },
  { callers: 1, around: 0, locals: 2, value: 24 },
] as const satisfies readonly StopAmount[];
const [, , least] = amounts;

/** Answer of debug_continue. */
export function renderContinued(answer: Continued, budget: number): ToolAnswer {
  const { view, stops, goals, warnings, held } = answer;
  const scene = { projectRoot: view.projectRoot, now: view.now };
  const others = held.filter(({ id }) => !stops.some((stop) => stop.id === id));
  const state =
    endOf(view) !== null
      ? 'ended'
      : stops.length > 0 || held.length > 0
        ? 'stopped'
        : goals.length > 0
          ? 'stepping'
          : 'running';
  return richest(budget, [0, 1, 2], (level, room) => {
    const amount = amounts[level] ?? least;
    const steps = chosen(stepsOf(answer, state), room);
    return {
      text: [
        ...(stops.length === 0 || state === 'ended' ? [sessionLine(view)] : []),
        ...warnings.map((warning) => `! ${escaped(warning)}`),
        ...stops.flatMap((stop) => stopLines(stop, scene, amount)),
        ...goals.map((goal) => goalLine(goal, scene)),
        ...(others.length > 0 ? [`also stopped: ${others.map(briefly).join(', ')}`] : []),
        ...nextLines(steps),
      ].join('\n'),
      structured: {
        sessionId: view.id,
        state,
        stops: stops.map((stop) => stopTwin(stop, scene)),
        goals,
        held: held.map(({ id }) => id),
        warnings,
        nextSteps: nextTexts(steps),
      },
    };
  });
}

function briefly({ id, thread }: StopView): string {
  const frame = shownFrame(thread);
  return escaped(`${id} (thread ${thread.tid} in ${frame?.function ?? '?'})`);
}

function stepsOf({ view, stops, goals }: Continued, state: string): NextStep[] {
  const sessionId = view.id;
  const [stop] = stops;
  if (stop) {
    const { cause } = stop.thread;
    const isOne = cause.kind === 'step' && cause.byInstruction === true;
    return [
      {
        tool: 'debug_continue',
        arguments: { sessionId, action: isOne ? 'overInstruction' : 'over', stop: stop.id },
        why: isOne ? 'or instruction, over, out, continue' : 'or into, out, continue',
      },
      {
        tool: 'debug_inspect',
        arguments: { sessionId, view: isOne ? 'disassembly' : 'stack', stop: stop.id },
        why: isOne ? 'the instructions there' : 'who called',
      },
    ];
  }
  if (state === 'ended') return [];
  const wait = { sessionId, action: 'wait', timeoutMs: 20_000 };
  return [
    { tool: 'debug_continue', arguments: wait, why: 'returns at the next stop' },
    ...(goals.length > 0
      ? [
          {
            tool: 'debug_continue' as const,
            arguments: { sessionId, action: 'pause' },
            why: 'shows where it is',
          },
        ]
      : []),
  ];
}

/** An expression with what it came to. */
export interface InspectedValue {
  readonly expression: string;
  readonly evaluated: Extract<Evaluated, { readonly why?: undefined }>;
}

/** What debug_inspect is asked about. */
export interface Inspected {
  readonly view: SessionView;
  readonly stop: StopView;
  /** What is looked at: the stack of its thread, or of a task. */
  readonly stack: Pick<StoppedThread, 'frames' | 'problem'>;
  /** Null: the thread itself is meant. */
  readonly task: string | null;
  readonly frame: number;
  readonly look: ProcessLook | null;
  readonly value: InspectedValue | null;
  readonly code: Disassembly | null;
  readonly held: readonly StopView[];
}

type View = 'context' | 'stack' | 'locals' | 'value' | 'threads' | 'registers' | 'disassembly';

const framesShown: readonly number[] = [40, 16, 8, 3];

/** Answer of debug_inspect. */
export function renderInspected(what: View, answer: Inspected, budget: number): ToolAnswer {
  const { view, stop } = answer;
  const scene = { projectRoot: view.projectRoot, now: view.now };
  const full: StopAmount = { callers: 6, around: 3, locals: 24, value: 160 };
  return richest(budget, framesShown, (most, room) => {
    const steps = chosen(inspectSteps(answer, what), room);
    const brief = what === 'context' ? full : { callers: 0, around: 0, locals: 0, value: 24 };
    const [head = '', ...rest] = stopLines(stop, scene, brief);
    return {
      text: [
        head,
        ...(answer.task === null ? [] : [`${answer.task}:`]),
        ...(what === 'context' ? rest : bodyLines(what, answer, most)),
        ...nextLines(steps),
      ].join('\n'),
      structured: {
        sessionId: view.id,
        stop: stopTwin(stop, scene),
        ...bodyTwin(what, answer, most),
        nextSteps: nextTexts(steps),
      },
    };
  });
}

function bodyLines(
  what: Exclude<View, 'context'>,
  { stop, stack, frame, look, value, code, held, view }: Inspected,
  most: number,
): string[] {
  const { registers } = stop.thread;
  const { frames, problem } = stack;
  const { projectRoot } = view;
  switch (what) {
    case 'stack':
      return [
        ...foldedLines(frames.slice(0, most), projectRoot),
        ...(frames.length > most ? [`… ${frames.length - most} more`] : []),
        ...(problem === null ? [] : [`the stack ends there: ${problem}`]),
      ].map((line) => escaped(line));
    case 'locals': {
      const one = frames[frame];
      if (!one) return [`There is no frame ${frame}: the stack has 0 to ${frames.length - 1}.`];
      const variables = declared(one.variables);
      return [
        frameLine(one, frame, projectRoot),
        ...variables.map((variable) => {
          const kind = variable.isParameter ? 'argument' : 'local';
          const type = variable.type === null ? '' : `${variable.type} `;
          return `  ${kind} ${type}${variableText(variable, 400)}`;
        }),
        ...(variables.length > 0 ? [] : [`  ${withoutVariables(one)}`]),
      ].map((line) => escaped(line));
    }
    case 'value':
      return value === null ? [] : [valueLine(value)];
    case 'disassembly':
      return code === null ? [] : codeLines(code, projectRoot);
    case 'registers':
      return [registers.map((one) => `${one.name}=${one.value}`).join(' ')];
    case 'threads':
      return [
        ...held.flatMap(({ id, thread, others }) => [
          heldLine(`${id} thread`, thread, 'stopped', projectRoot),
          ...others.map((one) => heldLine('  thread', one, `held by ${id}`, projectRoot)),
        ]),
        ...lookLines(withoutHeld(look, held), projectRoot, most),
      ];
  }
}

function valueLine({ expression, evaluated }: InspectedValue): string {
  const { value, type, place: at } = evaluated;
  const where =
    at?.kind === 'memory'
      ? `  at 0x${at.address.toString(16)}`
      : at?.kind === 'register'
        ? '  in a register'
        : '';
  const typed = type === null ? '' : `${type} `;
  return escaped(`${typed}${expression} = ${variableValue(value)}${where}`);
}

/** Each line before the instructions that were made of it. */
function codeLines({ file, instructions }: Disassembly, projectRoot: string): string[] {
  return instructions
    .flatMap(({ address, text, line, isNext }) => [
      ...(line === null ? [] : [place(file, line, projectRoot)]),
      `${isNext ? '->' : '  '} ${address} ${text}`,
    ])
    .map((line) => escaped(line));
}

function heldLine(head: string, thread: StoppedThread, how: string, projectRoot: string): string {
  const own = shownFrame(thread);
  const where = own ? frameText(own, projectRoot) : '';
  return escaped(`  ${head} ${thread.name} (${thread.tid}) ${how}: ${where}`);
}

/** `state`: it has this stop, or is held by that of another thread. */
function heldTwins({ id, thread, others }: StopView): Record<string, unknown>[] {
  return [
    { thread: thread.tid, name: thread.name, stop: id, state: 'stopped' },
    ...others.map(({ tid, name }) => ({ thread: tid, name, stop: id, state: 'held' })),
  ];
}

/** Threads that stand still are those of their stops. */
function withoutHeld(look: ProcessLook | null, held: readonly StopView[]): ProcessLook | null {
  const stopped = new Set(
    held.flatMap(({ thread, others }) => [thread, ...others].map(({ tid }) => tid)),
  );
  return look && { ...look, threads: look.threads.filter(({ tid }) => !stopped.has(tid)) };
}

/** Frames of an event loop that follow each other are one line. */
function foldedLines(frames: readonly StackFrame[], projectRoot: string): string[] {
  const lines: string[] = [];
  for (let i = 0; i < frames.length; i++) {
    const from = i;
    while (frames[from]?.isOfLoop && frames[i + 1]?.isOfLoop) i++;
    const [newest, oldest] = [frames[from], frames[i]];
    if (!newest || !oldest) break;
    lines.push(
      i === from
        ? frameLine(newest, from, projectRoot)
        : `#${from}-#${i} ${i - from + 1} frames of the event loop: ${newest.function ?? '?'} … ${oldest.function ?? '?'}`,
    );
  }
  return lines;
}

function frameLine(frame: StackFrame, number: number, projectRoot: string): string {
  const passed = frame.variables.filter(({ isParameter }) => isParameter);
  const given = passed.map((one) => variableText(one, 40)).join(', ');
  const notes = [
    ...(frame.isInlined ? ['inlined'] : []),
    ...(frame.isGuess ? ['a guess'] : []),
    ...awaitingNotes(frame),
    ...(frame.isOwn ? [] : ['not yours']),
  ];
  const note = notes.length === 0 ? '' : `  (${notes.join(', ')})`;
  return `#${number} ${frameText(frame, projectRoot)}${given === '' ? '' : `  ${given}`}${note}`;
}

/** `awaits`, of a task with its name. */
function awaitingNotes({ isAwaiting, task }: StackFrame): string[] {
  return isAwaiting ? [task ? `${task.id} awaits` : 'awaits'] : [];
}

function withoutVariables({ isAwaiting, isUnread, task }: StackFrame): string {
  if (isAwaiting && !task) return 'it awaits: its variables can be read when it runs again';
  return isUnread
    ? 'variables of frames this deep are not read: ask for one by "view": "value" with this frame'
    : 'no variables are known here';
}

function frameText({ function: name, file, line, pc }: StackFrame, projectRoot: string): string {
  const where = place(file, line, projectRoot);
  return `${name ?? '?'} ${where === '' ? pc : where}`;
}

function bodyTwin(
  what: View,
  { stop, stack, frame, look, value, code, held }: Inspected,
  most: number,
): Record<string, unknown> {
  const { registers } = stop.thread;
  const { frames } = stack;
  if (what === 'value' && value !== null) return { value: valueTwin(value) };
  if (what === 'disassembly') return { code };
  if (what === 'registers') return { registers };
  if (what === 'locals') return { frame: frames[frame] ?? null };
  if (what === 'threads') return { threads: held.flatMap(heldTwins), ...taskTwins(look, most) };
  if (what !== 'stack') return {};
  return {
    frames: frames
      .slice(0, most)
      .map(({ function: name, file, line, pc, isInlined, isOwn, isAwaiting, task }) => ({
        function: name,
        file,
        line,
        pc,
        isInlined,
        isOwn,
        ...(isAwaiting ? { isAwaiting } : {}),
        ...(task ? { task: task.id } : {}),
      })),
    omitted: Math.max(0, frames.length - most),
  };
}

function valueTwin({ expression, evaluated }: InspectedValue): Record<string, unknown> {
  const { value, type, place: at } = evaluated;
  const address = at?.kind === 'memory' ? `0x${at.address.toString(16)}` : null;
  return { expression, type, text: variableValue(value), address };
}

function inspectSteps({ view, stop, stack, frame }: Inspected, what: View): NextStep[] {
  const sessionId = view.id;
  return [
    ...(what === 'locals' && frame >= stack.frames.length
      ? [
          {
            tool: 'debug_inspect' as const,
            arguments: { sessionId, view: 'stack', stop: stop.id },
            why: 'the frames that there are',
          },
        ]
      : []),
    ...(what === 'stack' && stack.frames.length > 1
      ? [
          {
            tool: 'debug_inspect' as const,
            arguments: { sessionId, view: 'locals', stop: stop.id, frame: 1 },
            why: 'the variables of a caller',
          },
        ]
      : []),
    ...(stop.left === null
      ? [
          {
            tool: 'debug_continue' as const,
            arguments: { sessionId, action: 'over', stop: stop.id },
            why: 'or into, out, continue',
          },
        ]
      : []),
  ];
}
