import { push } from './push.js';

export async function sync(remote, names) {
  const results = await Promise.all(names.map((name) => push(remote, name)));
  return {
    stored: results.filter((result) => result.stored).map((result) => result.name),
    failed: results.filter((result) => !result.stored).map((result) => result.name),
  };
}
