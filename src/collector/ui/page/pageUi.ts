import { monotonicMs } from '../../../base/clock.ts';
import { pause } from '../../../base/deadline.ts';
import { StrobeError } from '../../../model/errors.ts';
import { changes } from '../../../model/ui/elementLine.ts';
import type { UiDone, UiOrder, UiTree } from '../../../model/ui/element.ts';
import type { ShownWindow } from '../../../model/ui/shownWindow.ts';
import type { Mark } from '../annotate.ts';
import { answered, outcome } from '../effects.ts';
import { ElementIds } from '../elementIds.ts';
import { elementsOf } from '../elements.ts';
import type { Picture } from '../picture.ts';
import { pathTo, type Reading } from '../reading.ts';
import { Rest, viewOf, type Outcome } from '../rest.ts';
import type { Marks, ShownUi } from '../shownUi.ts';
import type { Widget } from '../atspi/widget.ts';
import type { PagePipes } from './chromium.ts';
import { fieldsOf, textOf } from './devtoolsPipe.ts';
import { boxOf, PageActions } from './pageActions.ts';
import { dialogWidget } from './pageDialogs.ts';
import { readPage } from './pageFrames.ts';
import { Pages } from './pages.ts';
import { pixelsOfPng } from './pngPixels.ts';

const TURN_MS = 50;
/** So long an effect may take to be seen. */
const LATE_MS = 1000;
/** So long a page that changed may change further. */
const MOST_MS = 3000;
const shape = `JSON.stringify({ title: document.title, width: innerWidth, height: innerHeight })`;
/** Where an element, what is in it, and what it is in are scrolled to. */
const scrolled = `function () {
  const places = [...(this.querySelectorAll?.('*') ?? [])];
  for (let one = this; one; one = one.parentNode ?? one.host ?? one.defaultView?.frameElement)
    places.push(one);
  return places.map(({ scrollTop, scrollLeft }) => scrollTop + ' ' + scrollLeft).join();
}`;
const scrolledPage = `scrollX + ' ' + scrollY`;
const scrollPlace = 'scrolled';

interface Look {
  readonly reading: Reading;
  readonly scrolled: string;
}

/** The pages of a program of Chromium: reads them, and acts on them as a person would. */
export class PageUi implements ShownUi {
  readonly #pages: Pages;
  readonly #ids = new ElementIds();
  readonly #rest = new Rest();
  #last: Reading | null = null;

  constructor(pipes: PagePipes) {
    this.#pages = new Pages(pipes);
  }

  async tree(): Promise<UiTree> {
    return (await this.#read()).tree;
  }

  async act(order: UiOrder): Promise<UiDone> {
    const last = this.#last;
    const before = await this.#look(order);
    const rest = this.#rest;
    if (last !== null) rest.idle(viewOf(last.tree), viewOf(before.reading.tree));
    const beganMs = monotonicMs();
    const means = await new PageActions(this.#pages).carryOut(before.reading, order);
    const judged = (after: Look): Outcome => {
      if (order.action === 'scroll')
        return before.scrolled === after.scrolled
          ? { done: 'noEffect', places: [] }
          : rest.seenAt([scrollPlace]);
      const readings = { before: before.reading, after: after.reading };
      return outcome(order, { ...readings, rest, ignored: new Set() });
    };
    const read = async (): Promise<Look> => this.#look(order);
    const after = await this.#settled(judged, read);
    const view = (look: Look) => viewOf(look.reading.tree).set(scrollPlace, look.scrolled);
    const { reading } = await rest.watch(judged(after), after, { read, view });
    rest.acted();
    const readings = { before: before.reading, after: reading };
    return answered(order, { ...readings, rest }, { ...judged(after), means, beganMs });
  }

  /** What is shown once the effect is surely seen and two readings are alike, or it is late. */
  async #settled(judged: (after: Look) => Outcome, read: () => Promise<Look>): Promise<Look> {
    const began = monotonicMs();
    let before = await read();
    for (;;) {
      await pause(TURN_MS);
      const after = await read();
      const isDone = this.#rest.isSure(judged(after));
      const changed = changes(before.reading.tree, after.reading.tree);
      const isStill = changed.length === 0 && this.#pages.pending === 0;
      const lastedMs = monotonicMs() - began;
      if ((isDone && isStill) || lastedMs > (isDone ? MOST_MS : LATE_MS)) return after;
      before = after;
    }
  }

  async #look(order: UiOrder): Promise<Look> {
    const reading = await this.#read();
    const widget = order.action === 'scroll' ? reading.widgets.get(order.id) : undefined;
    if (widget === undefined) return { reading, scrolled: '' };
    const { bus, path } = widget.reference;
    const page = pathTo(reading, widget)[0]?.reference.bus ?? bus;
    const places = await Promise.all([
      this.#pages.onNode(bus, Number(path), scrolled),
      this.#told(page, scrolledPage),
    ]);
    return { reading, scrolled: places.join('|') };
  }

