import { areaOf } from './area.js';
import { round } from './money.js';

export function rent(rooms, perSquareMetre) {
  const area = rooms.reduce((sum, room) => sum + areaOf(room), 0);
  return round(area * perSquareMetre);
}
