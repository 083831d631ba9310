const near = ['AT', 'BE', 'CH', 'DE', 'DK'];
const far = ['AU', 'JP', 'NZ'];

export type Zone = 'home' | 'near' | 'far' | 'other';

export function zoneOf(country: string, home = 'DE'): Zone {
  if (near.includes(country)) return 'near';
  if (country === home) return 'home';
  return far.includes(country) ? 'far' : 'other';
}
