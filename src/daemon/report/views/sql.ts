import type { SqlRows } from '../../../db/sql/sqlMessages.ts';
import { assemble, type Item } from '../answers/assemble.ts';
import type { Rendered } from '../answers/budget.ts';
import { escaped } from '../../../base/visible.ts';
import { shortened } from '../answers/clip.ts';
import { counted } from '../text/groupedNumber.ts';
import { sceneLines, sceneTwin, withMoreRoom, type Scene } from '../answers/scene.ts';

/** Characters of a cell beside many others; few may be longer. */
const CELL_SHOWN = 200;
/** In the one row that is shown where there is no room for any. */
const CELL_LEAST = 16;

/** The rows a statement gave, a line each. */
export function renderSql(
  scene: Scene,
  { columns, rows, hasMore }: SqlRows,
  room: number,
): Rendered & { readonly shown: number } {
  const texts = rows.flat().filter((cell) => typeof cell === 'string' && cell.length > CELL_SHOWN);
  const most = Math.max(CELL_SHOWN, Math.floor((room * 0.6) / Math.max(1, texts.length)));
  const items = rows.map((row) => ({ ...rowItem(row, most), smaller: rowItem(row, CELL_LEAST) }));
  return assemble(room, items, {
    keep: 'first',
    before: (shown) => [
      ...sceneLines(scene),
      `${shown.count} of ${hasMore ? 'at least ' : ''}${counted(rows.length, 'row')}:`,
      columns.join(' | '),
    ],
    after: (shown) => {
      const lacks = { tokens: shown.count < rows.length, rows: hasMore };
      const narrower = 'aggregate, or continue with LIMIT and OFFSET in the statement.';
      return lacks.tokens || lacks.rows ? [`… more: ${withMoreRoom(scene, lacks, narrower)}`] : [];
    },
    structured: (twins, shown) => ({
      view: 'sql',
      ...sceneTwin(
        scene,
        {
          pids: scene.summary.threads.pids,
          total: rows.length,
          totalIsExact: !hasMore,
          hasMore: hasMore || shown.count < rows.length,
          cursor: null,
        },
        { steps: [], room, notes: [] },
      ),
      columns,
      rows: twins,
    }),
  });
}

function rowItem(row: SqlRows['rows'][number], most: number): Pick<Item, 'text' | 'twin'> {
  const cells = row.map((cell) => (typeof cell === 'string' ? shortened(cell, most) : cell));
  return { text: cells.map((cell) => escaped(String(cell))).join(' | '), twin: cells };
}
