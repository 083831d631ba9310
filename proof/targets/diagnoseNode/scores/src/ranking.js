export function scoreOf({ points, penalty }) {
  return penalty > 0 ? points - penalty : points;
}

export function ranking(players) {
  return [...players].sort((a, b) => (scoreOf(a) < scoreOf(b) ? 1 : -1));
}
