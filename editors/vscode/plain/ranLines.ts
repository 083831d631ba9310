import { listMember, member, numberMember } from '../../../src/client/messages.ts';
import type { SourcePlace } from './sourcePlace.ts';
import type { StrobeServer } from './strobeServer.ts';

/** What is shown beside a line of a function whose lines are recorded. */
export interface RanLine {
  readonly place: SourcePlace;
  /** `×3 → k 1, 2, 3`, `did not run`, or `not recorded`. */
  readonly text: string;
}

const mostValues = 4;
const budget = 50_000;

/** The lines of one call, in the file of its function. Throws StrobeFailure. */
export async function ranLines(
  server: StrobeServer,
  { sessionId, root, path }: { sessionId: string; root: string; path: string },
): Promise<RanLine[]> {
  const asked = { view: 'tree', sessionId, root, lines: true, budget };
  const { body } = await server.call('debug_query', asked);
  return listMember(body, 'lines').map((one) => ({
    place: { path, line: numberMember(one, 'line') },
    text: ranText(one),
  }));
}

function ranText(line: unknown): string {
  const times = member(line, 'times');
  if (typeof times !== 'number') return 'not recorded';
  if (times === 0) return 'did not run';
  const left = Object.entries(member(line, 'left') ?? {}).map(
    ([name, values]) => `${name} ${valuesText(values)}`,
  );
  return [`×${times}`, ...(left.length > 0 ? [`→ ${left.join(' · ')}`] : [])].join(' ');
}

/** The first values and the last one. */
function valuesText(values: unknown): string {
  const all = Array.isArray(values) ? values.map(String) : [];
  if (all.length <= mostValues) return all.join(', ');
  return `${all.slice(0, mostValues - 1).join(', ')} … ${all.at(-1) ?? ''}`;
}
