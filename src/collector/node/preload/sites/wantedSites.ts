import type { NodeWishes, WantedSite } from '../../../../protocol/nodeTracer.ts';
import { Site } from './site.ts';

/** A breakpoint at a statement of a source file. */
export interface FileSite {
  readonly file: string;
  readonly site: WantedSite;
}

/** Where it is, as the service that reads modules is asked. */
export function placeIn({ file, site }: FileSite) {
  const { line, column, offset, isResult, word } = site;
  return { file, line, column, offset, isResult, word };
}

const byKey = new Map<string, Site>();
/** Those that are wanted now, by key. */
let wanted: ReadonlyMap<string, FileSite> = new Map();

export function wantSites(now: NonNullable<NodeWishes['sites']>): void {
  wanted = new Map(
    Object.entries(now).flatMap(([file, all]) =>
      all.map((site) => [site.key, { file, site }] as const),
    ),
  );
}

export function wantedSites(): ReadonlyMap<string, FileSite> {
  return wanted;
}

/** The same one for all places that it has in this thread. */
export function siteOf({ file, site: asked }: FileSite): Site {
  const known = byKey.get(asked.key);
  if (known) return known;
  const site = new Site(file, asked);
  byKey.set(asked.key, site);
  return site;
}
