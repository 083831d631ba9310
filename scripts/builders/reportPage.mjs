import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

/** dist/report.html: the page of `strobe report`. */
export function buildReportPage(root) {
  copyFileSync(join(root, 'src/db/export/page/report.html'), join(root, 'dist/report.html'));
}
