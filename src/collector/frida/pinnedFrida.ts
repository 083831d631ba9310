import { readFileSync } from 'node:fs';
import type { InstallPaths } from '../../base/installPaths.ts';

/** The version of Frida that is installed and used; null when the installation does not say. */
export function pinnedFrida({ fridaRequirements }: InstallPaths): string | null {
  try {
    return /^frida==(\S+)/m.exec(readFileSync(fridaRequirements, 'utf8'))?.[1] ?? null;
  } catch {
    return null; // The file is missing.
  }
}
