const abbreviations: Readonly<Record<string, string>> = {
  button: 'btn',
  'toggle button': 'tog',
  'check box': 'chk',
  'radio button': 'rad',
  entry: 'txt',
  text: 'txt',
  'password text': 'pwd',
  'spin button': 'spn',
  slider: 'sld',
  'combo box': 'cmb',
  menu: 'mnu',
  'menu item': 'itm',
  'check menu item': 'itm',
  'radio menu item': 'itm',
  'page tab': 'tab',
  label: 'lbl',
  frame: 'win',
  window: 'win',
  dialog: 'dlg',
  'list item': 'row',
  'tree item': 'row',
  'table cell': 'cel',
  link: 'lnk',
  'progress bar': 'prg',
  'tool bar': 'bar',
  image: 'img',
  icon: 'img',
  heading: 'hdg',
  iframe: 'frm',
};
const MOST_OF_NAME = 24;

interface Known {
  readonly id: string;
  readonly key: string;
}

const MOST_PLACES = 20_000;

/**
 * Gives elements their ids. An object keeps its id for good; one that was made anew in the place of another that is gone
 * gets the other's. No id is ever given to something else.
 */
export class ElementIds {
  /** By the object. */
  readonly #ids = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  /** Who was last at a place in the tree, also of readings before the last. */
  readonly #places = new Map<string, Known>();
  readonly #given = new Set<string>();
  #live: ReadonlySet<string> = new Set();

  /** A reading begins, which finds these objects. */
  begin(live: ReadonlySet<string>): void {
    this.#live = live;
    this.#given.clear();
    for (const place of this.#places.keys()) {
      if (this.#places.size <= MOST_PLACES) break;
      this.#places.delete(place);
    }
  }

  /** `key`: the object; `place`: roles and names of what it is in, and its own. */
  of(key: string, place: string, role: string, name: string): string {
    const id = this.#ids.get(key) ?? this.#inherited(place) ?? this.#made(role, name);
    this.#ids.set(key, id);
    this.#given.add(id);
    this.#places.delete(place); // The newest are kept.
    this.#places.set(place, { id, key });
    return id;
  }

  #inherited(place: string): string | null {
    const before = this.#places.get(place);
    if (before === undefined || this.#live.has(before.key)) return null;
    if (this.#given.has(before.id)) return null;
    this.#ids.delete(before.key);
    return before.id;
  }

  #made(role: string, name: string): string {
    const short = abbreviations[role] ?? slug(role).slice(0, 4);
    const named = slug(name);
    const base = named === '' ? short : `${short}_${named}`;
    const count = (this.#counts.get(base) ?? 0) + 1;
    this.#counts.set(base, count);
    if (named === '') return `${base}${count}`;
    return count === 1 ? base : `${base}_${count}`;
  }
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, MOST_OF_NAME);
}
