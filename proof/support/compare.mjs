/* Two runs of one program, byte by byte. */

/** What differs between two runs, as short lines; empty when nothing does. */
export function differences(plain, traced) {
  const found = [];
  if (plain.end !== traced.end) found.push(`ends: ${plain.end} → ${traced.end}`);
  for (const stream of ['stdout', 'stderr']) {
    const at = firstDifference(plain[stream], traced[stream]);
    if (at === -1) continue;
    const sizes = `${plain[stream].length} → ${traced[stream].length} bytes`;
    found.push(
      `${stream}: ${sizes}, from byte ${at}: ${around(plain[stream], at)} → ${around(traced[stream], at)}`,
    );
  }
  for (const path of new Set([...plain.files.keys(), ...traced.files.keys()])) {
    const [before = 'absent', after = 'absent'] = [plain.files.get(path), traced.files.get(path)];
    if (before !== after) found.push(`${path}: ${before} → ${after}`);
  }
  return found;
}

function firstDifference(a, b) {
  if (a.equals(b)) return -1;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return at;
  return length;
}

function around(bytes, at) {
  const text = bytes.subarray(Math.max(0, at - 20), at + 100).toString('utf8');
  return JSON.stringify(text);
}
