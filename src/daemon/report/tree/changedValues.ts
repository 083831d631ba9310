import type { TreeNode } from '../../../model/questions/treeResult.ts';
import { shownText, variedText, type CallStyle } from '../text/callText.ts';

/** What the lines of one call have shown so far. */
export class ChangedValues {
  readonly #style: CallStyle;
  readonly #known = new Map<string, string>();
  #isFirst = true;

  constructor({ repeated: _repeated, ...style }: CallStyle) {
    this.#style = style;
  }

  /** A line with the values alone that the one before it left otherwise. The first finds what the call was called with. */
  of(node: TreeNode): TreeNode {
    const { call, varying } = node;
    if (!call.probe?.line || !node.isRead) return node;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const shown = call.arguments.filter(({ name, value }) => {
      const text = variedText(name, varying) ?? shownText(value, this.#style);
      const isChanged = this.#known.get(name) !== text;
      this.#known.set(name, text);
      return isChanged && !isFirst;
    });
    return { ...node, call: { ...call, arguments: shown } };
  }
}
