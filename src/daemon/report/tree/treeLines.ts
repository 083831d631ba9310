import type { CallView } from '../../../model/questions/query.ts';
import type { TreeNode } from '../../../model/questions/treeResult.ts';
import { briefly } from '../answers/brevity.ts';
import {
  callPlace,
  callText,
  endText,
  signatureText,
  suspendedText,
  type CallStyle,
} from '../text/callText.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import { Objects } from '../text/objectText.ts';
import type { SharedArguments } from '../text/sharedArguments.ts';
import { duration } from '../text/timeText.ts';

/** What the lines so far have said: places of functions, and the object of each class. */
export class Written {
  readonly shared: SharedArguments;
  readonly #placed = new Set<number>();
  readonly objects = new Objects();

  /** `shared`: what is written ahead of all lines. */
  constructor(shared: SharedArguments) {
    this.shared = shared;
  }

  hasPlace(call: CallView): boolean {
    return this.#placed.has(call.fn);
  }

  add(node: TreeNode): void {
    this.#placed.add(node.call.fn);
    this.objects.add(node.call, !objectVaries(node));
  }
}

function objectVaries({ varying }: TreeNode): boolean {
  return varying.some((text) => text.startsWith('this='));
}

/** How much a line tells: `plain` leaves the spread of times out, `short` the arguments too. */
export type LineDetail = 'full' | 'plain' | 'short';

/**
 * A node without indentation. The place is written once; so is `this`, as long as it is the same. Values are written
 * briefly, unless the call was asked for by its id.
 */
export function nodeLine(
  node: TreeNode,
  style: CallStyle,
  written: Written,
  detail: LineDetail,
): string {
  const { call, varying } = node;
  const isKnown = written.objects.has(call) && !objectVaries(node);
  const changing = isKnown ? { ...call, arguments: call.arguments.slice(1) } : call;
  const shown = written.shared.without(changing);
  const { repeated: _repeated, ...whole } = style;
  const own = call.id === style.asked ? whole : { ...style, brief: briefly(shown, style, varying) };
  if (detail === 'short') {
    return `${style.shortName(call.function)}(${counted(call.arguments.length, 'argument')})${endText(call, own, varying)}${marks(node)}  [${call.id}]`;
  }
  const end = `${selfText(node)}${marks(node)}${placeText(call, style, written)}  [${call.id}]`;
  return node.times === 1
    ? `${callText(shown, own)}${end}`
    : `${signatureText(shown, own, varying)}${endText(shown, own, varying)} ×${grouped(node.times)}${timesText(node, detail)}${end}`;
}

function placeText(call: CallView, style: CallStyle, written: Written): string {
  const where = written.hasPlace(call) ? '' : callPlace(call, style);
  return where === '' ? '' : `  ${where}`;
}

function timesText({ minNs, maxNs, totalNs, suspendedNs }: TreeNode, detail: LineDetail): string {
  if (minNs === null || maxNs === null) return '';
  const range = detail === 'plain' ? '' : ` (${duration(minNs)}..${duration(maxNs)})`;
  return `  total ${duration(totalNs)}${suspendedText(suspendedNs)}${range}`;
}

function selfText({ selfNs, maxNs }: TreeNode): string {
  return selfNs === null || maxNs === null ? '' : `, self ${duration(selfNs)}`;
}

/** Where an exception began and where it ended, as far as traced frames can tell. */
function marks({ call, children, times }: TreeNode): string {
  const below = children.reduce(
    (sum, child) => sum + (child.call.end === 'unwound' ? child.times : 0),
    0,
  );
  if (call.end === 'unwound') return below > 0 ? '' : ', thrown here or below';
  if (below === 0 || call.end !== 'returned') return '';
  if (times > 1) return `  ✓ caught here in ${grouped(Math.min(below, times))}`;
  return below === 1 ? '  ✓ caught here' : `  ✓ ${grouped(below)} caught here`;
}
