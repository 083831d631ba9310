import { estimateTokens } from '../../../base/tokenEstimate.ts';
import { escaped } from '../../../base/visible.ts';
import { engineRefusal, outsideProject } from '../../../model/session.ts';
import type { TreeNode } from '../../../model/questions/treeResult.ts';
import type {
  Diagnosis,
  DiagnosisStep,
  SuspectPlace,
  TestResult,
} from '../../../model/tests/testReport.ts';
import type { PassingTest } from '../../testing/passingTests.ts';
import type { NewLines } from '../../testing/ranLines.ts';
import type { Suspect } from '../../testing/suspects/suspectWeights.ts';
import type { Comparison, TracedTest } from '../../testing/tracedTest.ts';
import { costOf, fit, Space, type Rendered } from '../answers/budget.ts';
import { callPlace, callText, type CallStyle } from '../text/callText.ts';
import { crashLine } from '../../../model/endings/crashLine.ts';
import { variableText } from '../views/variableLines.ts';
import { threadLines } from '../views/diff.ts';
import { endOf } from '../answers/header.ts';
import { shortNames } from '../text/nameText.ts';
import { counted, listed } from '../text/groupedNumber.ts';
import { place } from '../text/placeText.ts';
import { treeLines } from '../tree/tree.ts';
import { suspectLines } from './suspectLines.ts';

/** What a failed test, run again traced, has shown. */
export interface DiagnosisFacts {
  readonly failed: TestResult;
  readonly found: TracedTest;
  /** Why these functions were traced. */
  readonly reason: string;
  readonly notes: readonly string[];
  readonly changed: readonly string[];
  readonly compared: Comparison | null;
  readonly suspects: readonly Suspect[];
  readonly passing: readonly PassingTest[];
  /** What ran in no test that passed, by function. */
  readonly newLines: ReadonlyMap<string, NewLines>;
  readonly projectRoot: string;
  /** Where the tests ran. */
  readonly root: string;
}

const crashFrames = 3;
const untracedShown = 3;
const changedShown = 4;
const rowsShown = 5;
/** Characters of a value that a failure names. */
const valueShown = 120;
/** Tokens that are left for the tree of calls. */
const leastForTree = 80;
/** Characters of a variable of the frame that died. */
const variableShown = 80;

/** The text of a diagnosis within a budget of tokens, and what to ask next. */
export function renderDiagnosis(facts: DiagnosisFacts, budget: number): Diagnosis {
  const style = styleOf(facts.found, facts.compared?.other ?? null, facts.root);
  const { text } = fit(budget, (room) => textAt(facts, style, room));
  const { found, compared } = facts;
  return {
    test: facts.failed.name,
    text,
    sessionId: found.session.id,
    compared: compared && { test: compared.other.test.name, sessionId: compared.other.session.id },
    steps: steps(facts),
    suspects: places(facts),
  };
}

function places({ suspects, newLines }: DiagnosisFacts): SuspectPlace[] {
  return suspects.flatMap(({ call }) => {
    const line = newLines.get(call.function)?.lines[0]?.line ?? call.line;
    if (call.file === null || line === null) return [];
    return [{ function: call.function, file: call.file, line }];
  });
}

function styleOf(found: TracedTest, other: TracedTest | null, projectRoot: string): CallStyle {
  const names = new Set<string>();
  const add = (node: TreeNode): void => {
    names.add(node.call.function);
    node.children.forEach(add);
  };
  for (const one of other ? [found, other] : [found])
    for (const { roots } of one.tree.threads) roots.forEach(add);
  const { session } = found;
  return {
    verbose: false,
    isPlain: true,
    shortName: shortNames(names),
    projectRoot,
    endedAt: endOf(session),
    now: session.now,
  };
}

function textAt(facts: DiagnosisFacts, style: CallStyle, room: number): Rendered {
  const { found } = facts;
  const before = [headLine(facts), ...noteLines(facts), ...crashLines(facts)];
  before.push(...sourceLines(facts, style));
  const after = comparisonLines(facts, style);
  const space = new Space(room);
  const left = room - estimateTokens([...before, ...after].join('\n')) - leastForTree;
  before.push(...suspectLines({ ...facts, events: found.events }, style, left));
  space.spend(costOf([...before, ...after].join('\n')));
  const tree =
    found.calls + (found.body ? 1 : 0) > 0
      ? treeLines(found.tree, style, space)
      : { lines: ['No traced function was called.', ...refusalLines(found)], leftOut: false };
  const text = [...before, ...tree.lines, ...after].join('\n');
  return { text, structured: { text }, leftOut: tree.leftOut };
}

/** Why none could be. */
function refusalLines({ session }: TracedTest): string[] {
  const refusal = engineRefusal(session);
  return refusal === null ? [] : [`! ${escaped(refusal.note)}`];
}

function headLine({ found, reason }: DiagnosisFacts): string {
  const { session, calls } = found;
  const how = found.result?.outcome === 'passed' ? 'passing' : 'failing';
  // A run of a moment may end before its modules are told.
  const hooked = session.hooks.hooked > 0 ? `; ${session.hooks.hooked} hooked` : '';
  return `${found.test.name}, ${how} traced (${escaped(reason)}${hooked}): ${counted(calls, 'call')}; ×n = n alike, [id] for debug_query root`;
}

