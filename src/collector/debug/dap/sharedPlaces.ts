import type { WantedProbe } from '../../wantedProbe.ts';

/** One address at which an adapter stops threads for all breakpoints there: most adapters know one at an address. */
export interface SharedPlace {
  readonly address: bigint;
  /** The adapter decides it; undefined where it has none, and where several differ: then each is decided at the stop. */
  readonly condition: string | undefined;
  readonly probes: readonly WantedProbe[];
}

/** Whether a condition holds, or why that cannot be worked out. */
export type Holds = boolean | string;

/** `free`: addresses at which threads stop without any condition. */
export function sharedPlaces(
  asked: readonly { readonly probe: WantedProbe; readonly address: bigint }[],
  free: readonly bigint[],
): SharedPlace[] {
  const addresses = new Set([...asked.map(({ address }) => address), ...free]);
  return [...addresses].map((address) => {
    const probes = asked.filter((one) => one.address === address).map(({ probe }) => probe);
    const conditions = new Set(probes.map(({ request }) => request.condition));
    if (free.includes(address)) conditions.add(undefined);
    const [condition] = conditions.size === 1 ? conditions : [];
    return { address, condition, probes };
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
