import type { Sqlite } from '../sqlite.ts';
import { storedJson } from '../storedJson.ts';

/**
 * What each process of a session runs, or ran last, by pid: of every process that was seen, which a
 * view of the session tells only some of. A process that was forked and executed nothing runs what
 * its parent did.
 */
export function processCommands(
  db: Sqlite,
  main: { readonly pid: number | null; readonly command: readonly string[] },
): ReadonlyMap<number, string> {
  const commands = new Map<number, string>();
  if (main.pid !== null) commands.set(main.pid, main.command.join(' '));
  const rows = db.prepare<[], { pid: number; parent: number; argv: string | null }>(
    `SELECT json ->> 'pid' AS pid, json ->> 'parent' AS parent, json -> 'argv' AS argv FROM life
     WHERE json ->> 'kind' IN ('exec', 'forked', 'forkRecords') ORDER BY id`,
  );
  for (const { pid, parent, argv } of rows.iterate()) {
    const command =
      argv === null ? commands.get(parent) : storedJson<string[]>(argv, 'array').join(' ');
    if (command !== undefined) commands.set(pid, command);
  }
  return commands;
}
