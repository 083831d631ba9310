import { escaped } from '../../../base/visible.ts';
import { engineRefusal, outsideProject } from '../../../model/session.ts';
import { hooksText } from '../answers/header.ts';
import { counted, grouped, listed } from '../text/groupedNumber.ts';
import { outputStep, query, statsStep, type Scene } from '../answers/scene.ts';
import { launchAgain, tracesProject, type NextStep } from '../answers/nextSteps.ts';

/** What the handler found out about an answer without a single call. */
export interface Emptiness {
  /** Names of functions that were called, most called first. */
  readonly calledFunctions: readonly string[];
  /** The function name or pattern asked for, or null. */
  readonly wantedFunction: string | null;
}

/** Parameters of debug_query that are no filters. */
const noFilters = new Set([
  'view',
  'sessionId',
  'budget',
  'limit',
  'cursor',
  'order',
  'verbose',
  'maxDepth',
  'sortBy',
  'groupBy',
]);

/** Why there is no call to show: the first reason that explains it, and what to do about it. */
export function whyNoCalls(
  scene: Scene,
  found: Emptiness,
): { readonly lines: readonly string[]; readonly steps: readonly NextStep[] } {
  const { session, summary } = scene;
  if (session.tracing.kind === 'unavailable') {
    const { code, message, hint } = session.tracing;
    return {
      lines: [`No calls: this program cannot be traced. ${code}: ${message} ${hint}`],
      steps: outputStep(scene, 'output is captured all the same'),
    };
  }
  if (summary.calls === 0 && session.hooks.patterns.length === 0) return nothingTraced(scene);
  if (summary.calls === 0 && session.hooks.hooked === 0) return nothingHooked(scene);
  if (summary.calls === 0 && summary.counters.lost > 0) {
    return {
      lines: ['No calls: all events so far were lost (causes above). Trace fewer functions.'],
      steps: [traceSteps(scene, {}, 'what is traced now')],
    };
  }
  if (summary.calls === 0) return nothingCalled(scene);
  return filteredAway(scene, found);
}

function nothingHooked(scene: Scene): ReturnType<typeof whyNoCalls> {
  const { session } = scene;
  const { patterns, matched, waiting } = session.hooks;
  const wanted = listed(patterns.slice(0, 3).map((one) => escaped(one)));
  const found = `No calls: ${wanted} matched ${counted(matched, 'function')}`;
  const refusal = engineRefusal(session);
  if (refusal !== null)
    return { lines: [`${found}. ${escaped(refusal.why)}`], steps: refusedSteps(scene) };
  const why = 'says per pattern why, and what to hook instead';
  if (!hasEnded(scene) || waiting === 0)
    return {
      lines: [`${found}, none is hooked (${hooksText(session)}).`, ...outsideLines(session)],
      steps: [hasEnded(scene) ? statusOf(scene, why) : traceSteps(scene, {}, why)],
    };
  const project = patterns.some((one) => one.startsWith('@'))
    ? ` The project is ${escaped(session.projectRoot)}; projectRoot says another.`
    : '';
  return {
    lines: [
      `${found} of files that it did not load, or loaded too late to be hooked before it ended.${project}`,
    ],
    steps: outputStep(scene),
  };
}

function hasEnded({ session }: Scene): boolean {
  return session.state.kind !== 'running' && session.state.kind !== 'starting';
}

function statusOf({ session }: Scene, why: string): NextStep {
  return { tool: 'debug_session', arguments: { action: 'status', sessionId: session.id }, why };
}

/** Programs that the tree executed and that a pattern may have meant. */
function outsideLines({ processes }: Scene['session']): string[] {
  const outside = processes.shown.filter(
    ({ tracing }) => tracing.kind === 'untraced' && tracing.reason === outsideProject,
  );
  const programs = [...new Set(outside.map(({ command }) => command[0] ?? ''))];
  if (programs.length === 0) return [];
  return [
    `Programs outside the project were executed untraced: ${listed(programs.slice(0, 3).map((one) => escaped(one)))}. Launch with a projectRoot that holds them, or name the program in the pattern (module).`,
  ];
}

function refusedSteps(scene: Scene): NextStep[] {
  return [...outputStep(scene), statusOf(scene, 'what to run instead')];
}

function nothingTraced(scene: Scene): ReturnType<typeof whyNoCalls> {
  const { session } = scene;
  const ended = hasEnded(scene);
  const lines = [`No calls: no function ${ended ? 'was' : 'is'} traced (no patterns were given).`];
  const refusal = engineRefusal(session);
  if (refusal !== null)
    return { lines: [...lines, escaped(refusal.why)], steps: refusedSteps(scene) };
  return {
    lines,
    steps: ended
      ? [launchAgain(session, ['@usercode'], 'again, traced from the start'), ...outputStep(scene)]
      : [
          traceSteps(scene, { add: ['@usercode'] }, 'hook all functions of the project now'),
          ...outputStep(scene),
        ],
  };
}

