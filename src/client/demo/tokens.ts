import { member } from './toolCaller.ts';

// Not a literal in the import, so that the bundled client, which starts with every command, does
// not carry the vocabulary.
const vocabulary = 'gpt-tokenizer/encoding/o200k_base';

/** Loads the o200k vocabulary (about 200 ms) and returns the function that counts tokens. */
export async function loadTokenCounter(): Promise<(text: string) => number> {
  const loaded: unknown = await import(vocabulary);
  const count = member(loaded, 'countTokens');
  if (typeof count !== 'function') throw new Error(`${vocabulary} has no countTokens.`);
  return (text) => {
    const counted: unknown = Reflect.apply(count, undefined, [
      text,
      { disallowedSpecial: new Set() },
    ]);
    return Number(counted);
  };
}
