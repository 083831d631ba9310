import { randomBytes } from 'node:crypto';
import { runOf } from '../base/clientId.ts';
import { statFields } from '../base/proc.ts';
import type { HelloRequest } from '../protocol/socket.ts';
import { environment, resources } from './inherited.ts';

/** Who we say we are. */
export function greeting(
  kind: HelloRequest['kind'],
  version: string,
  shown: HelloRequest['shown'],
  structured = true,
): HelloRequest {
  const unique = `${kind}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const { id, leader } = terminal();
  const clientIds = { mcp: unique, cli: id, run: runOf(id, unique), editor: unique };
  return {
    version,
    clientId: clientIds[kind],
    kind,
    structured,
    shown,
    cwd: process.cwd(),
    env: environment(),
    umask: process.umask(),
    resources: resources(),
    leader: kind === 'cli' ? leader : null,
  };
}

/**
 * Commands of one terminal belong together: they are known by its session (setsid(2)) and end
 * with its leader. Without a terminal (scripts, tools that run one command each) all commands of
 * the user are one client.
 */
function terminal(): { id: string; leader: HelloRequest['leader'] } {
  const own = statFields('self');
  const session = Number(own?.[3] ?? 0);
  const hasTerminal = Number(own?.[4] ?? 0) !== 0;
  const startTime = hasTerminal ? statFields(session)?.[19] : undefined;
  if (startTime === undefined) return { id: 'cli', leader: null };
  return { id: `cli-${session}-${startTime}`, leader: { pid: session, startTime } };
}
