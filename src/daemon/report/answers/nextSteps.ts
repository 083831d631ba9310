import type { SessionView } from '../../../model/session.ts';

/** A call worth making next. */
export interface NextStep {
  readonly tool: 'debug_launch' | 'debug_session' | 'debug_trace' | 'debug_query' | 'debug_test';
  readonly arguments: Readonly<Record<string, unknown>>;
  /** A few words: what it is good for. */
  readonly why: string;
}

/** The call, ready to paste. */
export function callText(step: Omit<NextStep, 'why'>): string {
  return `${step.tool} ${JSON.stringify(step.arguments)}`;
}

/** At most two, the first two that differ; fewer where there is hardly room. */
export function chosen(steps: readonly NextStep[], room: number): readonly NextStep[] {
  const seen = new Set<string>();
  const different = steps.filter((step) => {
    const text = callText(step);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
  return different.slice(0, room < 400 ? 0 : room < 600 ? 1 : 2);
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

/** The same program once more: a relative path in it means something in its own folder only. */
export function launchAgain(
  session: Pick<SessionView, 'command' | 'cwd' | 'projectRoot'>,
  patterns: readonly (string | object)[],
  why: string,
): NextStep {
  const { cwd, projectRoot } = session;
  const [command = '', ...args] = session.command;
  return {
    tool: 'debug_launch',
    arguments: { command, ...(args.length > 0 ? { args } : {}), cwd, projectRoot, patterns },
    why,
  };
}
