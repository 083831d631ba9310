import { basename, dirname } from 'node:path';
import { programOn } from '../../../base/paths.ts';

/** Where a program of the user's settings is: at its path, or on the PATH; null: nowhere. */
export function programAt(command: string): string | null {
  if (command.includes('/')) return programOn('', basename(command), [dirname(command)]);
  return programOn(process.env['PATH'] ?? '', command);
}
