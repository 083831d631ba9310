import { rowsOf } from './csv.js';
import { playerFrom } from './player.js';
import { ranking } from './ranking.js';

export function table(text) {
  return ranking(rowsOf(text).map(playerFrom)).map(({ name }, at) => `${at + 1}. ${name}`);
}
