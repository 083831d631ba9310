import { pageCount } from './pager.js';

export function links(pictures, current) {
  const found = [];
  for (let page = 1; page <= pageCount(pictures.length); page++)
    found.push(page === current ? `[${page}]` : String(page));
  return found.join(' ');
}