/** They were called, and what the patterns ask left all out. */
function nothingRecorded(scene: Scene): ReturnType<typeof whyNoCalls> | null {
  const { session, summary } = scene;
  const { limits = [], patterns } = session.hooks;
  const called = (summary.sampledFunctions ?? []).filter(({ calls }) => calls > 0);
  const starts = limits.find(({ asks }) => asks.startsWith('trigger "start"'));
  if (called.length === 0 && !starts) return null;
  const named = called
    .slice(0, 3)
    .map(({ name, calls }) => `${escaped(name)} was called ${grouped(calls)} times`);
  const rest = called.length - named.length;
  const others = rest > 0 ? [`${counted(rest, 'other function')} too`] : [];
  const asked = limits.map(({ pattern, asks }) => `${escaped(asks)} of ${escaped(pattern)}`);
  const lines =
    called.length === 0
      ? [
          `No calls: recording starts at a call of ${escaped(starts?.pattern ?? '')} (${escaped(starts?.asks ?? '')}), and none came.`,
        ]
      : [
          `No call was recorded: ${listed([...named, ...others])}, and ${asked.length > 0 ? listed(asked.slice(0, 3)) : 'sampling'} left out all of them.`,
        ];
  const plain = [...new Set(limits.length > 0 ? limits.map(({ pattern }) => pattern) : patterns)];
  const step = hasEnded(scene)
    ? launchAgain(session, plain, 'again, without that condition')
    : traceSteps(scene, { remove: plain, add: plain }, 'the same functions without that condition');
  return { lines, steps: [step, ...outputStep(scene)] };
}

function nothingCalled(scene: Scene): ReturnType<typeof whyNoCalls> {
  const { session } = scene;
  const left = nothingRecorded(scene);
  if (left) return left;
  const hooked = counted(session.hooks.hooked, 'function');
  if (!hasEnded(scene)) {
    return {
      lines: [
        `No calls yet: ${hooked} hooked, none was called since. Trigger the behaviour, then ask again.`,
      ],
      steps: [
        {
          tool: 'debug_session',
          arguments: { action: 'wait', sessionId: session.id, for: ['event', 'exit'] },
          why: 'returns at the first call',
        },
        ...(tracesProject(session)
          ? []
          : [traceSteps(scene, { add: ['@usercode'] }, 'widen the trace')]),
      ],
    };
  }
  const until = session.state.kind === 'released' ? 'it was let go' : 'the program ended';
  const found = `No calls: ${hooked} hooked, none was called before ${until}.`;
  // A `strobe run` is traced from its start, and has shown its output.
  if (session.owner.kind === 'run') return { lines: [found], steps: widerSteps(session) };
  if (session.hooks.fromStart && session.attached === undefined)
    return { lines: [found], steps: [...widerSteps(session), ...outputStep(scene)] };
  return {
    lines: [`${found} Hooks set late miss what ran before them.`],
    steps: [
      launchAgain(session, ['@usercode'], 'again, traced from the start'),
      ...outputStep(scene),
    ],
  };
}

function widerSteps(session: Scene['session']): NextStep[] {
  if (tracesProject(session)) return [];
  return [launchAgain(session, ['@usercode'], 'again, with all functions of the project traced')];
}

function filteredAway(scene: Scene, found: Emptiness): ReturnType<typeof whyNoCalls> {
  const filters = Object.entries(scene.request)
    .filter(([name]) => !noFilters.has(name))
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const lines = [
    `No call matches ${filters.length > 0 ? listed(filters) : 'the request'}; the session has ${counted(scene.summary.calls - (scene.summary.hits ?? 0), 'call')} of ${counted(found.calledFunctions.length, 'function')}.`,
  ];
  const { eventLimit = 0 } = scene.summary.counters.byCause;
  if (eventLimit > 0)
    lines.push(
      `What fits may have been dropped: the session's limit took ${counted(eventLimit, 'event')}, the oldest ones.`,
    );
  const nearest =
    found.wantedFunction === null ? [] : nearestNames(found.wantedFunction, found.calledFunctions);
  if (nearest.length > 0) lines.push(`Called functions with similar names: ${nearest.join(', ')}`);
  else if (found.calledFunctions.length > 0)
    lines.push(`Most called: ${found.calledFunctions.slice(0, 5).join(', ')}`);
  const steps: NextStep[] = [];
  const [best] = nearest;
  if (best !== undefined)
    steps.push({
      ...query(scene, {}, 'with the nearest name'),
      arguments: { ...scene.request, function: { equals: best } },
    });
  if (eventLimit > 0)
    steps.push(
      query(scene, { view: 'events', eventType: ['loss'] }, 'up to when they were dropped'),
    );
  steps.push(...statsStep(scene, 'every function that was called'));
  return { lines, steps };
}

function traceSteps(
  scene: Scene,
  wanted: Readonly<Record<string, unknown>>,
  why: string,
): NextStep {
  return { tool: 'debug_trace', arguments: { sessionId: scene.session.id, ...wanted }, why };
}

/** At most three names that share most letter pairs with the wanted one, best first. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  const target = pairs(wanted.replaceAll('*', ''));
  return names
    .map((name) => ({
      name,
      score: Math.max(likeness(target, pairs(name)), likeness(target, pairs(lastPart(name)))),
    }))
    .filter(({ score }) => score >= 0.35)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ name }) => name);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('::') + 1);
}

function pairs(text: string): Set<string> {
  const lower = text.toLowerCase();
  const found = new Set<string>();
  for (let at = 0; at + 2 <= lower.length; at += 1) found.add(lower.slice(at, at + 2));
  return found;
}

/** Dice's coefficient: 1 for the same pairs, 0 for none in common. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  let common = 0;
  for (const pair of a) if (b.has(pair)) common += 1;
  return (2 * common) / (a.size + b.size);
}

/** How often each name occurs. */
export function countNames(names: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** `parse ×20, draw ×14, 3 other functions`: what a cut list would have shown. */
export function tally(
  counts: ReadonlyMap<string, number>,
  rest: readonly [one: string, many: string] = ['other function', 'other functions'],
): string {
  const sorted = [...counts].toSorted((a, b) => b[1] - a[1]);
  const shown = sorted.slice(0, 3).map(([name, count]) => `${name} ×${grouped(count)}`);
  const left = sorted.slice(3);
  return [...shown, ...(left.length > 0 ? [counted(left.length, ...rest)] : [])].join(', ');
}
