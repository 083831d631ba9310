/** What the two sides of PostgreSQL's protocol 3 say, by the first byte of a message. */
const asks: Readonly<Record<string, string>> = {
  B: 'Bind',
  C: 'Close',
  D: 'Describe',
  E: 'Execute',
  F: 'FunctionCall',
  H: 'Flush',
  P: 'Parse',
  Q: 'Query',
  S: 'Sync',
  X: 'Terminate',
  c: 'CopyDone',
  d: 'CopyData',
  f: 'CopyFail',
  p: 'Password',
};
const answers: Readonly<Record<string, string>> = {
  1: 'ParseComplete',
  2: 'BindComplete',
  3: 'CloseComplete',
  A: 'NotificationResponse',
  C: 'CommandComplete',
  D: 'DataRow',
  E: 'ErrorResponse',
  G: 'CopyInResponse',
  H: 'CopyOutResponse',
  I: 'EmptyQueryResponse',
  K: 'BackendKeyData',
  N: 'NoticeResponse',
  R: 'Authentication',
  S: 'ParameterStatus',
  T: 'RowDescription',
  V: 'FunctionCallResponse',
  W: 'CopyBothResponse',
  Z: 'ReadyForQuery',
  c: 'CopyDone',
  d: 'CopyData',
  n: 'NoData',
  s: 'PortalSuspended',
  t: 'ParameterDescription',
  v: 'NegotiateProtocolVersion',
};

/** Requests that have no type: by what stands in the place of the version. */
const openings: ReadonlyMap<number, string> = new Map([
  [196_608, 'Startup'],
  [80_877_102, 'CancelRequest'],
  [80_877_103, 'SSLRequest'],
  [80_877_104, 'GSSENCRequest'],
]);

/** Null: it is none. */
export function openingName(version: number): string | null {
  return openings.get(version) ?? null;
}

/** Null: no message begins so. */
export function messageName(type: string, isAsked: boolean): string | null {
  return (isAsked ? asks : answers)[type] ?? null;
}

/** The name of a message with the part of it that says most; `body` may be its beginning. Passwords are left out. */
export function messageText(name: string, body: Buffer): string {
  const texts = body.toString('utf8').split('\0');
  switch (name) {
    case 'Query':
    case 'CommandComplete':
    case 'CopyFail':
      return `${name} ${quoted(texts[0])}`;
    case 'Parse':
      return `${name} ${quoted(texts[1])}`;
    case 'ErrorResponse':
    case 'NoticeResponse':
      return `${name} ${quoted(['S', 'C', 'M'].map((type) => fieldOf(texts, type)).join(' '))}`;
    case 'Startup': {
      const names = texts.filter((_, at) => at % 2 === 0);
      const given = (wanted: string): string => texts[names.indexOf(wanted) * 2 + 1] ?? '';
      return `${name} user=${given('user')} database=${given('database')}`;
    }
    default:
      return name;
  }
}

function fieldOf(texts: readonly string[], type: string): string {
  return texts.find((text) => text.startsWith(type))?.slice(1) ?? '';
}

function quoted(text = ''): string {
  return `"${text.trim().replaceAll(/(password\s+)'[^']*'?/gi, "$1'…'")}"`;
}
