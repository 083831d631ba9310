import type { WantedProbe } from '../../wantedProbe.ts';

/** One place at which an adapter stops threads for all breakpoints there: most adapters know one at a place. */
export interface SharedPlace {
  readonly at: string;
  /** The adapter decides it; undefined where it has none, and where several differ: then each is decided at the stop. */
  readonly condition: string | undefined;
  readonly probes: readonly WantedProbe[];
}

/** Whether a condition holds, or why that cannot be worked out. */
export type Holds = boolean | string;

/** `free`: places at which threads stop without any condition. */
export function sharedPlaces(
  asked: readonly { readonly probe: WantedProbe; readonly at: string }[],
  free: readonly string[],
): SharedPlace[] {
  const places = new Set([...asked.map(({ at }) => at), ...free]);
  return [...places].map((at) => {
    const probes = asked.filter((one) => one.at === at).map(({ probe }) => probe);
    const conditions = new Set(probes.map(({ request }) => request.condition));
    if (free.includes(at)) conditions.add(undefined);
    const [condition] = conditions.size === 1 ? conditions : [];
    return { at, condition, probes };
  });
}

/** Breakpoints of places that a thread has come to: which of them hold there, and why others cannot be decided. */
export async function metAt(
  places: readonly SharedPlace[],
  holds: (condition: string) => Promise<Holds>,
): Promise<{
  readonly met: readonly WantedProbe[];
  readonly undecided: readonly { readonly probe: WantedProbe; readonly why: string }[];
}> {
  const met: WantedProbe[] = [];
  const undecided: { probe: WantedProbe; why: string }[] = [];
  for (const { condition: decided, probes } of places)
    for (const probe of probes) {
      const { condition } = probe.request;
      const isOpen = condition !== undefined && condition !== decided;
      const verdict = isOpen ? await holds(condition) : true;
      if (typeof verdict === 'string') undecided.push({ probe, why: verdict });
      else if (verdict) met.push(probe);
    }
  return { met, undecided };
}
