import { join } from 'node:path';
import type { Client } from '../request.ts';
import type { WritePlaces } from './writtenFile.ts';

/** Where a client may have files of a session written: its project and our folder; a person's own folder as well. */
export function writePlaces(home: string, projectRoot: string, client: Client): WritePlaces {
  const isPerson = client.kind === 'cli';
  return {
    from: isPerson ? client.cwd : projectRoot,
    folders: [projectRoot, join(home, 'exports'), ...(isPerson ? [client.cwd] : [])],
    drafts: join(home, 'drafts'),
  };
}
