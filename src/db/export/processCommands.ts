import type { Sqlite } from '../sqlite.ts';

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
  const rows = db.prepare<[], { pid: number; text: string }>(
    'SELECT pid, text FROM processes ORDER BY time_ns, id',
  );
  for (const { pid, text } of rows.iterate()) {
    const program = /^(?:exec|forked, no exec seen): (.*) \(.*, child of \d+\)$/s.exec(text)?.[1];
    const parent = /^forked by (\d+)$/.exec(text)?.[1];
    const command = program ?? (parent === undefined ? undefined : commands.get(Number(parent)));
    if (command !== undefined) commands.set(pid, command);
  }
  return commands;
}
