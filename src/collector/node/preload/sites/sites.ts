/*
 * Breakpoints at statements. Each is one of the inspector's whose condition records and is never met, so that nothing
 * is held; the condition reads variables in their scope, and runs nothing of the program. A session of the inspector
 * within the process sets them; it listens nowhere, and there is none while no breakpoint is wanted.
 */
import {
  nodeNote,
  type NodeWishes,
  type PlacesAnswer,
  type RewriteRequest,
  type SiteNote,
  type Unwritten,
} from '../../../../protocol/nodeTracer.ts';
import { monotonicNs } from '../../../../base/clock.ts';
import { theAddon } from '../addon.ts';
import { parseJson, toJson } from '../intrinsics.ts';
import { LiveDebugger, type Location, type Script } from '../live/liveDebugger.ts';
import { liveText, placeOf } from '../live/livePlaces.ts';
import type { Moment } from '../expressionValue.ts';
import type { Plan } from '../moduleHooks.ts';
import { isOfOther, isOpen, note } from '../moduleRewriting.ts';
import { textsOf, type RewrittenText } from '../rewrittenText.ts';
import { readerOf } from '../stops/readFrame.ts';
import { Standing } from '../stops/standing.ts';
import type { Site } from './site.ts';
import { placeIn, siteOf, wantedSites, wantSites, type FileSite } from './wantedSites.ts';
import { isLeftOut, isWrittenInto, switchWritten } from './writtenSites.ts';

/** What a breakpoint's condition calls `$strobe` with. */
export const siteKey = 'site';

/** By the number that conditions have. */
const sites: Site[] = [];
const numbers = new Map<Site, number>();
let last = '[{},[]]';
/** V8 has one breakpoint at a location: its condition asks all of ours there. */
interface Spot {
  readonly at: Location;
  /** By key. */
  readonly conditions: Map<string, string>;
  /** Null: V8 has none. */
  id: string | null;
}

/** By script and location. */
const spots = new Map<string, Spot>();
/** By script: where breakpoints are by key; null: there can be none. */
const placed = new Map<string, Map<string, Spot | null>>();
let isBeginning = false;
const standing = new Standing();
const tracer = new LiveDebugger((script) => {
  if (!isBeginning) place(script);
}, standing);

/** These are wanted and no others. */
export function setSites(
  now: NonNullable<NodeWishes['sites']>,
  raises: NonNullable<NodeWishes['raises']>,
): void {
  const text = toJson([now, raises]);
  if (text === last) return;
  last = text;
  standing.raises.want(raises);
  wantSites(now);
  switchWritten();
  const wanted = wantedSites();
  if (wanted.size + raises.length === 0 && !standing.isBusy) {
    placed.clear();
    spots.clear();
    tracer.end();
    return;
  }
  isBeginning = true;
  tracer.begin();
  isBeginning = false;
  tracer.stopAtExceptions(standing.raises.state);
  for (const known of placed.values())
    for (const [key, spot] of known) {
      if (wanted.has(key)) continue;
      if (spot?.conditions.delete(key)) renew(spot);
      known.delete(key);
    }
  for (const script of tracer.scripts) place(script);
}

/** This thread is to stand still; `untilMs`: what comes later is over. Answers whether where it is. */
export function pauseThread([isIdle, number, untilMs]: readonly unknown[]): boolean {
  if (typeof number !== 'number' || Number(monotonicNs() / 1_000_000n) > Number(untilMs))
    return false;
  isBeginning = true;
  tracer.begin();
  isBeginning = false;
  return standing.pause(number, isIdle === true, tracer);
}

/** Sets the breakpoints that a script has not got yet. */
function place(script: Script): void {
  const { id, path, isMapped } = script;
  if (!isOpen(path)) return;
  const known = placed.get(id) ?? new Map<string, Spot | null>();
  const fresh = [...wantedSites().values()].filter(
    ({ file, site }) => !known.has(site.key) && (isMapped || file === path),
  );
  if (fresh.length === 0) return;
  placed.set(id, known);
  const running = tracer.textOf(script);
  const rewritten = textsOf(path).find((one) => isMadeOf(running, one));
  const left = fresh.filter(({ site: { key } }) => {
    if (!rewritten || !isWrittenInto(rewritten.key, key)) return true;
    known.set(key, null);
    tell({ key, isWritten: true });
    return false;
  });
  if (left.length > 0) placeAll(script, left, { running, rewritten, known });
}

interface Running {
  readonly running: string;
  readonly rewritten: RewrittenText | undefined;
  readonly known: Map<string, Spot | null>;
}

