import { links } from './links.js';
import { sliceOf } from './pager.js';
import { settings } from './settings.js';

export class Gallery {
  constructor(pictures) {
    this.pictures = pictures;
  }

  rows(page) {
    const shown = sliceOf(this.pictures, page);
    const rows = [];
    while (shown.length > 0) rows.push(shown.splice(0, settings.columns));
    return rows;
  }

  footer(page) {
    return links(this.pictures, page);
  }
}
