import { pathToFileURL } from 'node:url';
import { composedMap, inlineMap } from '../../model/rewriting/composedMap.ts';
import { InsertedColumns } from '../../model/rewriting/insertedColumns.ts';
import type { Insert } from '../../model/rewriting/rewrittenModule.ts';
import type { LocatedMap } from './originalSources.ts';

/**
 * A comment for the end of a rewritten text: its source map, which leads to the files that a compiler made the text of,
 * else to the text as it was. `keyLength`: of what stands for the placeholder of the module's key; `located`: the map of
 * the text.
 */
export function rewrittenMap(
  text: string,
  path: string,
  inserts: readonly Insert[],
  keyLength: number,
  located: LocatedMap | null,
): string {
  const columns = new InsertedColumns(text, inserts, '0'.repeat(keyLength));
  const own = located && { ...located.map, sources: located.urls };
  const map = composedMap({ text, file: pathToFileURL(path).href, columns }, own);
  return inlineMap(map, (plain) => Buffer.from(plain).toString('base64'));
}
