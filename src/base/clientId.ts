/**
 * Who owns sessions: one MCP connection, the commands of one terminal, or one `strobe run`. The
 * last has the id of its terminal's commands in front, so that these find what it recorded.
 */
export function runOf(terminal: string, name: string): string {
  return `${terminal}/${name}`;
}

/** Whether a session of `owner` is one of `client`'s own, or of a `strobe run` of its terminal. */
export function isOwnOf(client: string, owner: string): boolean {
  return owner === client || owner.startsWith(`${client}/`);
}
