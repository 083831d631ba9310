import { decodeNumbers } from './base64Numbers.ts';
import type { Position, Segment, SourceMap } from './sourceMap.ts';

/** Throws SyntaxError for a text that is no source map. */
export function readSourceMap(text: string): SourceMap {
  // Some servers put this before JSON, so that it is no script.
  const read: unknown = JSON.parse(text.replace(/^\)\]\}'?[^\n]*\n/, ''));
  if (!isRecord(read)) throw new SyntaxError('a source map is an object');
  return Array.isArray(read['sections']) ? joined(read['sections']) : plain(read);
}

function plain(map: Readonly<Record<string, unknown>>): SourceMap {
  const { mappings, sourceRoot } = map;
  if (typeof mappings !== 'string') throw new SyntaxError('a source map has mappings');
  const root =
    typeof sourceRoot === 'string' && sourceRoot !== '' ? sourceRoot.replace(/\/?$/, '/') : '';
  const sources = listOf(map['sources']).map((source) =>
    typeof source === 'string' ? root + source : '',
  );
  const contents = listOf(map['sourcesContent']).map((content) =>
    typeof content === 'string' ? content : null,
  );
  const names = listOf(map['names']).map(String);
  return { sources, contents, names, lines: linesOf(mappings) };
}

/** Fields of a segment: column, source, line, column there, name; each but the first counts on over lines. */
function linesOf(mappings: string): Segment[][] {
  let [source, line, column, name] = [0, 0, 0, 0];
  return mappings.split(';').map((text) => {
    let generated = 0;
    const segments: Segment[] = [];
    for (const part of text === '' ? [] : text.split(',')) {
      const [column0 = 0, source0, line0 = 0, column1 = 0, name0] = decodeNumbers(part);
      generated += column0;
      if (source0 === undefined) segments.push({ column: generated, original: null });
      else {
        source += source0;
        line += line0;
        column += column1;
        if (name0 !== undefined) name += name0;
        const original = { source, line, column, name: name0 === undefined ? null : name };
        segments.push({ column: generated, original });
      }
    }
    return isInOrder(segments) ? segments : segments.toSorted((a, b) => a.column - b.column);
  });
}

function isInOrder(segments: readonly Segment[]): boolean {
  return segments.every(({ column }, i) => i === 0 || (segments[i - 1]?.column ?? 0) <= column);
}

/** The maps of the parts of a bundle, each of which begins at a place of its own. */
function joined(sections: readonly unknown[]): SourceMap {
  const sources: string[] = [];
  const contents: (string | null)[] = [];
  const names: string[] = [];
  const lines: Segment[][] = [];
  for (const { line: first, column: indent, map } of sections.map(sectionOf)) {
    const [source, name] = [sources.length, names.length];
    const moved = ({ column, original }: Segment, line: number): Segment => ({
      column: column + (line === 0 ? indent : 0),
      original: original && {
        ...original,
        source: original.source + source,
        name: original.name === null ? null : original.name + name,
      },
    });
    sources.push(...map.sources);
    contents.push(...map.sources.map((_, i) => map.contents[i] ?? null));
    names.push(...map.names);
    for (const [line, segments] of map.lines.entries()) {
      const known = (lines[first + line] ??= []);
      for (const segment of segments) known.push(moved(segment, line));
    }
  }
  return { sources, contents, names, lines: Array.from(lines, (segments) => segments ?? []) };
}

interface Section extends Position {
  readonly map: SourceMap;
}

function sectionOf(section: unknown): Section {
  if (!isRecord(section) || !isRecord(section['offset']) || !isRecord(section['map']))
    throw new SyntaxError('a section of a source map has an offset and a map');
  const { line, column } = section['offset'];
  return { line: Number(line), column: Number(column), map: plain(section['map']) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
