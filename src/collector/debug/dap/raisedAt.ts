import type { Raised } from '../../../model/debug/stop.ts';
import type { WantedProbe } from '../../wantedProbe.ts';
import type { DebugAdapter } from '../adapters/debugAdapter.ts';
import { evaluation, exceptionTold } from './dapAnswers.ts';
import type { DapLink } from './dapLink.ts';
import { raisePlaces } from './dapPlaces.ts';

/** What debugpy puts behind a type whose exception left the frames that are shown. */
const noteOnFrames = /\s+\(note: full exception trace .*\)$/s;

/** What is raised where a thread stands, with the names of its type and those it is derived from. */
export interface RaisedThere extends Raised {
  readonly types: readonly string[];
}

/** An exception that a strand stands at, and the place that stands for it. Throws DapError. */
export async function raisedAt(
  link: DapLink,
  adapter: Pick<DebugAdapter, 'typesRaised'>,
  { threadId, frameId }: { readonly threadId: number; readonly frameId: number | undefined },
): Promise<RaisedThere & { readonly place: number }> {
  const told = await link.ask('exceptionInfo', { threadId }, exceptionTold);
  const args = { expression: adapter.typesRaised, frameId, context: 'repl' };
  const names = await link.ask('evaluate', args, evaluation);
  const types = names.result.replaceAll(/^'|'$/g, '').split(' ');
  const { description: message = null } = told;
  const type = told.exceptionId.replace(noteOnFrames, '');
  const place = told.breakMode === 'unhandled' ? raisePlaces.uncaught : raisePlaces.raised;
  return { type, message, types: [type, ...types], place };
}

/** Whether what is raised is what a breakpoint at exceptions means. `null`: nothing is, and it is at a place in code. */
export function isRaised({ request: { where } }: WantedProbe, raised: RaisedThere | null): boolean {
  if (where.kind !== 'exception' || raised === null || where.type === undefined) return true;
  const pattern = new RegExp(
    `^${where.type.replaceAll(/[.*+?^${}()|[\]\\]/g, (one) => (one === '*' ? '.*' : `\\${one}`))}$`,
  );
  return raised.types.some((type) => pattern.test(type));
}
