import { z } from 'zod';

/**
 * The daemon's socket: JSON-RPC 2.0, one message a line, both ways. The first request is the
 * greeting; after it MCP messages and the requests below share the connection.
 */
export const socketMethods = {
  hello: 'strobe/hello',
  status: 'strobe/status',
  end: 'strobe/end',
  /** From the daemon, last: it ends in order. A connection that ends without was cut by its death. */
  ending: 'strobe/ending',
  /** Both ways, without an id: `params` is a message of the Debug Adapter Protocol. */
  dap: 'strobe/dap',
} as const;

/** Bytes of one line. */
export const maxLineBytes = 16 << 20;

export const helloRequest = z.object({
  version: z.string(),
  /** Stable across reconnects of the same proxy or terminal. */
  clientId: z.string().min(1).max(200),
  kind: z.enum(['mcp', 'cli', 'run', 'editor']),
  /** Answers of tools carry their structured form beside the text. */
  structured: z.boolean(),
  /** The form that is shown: a budget is of that, of the larger one where both are. */
  shown: z.enum(['text', 'both']),
  cwd: z.string().min(1),
  env: z.record(z.string(), z.string()),
  umask: z.int().min(0).max(0o777),
  /** Of what it launches: niceness, and its limits by their number (getrlimit(2)); null: none. Absent from clients of before. */
  resources: z
    .object({
      nice: z.int().min(-20).max(19),
      limits: z
        .array(z.object({ soft: z.number().nullable(), hard: z.number().nullable() }))
        .max(32),
    })
    .optional(),
  /** The process whose end means that a terminal session is over; null: none is known. */
  leader: z.object({ pid: z.int(), startTime: z.string() }).nullable(),
});
export type HelloRequest = z.output<typeof helloRequest>;

export interface HelloAnswer {
  readonly version: string;
  /** Milliseconds since 1970 of the daemon's program file as it was started. */
  readonly build: number;
  readonly pid: number;
  readonly busy: boolean;
}

export const endRequest = z.object({
  /** Refuse while a session lives, patterns are staged or another client waits for an answer. */
  onlyIfIdle: z.boolean(),
});
export type EndRequest = z.output<typeof endRequest>;

export interface EndAnswer {
  readonly ending: boolean;
}

export interface SessionFigures {
  readonly running: number;
  /** On disk, running ones included. */
  readonly stored: number;
  readonly storedBytes: number;
}

export interface DaemonStatus {
  readonly version: string;
  readonly pid: number;
  readonly home: string;
  readonly socket: string;
  readonly log: string;
  readonly upMs: number;
  readonly busy: boolean;
  readonly clients: readonly {
    readonly id: string;
    readonly kind: HelloRequest['kind'];
    readonly connections: number;
  }[];
  readonly sessions: SessionFigures;
  /** Resident memory of the daemon itself. */
  readonly memoryBytes: number;
  /** What runs for it, hosts and supervisors, each with its own. */
  readonly children: readonly {
    readonly pid: number;
    readonly name: string;
    readonly bytes: number;
  }[];
  /** Until it ends for want of anybody; null while it is needed. */
  readonly endsInMs: number | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}
