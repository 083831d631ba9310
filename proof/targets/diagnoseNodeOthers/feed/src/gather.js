import { read } from './sources.js';

export async function gather(names) {
  const found = [];
  await Promise.all(
    names.map(async (name) => {
      found.push(await read(name));
    }),
  );
  return found;
}
