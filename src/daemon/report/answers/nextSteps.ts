import type { SessionView } from '../../../model/session.ts';

/** A call worth making next. */
export interface NextStep {
  readonly tool:
    | 'debug_launch'
    | 'debug_session'
    | 'debug_trace'
    | 'debug_query'
    | 'debug_test'
    | 'debug_breakpoint'
    | 'debug_channel'
    | 'debug_continue'
    | 'debug_inspect';
  readonly arguments: Readonly<Record<string, unknown>>;
  /** A few words: what it is good for. */
  readonly why: string;
}

/** The call, ready to paste. */
export function callText(step: Omit<NextStep, 'why'>): string {
  return `${step.tool} ${JSON.stringify(step.arguments)}`;
}

/** A text whose proposed calls do not name this session: it is the one that is meant when none is named. */
export function withoutSession(text: string, sessionId: string): string {
  const named = `"sessionId":"${sessionId}"`;
  return text
    .replaceAll(`{${named},`, '{')
    .replaceAll(`,${named}`, '')
    .replaceAll(/(?<!"other":)\{"sessionId":"([^"]*)"\}/g, (whole, id) =>
      id === sessionId ? '{}' : whole,
    );
}

/** At most two, the first two that differ; fewer where there is hardly room. `asked`: the request, which is none of them. */
export function chosen(
  steps: readonly NextStep[],
  room: number,
  asked?: { readonly request: Readonly<Record<string, unknown>> },
): readonly NextStep[] {
  const seen = new Set<string>(asked ? [sortedText('debug_query', asked.request)] : []);
  const different = steps.filter((step) => {
    const text = sortedText(step.tool, step.arguments);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
  return different.slice(0, room < 400 ? 0 : room < 600 ? 1 : 2);
}

/** The same text for the same call, in whatever order its arguments stand. */
function sortedText(tool: string, given: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${tool} ${JSON.stringify(entries)}`;
}

/** `next:` with a line per call. */
export function nextLines(steps: readonly NextStep[]): string[] {
  if (steps.length === 0) return [];
  return ['next:', ...steps.map((step) => `  ${callText(step)}  — ${step.why}`)];
}

/** The structured form of them. */
export function nextTexts(steps: readonly NextStep[]): string[] {
  return steps.map(callText);
}

/** Whether it is of no use to propose that all functions of the project be traced: they are. */
export function tracesProject({ hooks }: Pick<SessionView, 'hooks'>): boolean {
  return hooks.patterns.includes('@usercode');
}

/**
 * The same program once more: a relative path in it means something in its own folder only. One that was attached to
 * and let go runs on: the same process.
 */
export function launchAgain(
  session: Pick<
    SessionView,
    'command' | 'cwd' | 'projectRoot' | 'pid' | 'attached' | 'state' | 'image'
  >,
  patterns: readonly (string | object)[],
  why: string,
): NextStep {
  const { cwd, projectRoot, pid } = session;
  if (session.attached && session.state.kind === 'released' && pid !== null) {
    return {
      tool: 'debug_launch',
      arguments: { pid, projectRoot, patterns, onClientExit: 'keep' },
      why: 'attaches again, and stays until you stop it',
    };
  }
  if (session.image !== undefined) {
    return {
      tool: 'debug_launch',
      arguments: { command: session.image, args: [], cwd, projectRoot, patterns },
      why: `${why}; fill in its arguments: it wrote a title over them`,
    };
  }
  const [command = '', ...args] = session.command;
  return {
    tool: 'debug_launch',
    arguments: { command, ...(args.length > 0 ? { args } : {}), cwd, projectRoot, patterns },
    why,
  };
}
