import { newest } from './newest.js';
import { releaseFrom } from './release.js';

export function notice(lines) {
  const release = newest(lines.map(releaseFrom));
  return `Update to ${release.name} of ${release.date}`;
}