function placeAll(
  { id, path, isModule }: Script,
  fresh: readonly FileSite[],
  { running, rewritten, known }: Running,
): void {
  const text = rewritten?.original ?? running;
  const asked = fresh.map((one) => placeIn(one));
  const answer = placesIn({
    path,
    format: isModule ? 'module' : 'commonjs',
    text,
    sites: asked,
  });
  const { starts } = liveText(running);
  for (const [i, { file, site }] of fresh.entries()) {
    const found = 'places' in answer ? answer.places[i] : null;
    if (!found) {
      known.set(site.key, null);
      if (file === path) tell({ key: site.key, why: whyNowhere(answer, path) });
      continue;
    }
    const at = rewritten?.offsets.rewritten(found.offset) ?? found.offset;
    // What an arrow function gives is returned by a statement of ours.
    const begin = found.isResult && rewritten ? resultBefore(running, at) : at;
    const spot = spotAt(placeOf(id, starts, begin));
    spot.conditions.set(site.key, conditionOf(siteOf({ file, site }), found.names));
    renew(spot);
    known.set(site.key, spot);
    if (spot.id === null) tell({ key: site.key, why: 'V8 has no place for a breakpoint there.' });
    else tell({ key: site.key, ...unwritten(site, rewritten) });
  }
}

function unwritten(
  { key, stops }: FileSite['site'],
  rewritten: RewrittenText | undefined,
): { readonly unwritten?: Unwritten } {
  if (stops === true) return {};
  if (!rewritten) return { unwritten: 'loaded' };
  if (isOfOther(rewritten.key)) return { unwritten: 'otherThread' };
  return { unwritten: isLeftOut(rewritten.key, key) ? 'noPlace' : 'loaded' };
}

function placesIn(request: RewriteRequest): PlacesAnswer {
  const said = theAddon().ask(toJson(request));
  if (said === undefined) return { why: 'the daemon does not answer' };
  return parseJson(said) as PlacesAnswer;
}

function whyNowhere(answer: PlacesAnswer, path: string): string {
  return 'why' in answer
    ? `The text that runs cannot be read: ${answer.why}.`
    : `${path} was changed as it was loaded, and no source map leads back to the statement.`;
}

const ownResult = /^return \$s\d*_r=/;

/** Breakpoints that are written into the text return what they read between it and the expression. */
function resultBefore(running: string, at: number): number {
  let begin = running.lastIndexOf('return', at);
  while (begin > 0 && !ownResult.test(running.slice(begin, at)))
    begin = running.lastIndexOf('return', begin - 1);
  return begin;
}

function numberOf(site: Site): number {
  const known = numbers.get(site);
  if (known !== undefined) return known;
  numbers.set(site, sites.length);
  return sites.push(site) - 1;
}

/** By its key: Node takes types away afterwards, which moves nothing, and may put a comment at the end. */
function isMadeOf(running: string, { key }: RewrittenText): boolean {
  return running.includes(`=$strobe(${key},`) || running.includes(`=$strobe(${key})`);
}

/** A call returns: what always holds there is looked at. */
export function checkReturn({ checks, file }: Plan, moment: Moment): void {
  for (const asked of checks) siteOf({ file, site: asked }).look(moment);
}

/** Names that the text does not have stay unread. */
function conditionOf(site: Site, there: readonly string[]): string {
  const known = new Set([...there, 'this']);
  const reader = readerOf(site.asked.names, (name) => known.has(name));
  return `$strobe('${siteKey}',${numberOf(site)},${reader})`;
}

function spotAt(at: Location): Spot {
  const key = `${at.scriptId}:${at.lineNumber}:${at.columnNumber}`;
  const known = spots.get(key);
  if (known) return known;
  const spot: Spot = { at, conditions: new Map(), id: null };
  spots.set(key, spot);
  return spot;
}

/** Each is asked, whatever the others say. */
function renew(spot: Spot): void {
  if (spot.id !== null) tracer.remove(spot.id);
  const conditions = [...spot.conditions.values()];
  spot.id = conditions.length === 0 ? null : tracer.set(spot.at, conditions.join('|'));
}

function tell(told: SiteNote): void {
  note(nodeNote.site, toJson(told));
}

/** A breakpoint is reached; answers whether the thread is to stand still. `ownFunction`: what a reader gives for a name that is not there. */
export function hitSite([index, read]: readonly unknown[], ownFunction: unknown): boolean {
  const site = typeof index === 'number' ? sites[index] : undefined;
  if (!site || typeof read !== 'function' || !wantedSites().has(site.asked.key)) return false;
  const { key, stops } = site.asked;
  const stands = site.hit(read as (name: number) => unknown, ownFunction) && stops === true;
  if (stands) standing.comes(key);
  return stands;
}
