import { saveAll } from './save.js';
import { Store } from './store.js';

export async function upload(text) {
  const store = new Store();
  const saved = await saveAll(store, text.split('|'));
  return `${saved} parts`;
}
