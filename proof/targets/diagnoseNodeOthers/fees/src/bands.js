export const bands = [
  { upTo: 100, fee: 2 },
  { upTo: 500, fee: 5 },
  { upTo: Infinity, fee: 9 },
];

export function bandOf(amount) {
  return bands.find((band) => amount < band.upTo);
}
