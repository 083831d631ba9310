import { nameOf } from './names.js';

export async function saveAll(store, texts) {
  texts.forEach(async (text, index) => {
    await store.write(nameOf(index), text);
  });
  return store.count();
}
