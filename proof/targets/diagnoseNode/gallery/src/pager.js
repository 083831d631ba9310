import { settings } from './settings.js';

export function pageCount(pictures) {
  return Math.floor(pictures / settings.perPage) + 1;
}

export function sliceOf(pictures, page) {
  const from = (page - 1) * settings.perPage;
  return pictures.slice(from, from + settings.perPage);
}
