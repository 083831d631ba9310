import { constants, openSync, readSync, writeSync } from 'node:fs';
import { keptAnswers } from '../../protocol/keptAnswers.ts';

const { slotDigits, probes } = keptAnswers;
const PLACE_BYTES = 8;
const PART_DIGITS = 8;

/** Where records are, for the processes that read them. An entry may be of a record that is gone: records have their key. */
export class AnswerPlaces {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  put(key: string, place: number): void {
    if (place >= 2 ** 32 - 1) return;
    const slot = Number.parseInt(key.slice(0, slotDigits), 16);
    const part = Number.parseInt(key.slice(slotDigits, slotDigits + PART_DIGITS), 16);
    const known = Buffer.alloc(probes * PLACE_BYTES);
    readSync(this.#file, known, 0, known.length, slot * PLACE_BYTES);
    const entry = Buffer.alloc(PLACE_BYTES);
    entry.writeUInt32LE(place + 1, 0);
    entry.writeUInt32LE(part, 4);
    writeSync(this.#file, entry, 0, PLACE_BYTES, (slot + freeProbe(known, part)) * PLACE_BYTES);
  }
}

/** That of the same key, else an empty one, else the first. */
function freeProbe(known: Buffer, part: number): number {
  for (let probe = 0; probe < probes; probe++) {
    const isFree = known.readUInt32LE(probe * PLACE_BYTES) === 0;
    if (isFree || known.readUInt32LE(probe * PLACE_BYTES + 4) === part) return probe;
  }
  return 0;
}
