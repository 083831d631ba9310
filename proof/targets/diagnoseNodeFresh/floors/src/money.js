/** To whole cents. */
export function round(value) {
  return Math.round(value * 100) / 100;
}
