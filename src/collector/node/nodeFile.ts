import { untracedCode } from '../../protocol/nodeTracer.ts';
import { readAt, withSections } from '../program/elfSections.ts';

/** What the file of Node says of itself. */
export interface NodeFile {
  /** `24.21.0`; null: it does not say. */
  readonly version: string | null;
  /** It holds a script, and runs that. */
  readonly isSingleExecutable: boolean;
}

/** In all that were looked at (18 to 26) both are in the first megabyte of it. */
const TEXTS_BYTES = 4 << 20;
/** The agent that its inspector names. */
const versionText = /node\.js\/v(\d+\.\d+\.\d+)/;
/** Tools that put a script into Node set the digit behind it to 1. */
const holdsScript = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1';

/** Versions that are in the tests. */
const tested = [20, 22, 24, 26];
const oldest = 20;
const versions = 'Node 20 to 26 is traced, and tested are 20, 22, 24 and 26';

export async function readNodeFile(image: string): Promise<NodeFile> {
  const found = await withSections(image, async (file, sections) => {
    const texts = sections.find(({ name }) => name === '.rodata');
    if (!texts) return null;
    const bytes = await readAt(file, texts.offset, Math.min(texts.size, TEXTS_BYTES));
    const text = bytes.toString('latin1');
    return {
      version: versionText.exec(text)?.[1] ?? null,
      isSingleExecutable: text.includes(holdsScript),
    };
  }).catch(() => null);
  return found ?? { version: null, isSingleExecutable: false };
}

/** Why functions of a program that it runs cannot be traced, as a clause, and what to do; null: nothing speaks against it. */
export function whyOldNode({
  version,
}: NodeFile): { readonly why: string; readonly hint: string } | null {
  if (version === null || majorOf(version) >= oldest) return null;
  return {
    why: `version ${version}, which is too old`,
    hint: `${versions}: run the program with one of these.`,
  };
}

/** What a session is to say of it, in whole sentences. */
export function nodeFileNotes({ version, isSingleExecutable }: NodeFile): readonly string[] {
  const isTested = version === null || tested.includes(majorOf(version));
  return [
    ...(isTested ? [] : [`Strobe was never tested with Node ${version}: ${versions}.`]),
    ...(isSingleExecutable ? [untracedCode.application] : []),
  ];
}

function majorOf(version: string): number {
  return Number(version.split('.')[0]);
}
