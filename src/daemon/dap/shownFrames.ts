import { basename } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { StoppedThread, StopView } from '../../model/debug/stop.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';
import { exceptionBreakpointFilters } from './exceptionFilters.ts';
import type { Handles, StoppedFrame } from './handles.ts';
import { ofFrame, type Expandable, type Unfolded } from './unfolding.ts';

/** What initialize answers. */
export const capabilities: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsFunctionBreakpoints: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsInstructionBreakpoints: true,
  supportsBreakpointLocationsRequest: true,
  supportsLoadedSourcesRequest: true,
  supportsSteppingGranularity: true,
  supportsEvaluateForHovers: true,
  supportsSetVariable: true,
  supportsSetExpression: true,
  supportsReadMemoryRequest: true,
  supportsWriteMemoryRequest: true,
  supportsDisassembleRequest: true,
  supportsDataBreakpoints: true,
  supportsExceptionFilterOptions: true,
  supportsExceptionInfoRequest: true,
  exceptionBreakpointFilters,
  supportsRestartRequest: true,
  supportsTerminateRequest: true,
  supportTerminateDebuggee: true,
  supportsDelayedStackTraceLoading: true,
  /** A breakpoint stops one thread; the others run. */
  supportsSingleThreadExecutionRequests: true,
};

/** `first`: the editor's number of the first line and column. */
export function frameBody(
  frame: StackFrame,
  id: number,
  first: { readonly line: number; readonly column: number },
): DebugProtocol.StackFrame {
  const { function: name, file, line, pc, isInlined, isOwn, isGuess, isAwaiting, task } = frame;
  const notes = [
    ...(isInlined ? ['inlined'] : []),
    ...(isGuess ? ['a guess'] : []),
    ...(isAwaiting ? [task ? `${task.id} awaits` : 'awaits'] : []),
  ];
  return {
    id,
    name: `${name ?? pc}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`,
    line: file === null || line === null ? 0 : line - 1 + first.line,
    column: file === null ? 0 : first.column,
    instructionPointerReference: pc,
    ...(file === null ? {} : { source: sourceOf(frame, file) }),
    ...(isOwn ? {} : { presentationHint: 'subtle' }),
  };
}

/** Editors fold what is of an event loop. */
function sourceOf({ isOfLoop }: StackFrame, path: string): DebugProtocol.Source {
  const folded = { presentationHint: 'deemphasize', origin: 'event loop' } as const;
  return { name: basename(path), path, ...(isOfLoop ? folded : {}) };
}

/** Arguments, locals and, of the newest frame, registers. */
export function scopesOf(
  frame: StackFrame,
  registers: StoppedThread['registers'],
  handles: Handles<Unfolded>,
  at: StoppedFrame,
): DebugProtocol.Scope[] {
  const passed = frame.variables.filter(({ isParameter }) => isParameter);
  const locals = frame.variables.filter(({ isParameter }) => !isParameter);
  const scope = (
    name: string,
    inside: Expandable,
    rest: Partial<DebugProtocol.Scope>,
  ): DebugProtocol.Scope => ({
    name,
    variablesReference: handles.add({ ...at, inside }),
    namedVariables: inside.children.length,
    expensive: false,
    ...rest,
  });
  return [
    ...(passed.length > 0
      ? [scope('Arguments', ofFrame(passed), { presentationHint: 'arguments' })]
      : []),
    scope('Locals', ofFrame(locals), { presentationHint: 'locals' }),
    ...(at.frame === 0 && !at.task
      ? [
          scope('Registers', ofRegisters(registers), {
            presentationHint: 'registers',
            expensive: true,
          }),
        ]
      : []),
  ];
}

function ofRegisters(registers: StoppedThread['registers']): Expandable {
  return {
    children: registers.map(({ name, value }) => ({ name, value: { kind: 'word', text: value } })),
    total: registers.length,
    isIndexed: false,
    path: '$',
  };
}

/** What a thread raises where it stands. */
export function raisedBody({ thread }: StopView) {
  const raised = thread.cause.kind === 'breakpoint' ? thread.cause.raised : undefined;
  return {
    exceptionId: raised?.type ?? 'exception',
    ...(raised?.message == null ? {} : { description: raised.message }),
    breakMode: 'always',
  };
}
