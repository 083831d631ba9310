import { StrobeError } from '../../../model/errors.ts';
import { programAt } from './adapterPaths.ts';
import type { DebugAdapter } from './debugAdapter.ts';
import { delve, findDelve } from './delve.ts';
import { gdb, gdbCure, lldb, lldbCure, named } from './nativeAdapters.ts';

/** It stops Python alone, in the program: what is machine code there is stopped as where nothing is said. */
export const debugpyName = 'debugpy';
/** Strobe's own stopper. */
export const ownStopper = 'strobe';
/** Whichever suits the program. */
export const whatFits = 'fits';

/** What the user's settings say of debuggers of others: paths, or names that are looked for. */
export interface AdapterSettings {
  /** Who stops programs of machine code where a request does not say. */
  readonly use: string;
  readonly delve: string;
  readonly gdb: string;
  readonly lldb: string;
  /** A Python that has debugpy. */
  readonly debugpy: string;
  /** `name=command with arguments`. */
  readonly named: readonly string[];
}

const delveCure = 'go install github.com/go-delve/delve/cmd/dlv@latest';
/** Debian's names of lldb-dap, the newest first. */
const lldbVersions = Array.from({ length: 21 }, (_, at) => `lldb-dap-${40 - at}`);

/** The debugger of this name; null: Strobe's own stopper. Throws BAD_PARAMETER and CANNOT_DEBUG. */
export function adapterNamed(name: string, settings: AdapterSettings): DebugAdapter | null {
  const own = settings.named.map(parted).find((one) => one.name === name);
  if (own) return named(name, own.command);
  switch (name) {
    case ownStopper:
      return null;
    case 'gdb':
      return gdb(found('gdb', [settings.gdb], gdbCure));
    case 'lldb':
      return lldb(found('lldb-dap', [settings.lldb, ...lldbVersions], lldbCure));
    case 'delve': {
      const path = findDelve(settings.delve);
      if (path === null) throw missing('Delve', `Get it by: ${delveCure}.`);
      return delve(path);
    }
    default: {
      const known = [
        ownStopper,
        'gdb',
        'lldb',
        'delve',
        debugpyName,
        ...settings.named.map((one) => parted(one).name),
      ];
      throw new StrobeError(
        'BAD_PARAMETER',
        `No debugger is named "${name}".`,
        `Known: ${known.join(', ')}. Your setting adapters.named adds others.`,
      );
    }
  }
}

function found(name: string, commands: readonly string[], cure: string): string {
  // A path that was given means no other program.
  const [first = ''] = commands;
  const tried = first.includes('/') ? [first] : commands;
  const path = tried.map(programAt).find((one) => one !== null);
  if (path === undefined || path === null) throw missing(`${name} (${first})`, cure);
  return path;
}

function missing(what: string, cure: string): StrobeError {
  return new StrobeError('CANNOT_DEBUG', `${what} is not on this machine.`, cure);
}

function parted(text: string): { readonly name: string; readonly command: readonly string[] } {
  const at = text.indexOf('=');
  return {
    name: text.slice(0, at).trim(),
    command: text
      .slice(at + 1)
      .trim()
      .split(/\s+/),
  };
}
