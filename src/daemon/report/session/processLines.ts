import type { ProcessesView, ProcessView, SessionView } from '../../../model/session.ts';
import { escaped } from '../../../base/visible.ts';
import { shortened } from '../answers/clip.ts';
import { describeExit } from '../../../model/endings/exitText.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import { commandText } from '../text/placeText.ts';
import { duration } from '../text/timeText.ts';

const commandShown = 60;
const mostUntraced = 4;

/**
 * The processes of a session's tree as lines; nothing for one that has only its main process, unless that became a
 * program which is untraced for a reason. `level` 0 is the least.
 */
export function processLines({ processes, now }: SessionView, level: number): string[] {
  const total = processes.running + processes.ended;
  if (total < 2) return untraced(processes).map((one) => processText(one, now));
  const shown = shownProcesses(processes, level);
  const rest = total - shown.reduce((sum, { alike }) => sum + alike, 0);
  const failed = processes.failed > 0 ? `, ${grouped(processes.failed)} of them failed` : '';
  return [
    `${grouped(total)} processes: ${grouped(processes.running)} running, ${grouped(processes.ended)} ended${failed}${costText(processes)}`,
    ...shown.map((one) => `  ${processText(one, now)}`),
    ...(rest > 0
      ? [`  … ${grouped(rest)} more: debug_query {"eventType":["process"]} lists all`]
      : []),
  ];
}

/** The same as the output schema has it, as a member of an answer. */
export function processesTwin({ processes }: SessionView, level: number): object {
  if (processes.running + processes.ended < 2 && untraced(processes).length === 0) return {};
  const twin = {
    running: processes.running,
    ended: processes.ended,
    failed: processes.failed,
    ...(processes.followed && {
      executed: processes.followed.programs,
      waitedMs: Math.round(processes.followed.waitedNs / 1e4) / 100,
    }),
    shown: shownProcesses(processes, level).map((one) => ({
      pid: one.pid,
      parent: one.parent,
      command: shortened(commandText(one.command), commandShown * 2),
      ...(one.alike > 1 ? { alike: one.alike } : {}),
      running: one.ended === null,
      exit: one.ended?.exit ?? null,
      hooked: one.tracing.kind === 'traced' ? one.tracing.hooked : null,
      ...(one.tracing.kind === 'untraced' && one.tracing.reason !== null
        ? { untraced: one.tracing.reason }
        : {}),
    })),
  };
  return { processes: twin };
}

/** Processes whose program is untraced for a reason that is known, as lines. */
export function untracedLines({ processes, now }: SessionView): string[] {
  return untraced(processes)
    .slice(0, mostUntraced)
    .map((one) => processText(one, now));
}

function untraced({ shown }: ProcessesView): readonly ProcessView[] {
  return shown.filter(({ tracing }) => tracing.kind === 'untraced' && tracing.reason !== null);
}

/** What it costs a program to be followed, which `follow: "none"` would save. */
function costText({ followed }: ProcessesView): string {
  if (!followed) return '';
  const { programs, waitedNs } = followed;
  return ` · following held ${counted(programs, 'exec')} up by ${duration(waitedNs)} in all`;
}

function shownProcesses(processes: ProcessesView, level: number): readonly ProcessView[] {
  return processes.shown.slice(0, 2 + level * 4);
}

function processText(one: ProcessView, now: number): string {
  const command = escaped(shortened(commandText(one.command), commandShown));
  const alike = one.alike > 1 ? ` ×${grouped(one.alike)}` : '';
  const parts = [`${one.pid} ${command}${alike}`, lifeText(one, now)];
  if (one.programs > 1) parts.push(`${one.programs} programs one after the other`);
  if (one.tracing.kind === 'traced') parts.push(`${grouped(one.tracing.hooked)} hooked`);
  else if (one.tracing.reason !== null) parts.push(`untraced: ${escaped(one.tracing.reason)}`);
  return parts.join(' · ');
}

function lifeText({ ended, startedAt }: ProcessView, now: number): string {
  if (ended === null) return `running for ${duration(now - startedAt)}`;
  const how = ended.exit === null ? 'ended, status not seen' : describeExit(ended.exit);
  return `${how} after ${duration(ended.at - startedAt)}`;
}
