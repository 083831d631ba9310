/** What a program or its run-time library said of its own end. */
export interface Complaint {
  readonly kind:
    'assertion' | 'uncaughtException' | 'panic' | 'heap' | 'stackSmashing' | 'sanitizer' | 'other';
  /** One line, in the program's own words. */
  readonly text: string;
  /** Where it says it happened; null when it does not. */
  readonly place: { readonly file: string; readonly line: number } | null;
  /** The type of an exception, or a sanitizer's word for the error (`heap-use-after-free`). */
  readonly name: string | null;
  /** Further lines that belong to it. */
  readonly details: readonly string[];
}

type Reader = (lines: readonly string[], at: number) => Complaint | null;

const maxDetails = 12;

function place(file: string | undefined, line: string | undefined): Complaint['place'] {
  return file === undefined || line === undefined ? null : { file, line: Number(line) };
}

/** glibc: `prog: file.c:12: int f(int): Assertion `x > 0' failed.` */
const assertion: Reader = (lines, at) => {
  const match = /^.*?: ?(\S+?):(\d+): .*Assertion [`'](.*)' failed\.?$/.exec(lines[at] ?? '');
  if (match === null) return null;
  const text = `assertion \`${match[3] ?? ''}\` failed`;
  return { kind: 'assertion', text, place: place(match[1], match[2]), name: null, details: [] };
};

/** libstdc++: `terminate called after throwing an instance of 'T'` and `  what():  message`. */
const uncaught: Reader = (lines, at) => {
  const line = lines[at] ?? '';
  if (/^(?:pure|deleted) virtual method called$/.test(line))
    return { kind: 'other', text: line, place: null, name: null, details: [] };
  // What follows that says no more.
  if (/^(?:pure|deleted) virtual method called$/.test(lines[at - 1] ?? '')) return null;
  const match = /^terminate called after throwing an instance of '(.*)'$/.exec(line);
  if (match === null)
    return /^terminate called (?:without an active exception|recursively)/.test(line)
      ? { kind: 'uncaughtException', text: line, place: null, name: null, details: [] }
      : null;
  const what = /^\s*what\(\):\s*(.*)$/.exec(lines[at + 1] ?? '')?.[1];
  const name = match[1] ?? '';
  const text = what === undefined ? `uncaught ${name}` : `uncaught ${name}: ${what}`;
  return { kind: 'uncaughtException', text, place: null, name, details: [] };
};

/** Rust: `thread 'main' (123) panicked at src/main.rs:4:5:` and the message. */
const panic: Reader = (lines, at) => {
  const line = lines[at] ?? '';
  const match = /^thread '(.*?)'(?: \(\d+\))? panicked at (.+?):(\d+):(\d+):$/.exec(line);
  if (match !== null) {
    const message: string[] = [];
    for (const next of lines.slice(at + 1, at + 1 + maxDetails)) {
      if (/^(?:note: run with|stack backtrace:)/.test(next)) break;
      message.push(next);
    }
    const [first = '', ...details] = message;
    const text = `thread '${match[1] ?? ''}' panicked: ${first}`;
    return { kind: 'panic', text, place: place(match[2], match[3]), name: null, details };
  }
  return /^thread '.*' (?:\(\d+\) )?has overflowed its stack$/.test(line)
    ? { kind: 'other', text: line, place: null, name: null, details: [] }
    : null;
};

/** glibc's own checks of the heap and of the stack. */
const library: Reader = (lines, at) => {
  const line = lines[at] ?? '';
  if (/^\*\*\* (?:stack smashing|buffer overflow) detected \*\*\*/.test(line))
    return { kind: 'stackSmashing', text: line, place: null, name: null, details: [] };
  const isHeap =
    /^(?:double free or corruption|free\(\): |malloc\(\): |malloc_consolidate\(\): |realloc\(\): |munmap_chunk\(\): |corrupted |calloc\(\): |mremap_chunk\(\): |Fatal glibc error: )/.test(
      line,
    );
  return isHeap ? { kind: 'heap', text: line, place: null, name: null, details: [] } : null;
};

/** Address-, leak-, memory- and thread sanitizers, and the undefined-behaviour sanitizer's one line. */
const sanitizer: Reader = (lines, at) => {
  const line = lines[at] ?? '';
  const undefinedBehaviour = /^(\S+?):(\d+):\d+: runtime error: (.*)$/.exec(line);
  if (undefinedBehaviour !== null)
    return {
      kind: 'sanitizer',
      text: `undefined behaviour: ${undefinedBehaviour[3] ?? ''}`,
      place: place(undefinedBehaviour[1], undefinedBehaviour[2]),
      name: null,
      details: [],
    };
  const match = /(?:ERROR|WARNING): (\w+Sanitizer): (\S+)(.*)$/.exec(line);
  if (match === null) return null;
  const details: string[] = [];
  let where: Complaint['place'] = null;
  for (const next of lines.slice(at + 1, at + 200)) {
    const frame = /^\s+#\d+ (?:0x[0-9a-f]+ in )?(.*?) (\/\S+?):(\d+)/.exec(next);
    if (frame !== null && where === null && !(frame[2] ?? '').includes('sanitizer'))
      where = place(frame[2], frame[3]);
    const isHeading =
      /^(?:READ|WRITE|freed by|previously allocated|allocated by|0x[0-9a-f]+ is located|Direct leak|Indirect leak|\s+Uninitialized value was|\s+(?:Previous |Write|Read|Location is)|SUMMARY)/.test(
        next,
      );
    if ((isHeading || (frame !== null && !isLibraryFrame(next))) && details.length < maxDetails)
      details.push(next.trim());
    if (next.startsWith('SUMMARY: ')) break;
  }
  return {
    kind: 'sanitizer',
    text: `${match[1] ?? ''}: ${match[2] ?? ''}${match[3] ?? ''}`.replace(/ \(pid=\d+\)$/, ''),
    place: where,
    name: match[2] ?? null,
    details,
  };
};

function isLibraryFrame(line: string): boolean {
  return /lib(?:asan|tsan|ubsan|lsan)|[ (]\/(?:usr|lib\w*)\/|\.\.\/\.\.\/| engine_enter | make_call \S*\/pool\.S/.test(
    line,
  );
}

/** Java's virtual machine, of a fault in its native code: what, in which frame, and the file with its report. */
const javaMachine: Reader = (lines, at) => {
  if (lines[at]?.startsWith('# A fatal error has been detected by the Java Runtime') !== true)
    return null;
  const own = lines.slice(at + 1, at + 40).map((line) => line.replace(/^# */, ''));
  const behind = (heading: string): string | null => {
    const found = own.findIndex((line) => line.startsWith(heading));
    return found < 0 ? null : (own[found + 1] ?? null);
  };
  const what = own.find((line) => line !== '') ?? '';
  const frame = behind('Problematic frame');
  const report = behind('An error report');
  return {
    kind: 'other',
    name: null,
    place: null,
    text: `Java's virtual machine: ${what}${frame === null ? '' : `, in ${frame}`}`,
    details: report === null ? [] : [`its report, with the stacks of Java: ${report}`],
  };
};

/** Frames of a traceback that are looked at; a deep recursion has more. */
const maxFrames = 400;

/** Python: `Traceback (most recent call last):`, a place and its source for each frame, and the exception. */
const pythonTraceback: Reader = (lines, at) => {
  if (lines[at]?.trimStart().startsWith('Traceback (most recent call last):') !== true) return null;
  const thread = /^Exception in thread (.*):$/.exec(lines[at - 1] ?? '')?.[1];
  const frames: { readonly where: Complaint['place']; readonly text: string }[] = [];
  for (let line = at + 1; line < Math.min(lines.length, at + 3 * maxFrames); line++) {
    const text = lines[line] ?? '';
    const frame = /^\s+File "(.*)", line (\d+), in (.*)$/.exec(text);
    if (frame) {
      const [, file = '', number = '0', name = ''] = frame;
      const source = (lines[line + 1] ?? '').trim();
      frames.push({ where: place(file, number), text: `${name} (${file}:${number}): ${source}` });
    } else if (!/^\s/.test(text) && text !== '') {
      const name = /^[\w.]+/.exec(text)?.[0] ?? null;
      return {
        kind: 'uncaughtException',
        text: thread === undefined ? text : `${text}, in thread ${thread}`,
        place: frames.at(-1)?.where ?? null,
        name,
        details: frames
          .toReversed()
          .slice(0, maxDetails)
          .map((one) => one.text),
      };
    }
  }
  return null;
};

const readers: readonly Reader[] = [
  assertion,
  uncaught,
  panic,
  library,
  sanitizer,
  javaMachine,
  pythonTraceback,
];
const maxComplaints = 4;

/** The complaints in lines of stderr, in order. */
export function readComplaints(lines: readonly string[]): Complaint[] {
  const found: Complaint[] = [];
  for (let at = 0; at < lines.length && found.length < maxComplaints; at++) {
    for (const read of readers) {
      const complaint = read(lines, at);
      if (complaint === null) continue;
      found.push(complaint);
      break;
    }
  }
  return found;
}
