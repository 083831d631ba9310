import { isSystemPath } from '../../base/systemPaths.ts';
import { imageOf } from '../../collector/program/image.ts';
import type { SessionContext } from '../session/sessionContext.ts';

/** The program of a path whose next process can be entered, so that its end is explained; null: it cannot. */
export async function explainableImage(
  { facts, services }: SessionContext,
  path: string,
): Promise<string | null> {
  const image = await imageOf(path);
  if (!facts.limits.blackBox || facts.follow === 'none' || image === null) return null;
  const { runtimes } = services;
  if (!runtimes.keepsCrashes(await runtimes.claimsOf(image.path))) return null;
  return isSystemPath(image.path) ? null : image.path;
}