  async #told(session: string, expression: string): Promise<string> {
    const asked = { expression, returnByValue: true };
    const { result } = await this.#pages.ask('Runtime.evaluate', asked, session);
    return textOf(fieldsOf(result)['value']);
  }

  async #read(): Promise<Reading> {
    if (this.#last === null) await this.#pages.loaded();
    const began = monotonicMs();
    const all = await this.#pages.all();
    const trees = await Promise.all(all.map(async ({ session }) => this.#windowsOf(session)));
    const windows = trees.flat();
    const elements = elementsOf(windows, this.#ids);
    const toolkit = (await this.#pages.product()).replace('/', ' ');
    this.#last = {
      tree: {
        toolkit,
        windows: elements.windows,
        widgets: elements.count,
        unread: 0,
        readMs: Math.round(monotonicMs() - began),
        sight: null,
      },
      widgets: elements.widgets,
      windows,
      toolkits: new Map(windows.map(({ reference }) => [reference.bus, toolkit])),
    };
    return this.#last;
  }

  /** A page that a dialog holds cannot be read: it shows what it showed. */
  async #windowsOf(session: string): Promise<Widget[]> {
    const isHeld = this.#pages.dialogOf(session) !== null;
    const page = isHeld ? null : await readPage(this.#pages, session);
    const dialog = this.#pages.dialogOf(session);
    if (dialog === null) return page === null ? [] : [page];
    const isPage = ({ role, reference }: Widget): boolean =>
      role === 'page' && reference.bus === session;
    const last = page ?? this.#last?.windows.find(isPage) ?? null;
    return [...(last === null ? [] : [last]), dialogWidget(session, dialog)];
  }

  async windows(): Promise<ShownWindow[]> {
    const all = await this.#pages.all();
    return await Promise.all(
      all.map(async ({ session }, id) => {
        const { title, width, height } = fieldsOf(JSON.parse(await this.#told(session, shape)));
        const size = { width: Number(width), height: Number(height) };
        const how = { pid: null, isPopup: false, x: 0, y: 0 };
        return { id, title: textOf(title), ...how, ...size };
      }),
    );
  }

  async picture({ id }: ShownWindow): Promise<Picture> {
    const session = await this.#sessionOf(id);
    const { data } = await this.#pages.ask('Page.captureScreenshot', { format: 'png' }, session);
    return pixelsOfPng(Buffer.from(textOf(data), 'base64'));
  }

  async #sessionOf(id: number): Promise<string> {
    const page = (await this.#pages.all())[id];
    if (page === undefined) throw new StrobeError('NO_WINDOW', 'The page was closed.');
    return page.session;
  }

  async marks({ id, width, height }: ShownWindow): Promise<Marks> {
    const session = await this.#sessionOf(id);
    const { widgets } = await this.#read();
    const marks = [...widgets].map(async ([name, widget]) => {
      const { role, reference } = widget;
      if (reference.bus !== session || role === 'page') return null;
      const box = await boxOf(this.#pages, widget).catch(() => null);
      const isSeen = box !== null && box.x < width && box.y < height && box.x + box.width > 0;
      return isSeen && box.y + box.height > 0 ? { id: name, box: whole(box) } : null;
    });
    return { marks: (await Promise.all(marks)).filter((mark) => mark !== null), ageMs: null };
  }
}

function whole({ x, y, width, height }: Mark['box']): Mark['box'] {
  const [left, top] = [Math.round(x), Math.round(y)];
  return { x: left, y: top, width: Math.round(width), height: Math.round(height) };
}
