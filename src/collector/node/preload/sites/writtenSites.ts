/*
 * Breakpoints that were known before their module was loaded: its text calls them itself. One that is wanted no longer
 * is asked for by its byte alone.
 */
import type { RewriteRequest } from '../../../../protocol/nodeTracer.ts';
import type { Site } from './site.ts';
import { placeIn, siteOf, wantedSites, type FileSite } from './wantedSites.ts';

/** What the text of a module calls its breakpoints with. */
export interface ProbeHooks {
  /** A byte for each: whether it is wanted. */
  readonly probes: Uint8Array;
  /** `read`: what the variables are, by their number; the hook itself stands for one that is not there. */
  probe(index: number, read: (name: number) => unknown): void;
}

interface WrittenModule extends ProbeHooks {
  readonly sites: readonly (Site | null)[];
  /** Keys of those that it was made without, though they were wanted. */
  readonly left: ReadonlySet<string>;
}

/** By key of the module. */
const modules = new Map<string, WrittenModule>();

/** Breakpoints that a text may hold; those at which threads stand still are left to the inspector. */
export function probesFor(path: string, text: string): readonly FileSite[] {
  const isMapped = text.includes('sourceMappingURL=');
  return [...wantedSites().values()].filter(
    ({ file, site }) => site.stops !== true && (isMapped || file === path),
  );
}

/** As the service that rewrites modules is asked for them. */
export function asked(probes: readonly FileSite[]): Pick<RewriteRequest, 'probes'> {
  if (probes.length === 0) return {};
  return { probes: probes.map((one) => ({ ...placeIn(one), names: one.site.names })) };
}

/** A text was made with these wanted: it holds those that are written. */
export function keepWritten(
  key: string,
  probes: readonly FileSite[],
  isWritten: readonly boolean[] = [],
): void {
  if (probes.length === 0) return;
  const sites = probes.map((one, i) => (isWritten[i] === true ? siteOf(one) : null));
  const bytes = new Uint8Array(sites.length);
  const probe = (index: number, read: (name: number) => unknown): void => {
    sites[index]?.hit(read, probe);
  };
  const left = probes.flatMap(({ site }, i) => (isWritten[i] === true ? [] : [site.key]));
  const module = { sites, left: new Set(left), probes: bytes, probe };
  modules.set(key, module);
  switchProbes(module);
}

/** What is wanted has changed. */
export function switchWritten(): void {
  for (const module of modules.values()) switchProbes(module);
}

function switchProbes({ sites, probes }: WrittenModule): void {
  const wanted = wantedSites();
  for (const [i, site] of sites.entries())
    probes[i] = site !== null && wanted.has(site.asked.key) ? 1 : 0;
}

export function hooksOfProbes(key: number): ProbeHooks | undefined {
  return modules.get(String(key));
}

/** It was wanted when the text of the module with this key was made, and is not in it. */
export function isLeftOut(key: string, siteKey: string): boolean {
  return modules.get(key)?.left.has(siteKey) ?? false;
}

/** The text of the module with this key calls the breakpoint itself. */
export function isWrittenInto(key: string, siteKey: string): boolean {
  return modules.get(key)?.sites.some((site) => site?.asked.key === siteKey) ?? false;
}
