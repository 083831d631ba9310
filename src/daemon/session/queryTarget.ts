import type { Client } from '../request.ts';
import type { QueryTarget } from '../queries.ts';
import type { AnySession } from './sessions.ts';

/** A session as debug_query sees it: read-your-writes while it lives, its file afterwards. */
export function queryTarget(found: AnySession, client: Client): QueryTarget {
  if (found.kind === 'past') {
    const { session } = found;
    return {
      get view() {
        return session.view(client);
      },
      storePath: session.storePath,
      settle: () => Promise.resolve(EVERYTHING),
    };
  }
  const { session } = found;
  return {
    get view() {
      return session.view(client);
    },
    storePath: session.facts.storePath,
    async settle() {
      const settled = await session.settle();
      if (!settled) return EVERYTHING;
      return {
        until: settled.until,
        indexedTo: settled.summary.indexedTo,
        complete: settled.complete,
      };
    },
  };
}

/** A finished session: nothing more comes. */
const EVERYTHING = {
  until: Number.MAX_SAFE_INTEGER,
  indexedTo: Number.MAX_SAFE_INTEGER,
  complete: true,
};
