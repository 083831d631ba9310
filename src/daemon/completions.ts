import type { QueryClient } from '../db/queryClient.ts';
import type { TestHistory } from '../db/testHistory.ts';
import { exportFormatNames } from '../model/questions/exportFormat.ts';
import type { Completing } from './daemon.ts';
import type { Client } from './request.ts';
import type { Sessions } from './session/sessions.ts';

/** Functions that are looked through. */
const MOST_FUNCTIONS = 500;
const DEADLINE_MS = 1000;
const everyPattern = ['@usercode', '@file:'];

export interface CompletionParts {
  readonly sessions: Sessions;
  readonly queries: QueryClient;
  readonly history: TestHistory;
}

/** What a parameter of a prompt or resource may be, the likeliest first; what cannot be completed has none. */
export async function completions(
  { sessions, queries, history }: CompletionParts,
  { parameter, begun, given }: Completing,
  client: Client,
): Promise<readonly string[]> {
  switch (parameter) {
    case 'sessionId': {
      const own = sessions.list(client, 'mine', null, null).sessions.map(({ id }) => String(id));
      return beginning([...new Set([...own, ...sessions.ids()])], begun);
    }
    case 'function':
    case 'pattern': {
      const names = await calledFunctions({ sessions, queries }, given['sessionId'], client);
      return beginning([...everyPattern, ...names], begun);
    }
    case 'test': {
      const root = given['projectRoot'];
      const runs = root === undefined ? [] : history.runsOf(root, 1);
      const tests = runs.flatMap(({ framework }) => history.tests(root ?? '', framework));
      return beginning(
        tests.map(({ name }) => name),
        begun,
      );
    }
    case 'format':
      return beginning(exportFormatNames, begun);
    default:
      return [];
  }
}

async function calledFunctions(
  { sessions, queries }: Pick<CompletionParts, 'sessions' | 'queries'>,
  sessionId: string | undefined,
  client: Client,
): Promise<string[]> {
  const id = sessionId ?? sessions.defaultOf(client);
  if (id === null || !sessions.ids().includes(id)) return [];
  const found = sessions.resolve(id, client);
  const path = found.kind === 'live' ? found.session.facts.storePath : found.session.storePath;
  const { rows } = await queries.ask('stats', path, {
    filter: {},
    groupBy: 'function',
    sortBy: 'count',
    limit: MOST_FUNCTIONS,
    until: Number.MAX_SAFE_INTEGER,
    deadlineMs: DEADLINE_MS,
  });
  return rows.flatMap(({ function: name }) => (name === null ? [] : [name]));
}

/** Those that begin so, then those in which a later word does. */
function beginning(texts: readonly string[], begun: string): string[] {
  const wanted = begun.toLowerCase();
  const begins = texts.filter((text) => text.toLowerCase().startsWith(wanted));
  const holds = texts.filter(
    (text) => !begins.includes(text) && text.toLowerCase().includes(wanted),
  );
  return [...begins, ...holds];
}
