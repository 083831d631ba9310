import { ContextWriter, type CallContext } from './callContexts.ts';
import { aboutFacts, type ExportAbout, type ExportFormat, type ExportTotals } from './port.ts';

/**
 * A flame graph as one SVG without scripts: time from left to right (summed, not in order),
 * callers above what they call; hovering a frame tells its figures.
 */
export const flameGraph: ExportFormat = {
  name: 'flamegraph',
  extension: 'svg',
  mediaType: 'image/svg+xml',
  order: 'thread',
  holdsEvents: false,
  holdsWatched: false,
  endsOpen: true,
  begins: /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<!-- strobe flame graph -->/,
  shownBy: 'any browser',
  isForBrowsers: true,
  open: (about) => new FlameGraph(about),
};

const WIDTH = 1200;
const ROW = 17;
const TOP = 40;
/** Narrower frames cannot be seen. */
const LEAST_WIDTH = 0.2;
const CHARACTER = 6.6;

interface Frame {
  readonly context: CallContext;
  readonly x: number;
  readonly width: number;
  readonly row: number;
  readonly totalNs: number;
}

class FlameGraph extends ContextWriter {
  readonly #about: ExportAbout;
  #hidden = 0;

  constructor(about: ExportAbout) {
    super(about);
    this.#about = about;
  }

  override begin(): string {
    return '<?xml version="1.0" encoding="UTF-8"?>\n<!-- strobe flame graph -->\n';
  }

  *end(totals: ExportTotals): Generator<string> {
    const whole = new Map<CallContext, number>();
    const { roots } = this.contexts;
    const totalNs = roots.reduce((sum, root) => sum + addUp(root, whole), 0);
    const scale = WIDTH / Math.max(1, totalNs);
    const frames = this.#layOut(roots, whole, scale);
    const rows = frames.reduce((most, { row }) => Math.max(most, row + 1), 1);
    const { sessionId, command } = this.#about;
    const title = `${sessionId} · ${command.join(' ')}`;
    const height = TOP + rows * ROW + 10;
    yield `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="11">\n`;
    yield `<metadata>${xml(JSON.stringify({ ...aboutFacts(this.#about), totals, notes: [...this.#about.notes, ...this.notes] }))}</metadata>\n`;
    yield `<rect width="100%" height="100%" fill="#fff"/>\n<text x="6" y="16" font-size="13">${xml(title)}</text>\n`;
    yield `<text x="6" y="31">${xml(`${totals.calls} calls, ${timeText(totalNs)}; callers above what they call${this.#hidden > 0 ? `; ${this.#hidden} frames too narrow to see are left out` : ''}`)}</text>\n`;
    for (const frame of frames) yield drawn(frame, totalNs);
    yield '</svg>\n';
  }

  override get notes(): readonly string[] {
    const hidden =
      this.#hidden > 0 ? [`${this.#hidden} frames too narrow to see are left out.`] : [];
    return [...super.notes, ...hidden];
  }

  #layOut(
    roots: readonly CallContext[],
    whole: ReadonlyMap<CallContext, number>,
    scale: number,
  ): Frame[] {
    const frames: Frame[] = [];
    const place = (contexts: readonly CallContext[], left: number, row: number): void => {
      let x = left;
      for (const context of contexts.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        const totalNs = whole.get(context) ?? 0;
        const width = totalNs * scale;
        if (width < LEAST_WIDTH) {
          this.#hidden += 1;
          continue;
        }
        frames.push({ context, x, width, row, totalNs });
        place([...context.children.values()], x, row + 1);
        x += width;
      }
    };
    place(roots, 0, 0);
    return frames;
  }
}

/** The time of each context with all below it. */
function addUp(context: CallContext, whole: Map<CallContext, number>): number {
  let total = context.selfNs;
  for (const child of context.children.values()) total += addUp(child, whole);
  whole.set(context, total);
  return total;
}

function drawn({ context, x, width, row, totalNs }: Frame, ofNs: number): string {
  const { name, calls, selfNs } = context;
  const y = TOP + row * ROW;
  const share = ((totalNs / Math.max(1, ofNs)) * 100).toFixed(2);
  const figures =
    calls === 0
      ? `thread ${name}: ${timeText(totalNs)}, ${share} %`
      : `${name}: ${timeText(totalNs)}, ${share} %, self ${timeText(selfNs)}, ${calls} call${calls === 1 ? '' : 's'}`;
  const room = Math.floor((width - 4) / CHARACTER);
  const label = room < 3 ? '' : name.length <= room ? name : `${name.slice(0, room - 1)}…`;
  const text =
    label === '' ? '' : `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${xml(label)}</text>`;
  return `<g><title>${xml(figures)}</title><rect x="${x.toFixed(2)}" y="${y}" width="${Math.max(0.1, width - 0.3).toFixed(2)}" height="${ROW - 1}" fill="${colour(name)}"/>${text}</g>\n`;
}

function timeText(ns: number): string {
  if (ns >= 1e9) return `${(ns / 1e9).toFixed(2)} s`;
  if (ns >= 1e6) return `${(ns / 1e6).toFixed(2)} ms`;
  return ns >= 1e3 ? `${(ns / 1e3).toFixed(2)} µs` : `${ns} ns`;
}

/** Warm, and the same for a name in every graph. */
function colour(name: string): string {
  let hash = 7;
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) >>> 0;
  return `hsl(${hash % 50},${70 + ((hash >>> 8) % 25)}%,${60 + ((hash >>> 16) % 14)}%)`;
}

/** As text of an XML document: characters XML cannot hold are replaced. */
function xml(text: string): string {
  const marked = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  // oxlint-disable-next-line no-control-regex -- names come from the target.
  return marked.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}
