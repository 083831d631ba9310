export type Zone = 'near' | 'far' | 'island';

const zones: Record<string, Zone> = {
  DE: 'near',
  FR: 'near',
  US: 'far',
  MT: 'island',
  IS: 'island',
};

export function zoneFor(country: string): Zone {
  return zones[country] ?? 'far';
}
