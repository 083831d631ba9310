import {
  supervisorSpec,
  supervisorSpecFlag,
  supervisorStdin,
  supervisorWire,
} from '../../protocol/supervisor.ts';
import { StrobeError } from '../../model/errors.ts';

/** What a supervisor is told to start. */
export interface LaunchSpec {
  /** Absolute path given to execve. */
  readonly path: string;
  /** Whole argument vector, argv[0] included. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: 'open' | 'closed';
  /**
   * `inherit`: the supervisor's own fds 0–2 and process group; output is not captured. A size: a
   * pseudo-terminal, whose output counts as stdout; `stdin` must be open then.
   */
  readonly stdio: 'pipes' | 'inherit' | TerminalSize;
  /** Leave the target stopped before its first instruction. */
  readonly stopAtExec: boolean;
  /** See the programs that the tree executes, and hold those that are wanted. Default false. */
  readonly follow?: boolean;
  /** A stopped target that nobody claims is let go after this long; 0 = never. Default 60,000. */
  readonly releaseMs?: number;
  /** Default: the supervisor's own. */
  readonly umask?: number;
  /** Default: the supervisor's own. Limits by their number; null: none. */
  readonly resources?: Resources | null;
  /** Bit n: of 0 to 2, which the target shares with the supervisor, n is closed in it. Default: none. */
  readonly closedStreams?: number;
  /** Bit n-1: the target begins with signal n ignored. Default: none. */
  readonly ignoredSignals?: number;
  /** Bound of the output log in bytes; default 1 GiB. What comes after is counted as lost. */
  readonly maxLogBytes?: number;
}

export interface Resources {
  readonly nice: number;
  readonly limits: readonly { readonly soft: number | null; readonly hard: number | null }[];
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

const defaultReleaseMs = 60_000;
const defaultLogBytes = 1 << 30;
/** RLIM_INFINITY */
const noLimit = 0xffff_ffff_ffff_ffffn;

/** The bytes a supervisor reads from fd 3. BAD_PARAMETER when a text holds a NUL or all is too long. */
export function encodeLaunchSpec(spec: LaunchSpec): Buffer {
  const env = Object.entries(spec.env).map(([name, value]) => `${name}=${value}`);
  const fixed = Buffer.alloc(supervisorSpec.bytes);
  const flags =
    (spec.stopAtExec ? supervisorSpecFlag.stopAtExec : 0) |
    (spec.follow === true ? supervisorSpecFlag.follow : 0) |
    (spec.stdio === 'inherit' ? supervisorSpecFlag.inherit : 0) |
    (typeof spec.stdio === 'object' ? supervisorSpecFlag.terminal : 0);
  const size = typeof spec.stdio === 'object' ? spec.stdio : { columns: 0, rows: 0 };
  fixed.writeUInt32LE(supervisorWire.specMagic, supervisorSpec.magic);
  fixed.writeUInt32LE(supervisorWire.version, supervisorSpec.version);
  fixed.writeUInt32LE(flags, supervisorSpec.flags);
  fixed.writeUInt32LE(supervisorStdin[spec.stdin], supervisorSpec.stdin);
  fixed.writeUInt32LE(spec.releaseMs ?? defaultReleaseMs, supervisorSpec.releaseMs);
  fixed.writeUInt32LE(spec.umask ?? 0xffffffff, supervisorSpec.umask);
  fixed.writeBigUInt64LE(BigInt(spec.maxLogBytes ?? defaultLogBytes), supervisorSpec.maxLogBytes);
  fixed.writeUInt32LE(spec.argv.length, supervisorSpec.argCount);
  fixed.writeUInt32LE(env.length, supervisorSpec.envCount);
  fixed.writeUInt32LE(size.columns, supervisorSpec.columns);
  fixed.writeUInt32LE(size.rows, supervisorSpec.rows);
  fixed.writeUInt32LE(spec.ignoredSignals ?? 0, supervisorSpec.ignoredSignals);
  fixed.writeInt32LE(spec.resources?.nice ?? supervisorWire.noNice, supervisorSpec.nice);
  fixed.writeUInt32LE(spec.closedStreams ?? 0, supervisorSpec.closedStreams);
  const limits = spec.resources?.limits.slice(0, supervisorWire.limits) ?? [];
  fixed.writeUInt32LE(limits.length, supervisorSpec.limitCount);
  for (const [index, { soft, hard }] of limits.entries())
    for (const [at, value] of [soft, hard].entries())
      fixed.writeBigUInt64LE(
        value === null ? noLimit : BigInt(value),
        supervisorSpec.limits + 16 * index + 8 * at,
      );
  const bytes = Buffer.concat([fixed, ...[spec.path, spec.cwd, ...spec.argv, ...env].map(text)]);
  if (bytes.length > supervisorWire.maxSpecBytes) {
    throw new StrobeError('BAD_PARAMETER', 'Arguments and environment together exceed 8 MB.');
  }
  return bytes;
}

function text(value: string): Buffer {
  if (value.includes('\0')) {
    throw new StrobeError(
      'BAD_PARAMETER',
      `${JSON.stringify(value.slice(0, 80))} holds a NUL character.`,
    );
  }
  const bytes = Buffer.from(`${value}\0`);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length - 1);
  return Buffer.concat([length, bytes]);
}