function noteLines({ notes, changed, root, found }: DiagnosisFacts): string[] {
  const files = changed.slice(0, changedShown).map((file) => place(file, null, root));
  const { refused, inlined } = found.session.hooks;
  return [
    ...notes.map((note) => `! ${note}`),
    ...untracedLines(found),
    ...(refused + inlined > 0
      ? [
          `! not seen: ${listed([...(inlined > 0 ? [`${inlined} inlined`] : []), ...(refused > 0 ? [`${refused} refused`] : [])])} functions`,
        ]
      : []),
    ...(files.length > 0
      ? [`changed since all passed: ${listed(files)}${changed.length > files.length ? ', …' : ''}`]
      : []),
  ];
}

/** Without calls it is of interest which programs of the project's ran untraced. */
function untracedLines({ calls, session }: TracedTest): string[] {
  const untraced = session.processes.shown.flatMap(({ command, tracing }) => {
    const reason = tracing.kind === 'untraced' ? tracing.reason : null;
    if (reason === null || reason === outsideProject) return [];
    return [`! untraced: ${escaped(command[0] ?? '?')}: ${escaped(reason)}`];
  });
  return calls > 0 ? [] : untraced.slice(0, untracedShown);
}

/** Where the process died, with the variables of the program's own newest frame. */
function crashLines({ found: { crash }, root }: DiagnosisFacts): string[] {
  if (!crash) return [];
  const own = (crash.report.threads[0]?.frames ?? [])
    .filter((frame) => frame.isOwn && frame.function !== null)
    .filter(({ file }) => file !== null && !file.startsWith('/usr/'))
    .slice(0, crashFrames);
  return [
    `crash: ${crashLine(crash.report)}`,
    ...own.map((frame, at) => {
      const variables =
        at === 0
          ? frame.variables.slice(0, 6).map((variable) => shortened(variableText(variable)))
          : [];
      const values = variables.length > 0 ? `  ${variables.join(', ')}` : '';
      return `  at ${place(frame.file, frame.line, root)} ${escaped(frame.function ?? '?')}${values}`;
    }),
  ];
}

function shortened(text: string): string {
  return text.length > variableShown ? `${text.slice(0, variableShown)}…` : text;
}

/** Which call returned a value that the failure names. */
function sourceLines({ failed, found, suspects }: DiagnosisFacts, style: CallStyle): string[] {
  const { source } = found;
  const call = source?.calls[0];
  if (!source || !call) return [];
  const { actual, expected } = found.result?.failure ?? failed.failure ?? {};
  const which =
    source.value === actual?.trim()
      ? 'actual'
      : source.value === expected?.trim()
        ? 'expected'
        : 'value';
  const at = suspects.findIndex((suspect) => suspect.call.id === call.id);
  const from =
    at < 0
      ? `${callText(call, style)}  ${callPlace(call, style)}  [${call.id}]`
      : `${style.shortName(call.function)}, suspect ${at + 1}`;
  return [`${which} ${escaped(source.value.slice(0, valueShown))} came from ${from}`];
}

function comparisonLines({ compared, found }: DiagnosisFacts, style: CallStyle): string[] {
  if (!compared) return [];
  const { other, diff } = compared;
  const lines = [
    `first divergence (there = the same test when it passed, session ${other.session.id}):`,
  ];
  const thread = diff.threads.find(({ here, there }) => here && there);
  if (!thread) lines.push('  nothing to compare: no call below one of the tests');
  else if (!thread.order && !thread.values)
    lines.push(`  none: ${counted(thread.compared, 'call')} alike in order and values`);
  else lines.push(...threadLines('  in order', thread, style));
  const only = (side: 'here' | 'there'): string[] =>
    diff.rows
      .filter((row) => row[side === 'here' ? 'there' : 'here'] === null)
      .filter((row) => row[side]?.function !== found.body?.function)
      .slice(0, rowsShown)
      .map(
        (row) =>
          `${escaped(style.shortName(row[side]?.function ?? row.key))} ×${row[side]?.count ?? 0}`,
      );
  for (const side of ['here', 'there'] as const)
    if (only(side).length > 0) lines.push(`  only ${side}: ${listed(only(side))}`);
  return lines;
}

function steps({ found, compared, suspects }: DiagnosisFacts): DiagnosisStep[] {
  const source = suspects[0]?.call ?? found.source?.calls[0];
  const sessionId = found.session.id;
  const query = (wanted: Record<string, unknown>, why: string): DiagnosisStep => ({
    tool: 'debug_query',
    arguments: { sessionId, ...wanted },
    why,
  });
  const wanted: DiagnosisStep[] = [];
  if (found.crash) wanted.push(query({ view: 'crash' }, 'stack and variables where it died'));
  if (source)
    wanted.push(
      query(
        { view: 'events', function: { equals: source.function } },
        'every call of the first suspect',
      ),
    );
  if (found.body) wanted.push(query({ view: 'tree', root: found.body.id }, 'all the test did'));
  if (compared)
    wanted.push(
      query(
        { view: 'diff', other: { sessionId: compared.other.session.id } },
        'compared with the same test when it passed',
      ),
    );
  if (wanted.length === 0) wanted.push(query({ view: 'tree' }, 'what the traced functions did'));
  return wanted.slice(0, 2);
}
