/** A `struct sockaddr` as people write it: `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/x.sock` (ip(7), ipv6(7), unix(7)). */
export function socketAddressText(bytes: Buffer): string {
  const family = bytes.length >= 2 ? bytes.readUInt16LE(0) : -1;
  if (family === 1) return `unix:${unixPath(bytes.subarray(2))}`;
  if (family === 2 && bytes.length >= 8)
    return `${[...bytes.subarray(4, 8)].join('.')}:${bytes.readUInt16BE(2)}`;
  if (family === 10 && bytes.length >= 24)
    return `${ipv6(bytes.subarray(8, 24))}:${bytes.readUInt16BE(2)}`;
  return family === 0 ? 'no address' : `address of family ${family}`;
}

/** One without a name begins with a NUL; an abstract one is shown with `@`. */
function unixPath(path: Buffer): string {
  if (path.length === 0) return '(no name)';
  if (path[0] === 0) return `@${path.subarray(1).toString()}`;
  const end = path.indexOf(0);
  return path.subarray(0, end < 0 ? path.length : end).toString();
}

/** In brackets, its zeros left out as a URL has it (RFC 5952). */
export function ipv6(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname;
}
