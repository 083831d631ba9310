import { decodeDynamic, type DefinedNames } from '../../model/decoding/dynamic.ts';
import { SecretCutter } from '../../model/decoding/secretCutter.ts';
import { SecretKeys } from '../../model/decoding/secretKeys.ts';
import type { DefinedLanguage } from '../../model/functions/definition.ts';
import type { Value } from '../../model/questions/query.ts';
import { secretIn } from '../../model/values/redaction.ts';

/** Reads values that a process tells besides its records, without secrets. */
export class ToldValues {
  readonly #language: DefinedLanguage;
  readonly #secretNames: readonly string[];
  readonly #names: DefinedNames;
  readonly #keys: SecretKeys;

  /** `names`: what the numbers in its values mean. */
  constructor(language: DefinedLanguage, secretNames: readonly string[], names: DefinedNames) {
    this.#language = language;
    this.#secretNames = secretNames;
    this.#names = names;
    this.#keys = new SecretKeys(secretNames);
  }

  /** The value of what has this name, of its bytes in hexadecimal. */
  value(text: string, name: string | null = null): Value {
    return this.all(text, [name])[0] ?? { kind: 'notCaptured', reason: 'its bytes are missing' };
  }

  /** Of names in their order: their bytes lie one behind the other. */
  all(text: string, names: readonly (string | null)[]): Value[] {
    const bytes = Buffer.from(text, 'hex');
    let at = 0;
    return names.flatMap((name) => {
      if (at >= bytes.length) return [];
      const length = 8 + Math.ceil(bytes.readUInt32LE(at) / 8) * 8;
      const one = bytes.subarray(at, at + length);
      at += length;
      return [this.#one(one, name)];
    });
  }

  #one(bytes: Buffer, name: string | null): Value {
    const secret = name === null ? null : secretIn(name, this.#secretNames);
    const cutter = new SecretCutter(bytes, this.#names, this.#keys);
    cutter.value(0, bytes.length, secret !== null);
    const kept = Buffer.from(cutter.kept(bytes.length) ?? bytes);
    const type = {
      kind: 'dynamic',
      language: this.#language,
      ...(secret === null ? {} : { secret }),
    } as const;
    return decodeDynamic(type, this.#names, kept, 0, kept.length).value;
  }
}
