import { escaped } from '../../../base/visible.ts';
import { channelCursor } from '../../../model/channels/channelCursor.ts';
import type {
  ChannelEvent,
  ChannelPage,
  ChannelQuery,
  Connection,
} from '../../../model/channels/channelEvent.ts';
import { assemble, type Item, type Shown } from '../answers/assemble.ts';
import type { Rendered } from '../answers/budget.ts';
import { callText, chosen, nextLines, nextTexts, type NextStep } from '../answers/nextSteps.ts';
import { query, sceneLines, type Scene } from '../answers/scene.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import { decimalsFor, duration, stamp, type Decimals } from '../text/timeText.ts';
import { valueText } from '../text/valueText.ts';

/** Characters of data that are shown. */
const dataShown = 100;
/** Characters of a body. */
const bodyShown = 300;

interface Asked {
  readonly asked: ChannelQuery;
  /** As it can be sent again. */
  readonly request: Readonly<Record<string, unknown>>;
  /** What else happened to its connections. */
  readonly notes: readonly string[];
}

/** What went through a channel, an event per line, below the connections that they are of. */
export function renderChannel(
  scene: Scene,
  page: ChannelPage,
  { asked, request, notes: given }: Asked,
): (room: number) => Rendered & { readonly shown: number } {
  const decimals = decimalsFor(page.events.map(({ time }) => time));
  const threads = new Set(page.events.map(({ tid }) => tid));
  const pids = new Set(page.events.map(({ pid }) => pid));
  const form = {
    decimals,
    ofThreads: threads.size > 1,
    ofPids: pids.size > 1,
    withHeaders: asked.connection !== null,
  };
  const items = page.events.map((event) => itemOf(event, form));
  const notes = [...notesOf(page, asked), ...given];
  const possible = stepsOf(scene, page, request);
  return (room) => {
    const steps = chosen(possible, room);
    const after = (shown: Shown): string | null => {
      const at = asked.from + shown.count;
      const next = at < page.total ? { part: page.part, from: at } : page.next;
      return next && channelCursor({ ...next, until: asked.until });
    };
    return assemble(room, items, {
      keep: 'first',
      before: (shown) => [
        ...sceneLines(scene),
        ...notes.map((note) => `! ${escaped(note)}`),
        headline(page, asked, shown, scene),
        ...page.connections.map(connectionLine),
      ],
      after: (shown) => {
        const cursor = after(shown);
        const more = { tool: 'debug_channel', arguments: { ...request, cursor } } as const;
        return [...(cursor === null ? [] : [`… more: ${callText(more)}`]), ...nextLines(steps)];
      },
      structured: (twins, shown) => ({
        action: 'query',
        sessionId: scene.session.id,
        channel: asked.channel,
        connections: page.connections.map(connectionTwin),
        events: twins,
        totalCount: page.total,
        hasMore: after(shown) !== null,
        cursor: after(shown),
        notes,
        nextSteps: nextTexts(steps),
      }),
    });
  };
}

function headline(
  page: ChannelPage,
  { channel, connection }: ChannelQuery,
  shown: Shown,
  { session }: Scene,
): string {
  if (page.total === 0 && page.functions > 0 && !page.isKnown)
    return `Channel ${channel} has no #${connection}.`;
  if (page.total === 0 && page.functions > 0)
    return `Nothing that fits went through channel ${channel}.`;
  if (page.total === 0)
    return session.hooks.patterns.includes(`@${channel}`)
      ? `Channel ${channel} shows nothing of this program: none of the functions that @${channel} hooks was found in it (a static program of C or Rust, or one of Go without symbols).`
      : `Channel ${channel} was not open: none of its functions was hooked.`;
  return `${grouped(shown.count)} of ${counted(page.total, 'event')} of channel ${channel}:`;
}

function notesOf(page: ChannelPage, { channel }: ChannelQuery): string[] {
  const { calls, fds } = page.unknown;
  return [
    ...(page.next === null
      ? []
      : [
          `These are the events up to ${stamp(page.next.part)}: there are more calls than are read at once. The cursor shows the later ones, and requests that are answered later.`,
        ]),
    ...(calls > 0
      ? [
          `${counted(calls, 'read or write', 'reads and writes')} of descriptors (${fds.join(', ')}) are not shown: ${channel === 'net' ? 'they are no sockets, or' : 'they are no files, or'} were opened before the channel was.`,
        ]
      : []),
    ...(page.connections.some(({ tls }) => tls === 'not known') ? [undecodable] : []),
    ...(page.connections.some(isHalfOfRustls) ? [halfOfRustls] : []),
  ];
}

const undecodable =
  'What is encrypted was so by the program itself (a TLS library, or rustls, linked in without its symbols), or began before the channel was opened: launch the program with "patterns": ["@net"]. Keep the symbols of the program (no strip) or let it ask over http:// to see plain text; patterns for its own functions show what they were given.';

function isHalfOfRustls({ tls, sent, received }: Connection): boolean {
  return tls === 'rustls' && (sent === 0 || received === 0);
}

const halfOfRustls =
  'One side of a connection of rustls shows no plain text. Where it had some, the compiler inlined the function that Strobe hooks: build with rustls 0.23 and without lto = "fat".';

interface Form {
  readonly decimals: Decimals;
  readonly ofThreads: boolean;
  readonly ofPids: boolean;
  readonly withHeaders: boolean;
}

function itemOf(event: ChannelEvent, form: Form): Item {
  const limits = { levels: 1, fields: 1, elements: 1, characters: dataShown };
  const data =
    event.data === null || event.data.kind === 'notCaptured'
      ? null
      : valueText(event.data, { verbose: false, limits });
  const { call, time, verb, connection, peer, bytes, failure, times, cause, direction } = event;
  return {
    text: [lineOf(event, data, form), ...headerLines(event, form)].join('\n'),
    twin: {
      id: call,
      timestampNs: time,
      direction,
      verb,
      ...(connection === null ? {} : { connection }),
      ...(connection !== null && direction !== 'act' ? {} : { peer }),
      ...(bytes === null ? {} : { bytes }),
      ...(data === null ? {} : { data }),
      ...(event.messages === undefined ? {} : { messages: event.messages }),
      ...httpTwin(event, form),
      ...(failure === null ? {} : { failure }),
      ...(times > 1 ? { times, untilNs: event.until } : {}),
      ...(cause === null ? {} : { causedBy: cause.call, causedByFunction: cause.function }),
      ...(form.ofThreads ? { threadId: event.tid } : {}),
      ...(form.ofPids ? { pid: event.pid } : {}),
    },
  };
}

function httpTwin({ http, durationNs }: ChannelEvent, { withHeaders }: Form): object {
  if (!http) return {};
  const { headers, answerHeaders, contentType, body, answerBody, ...rest } = http;
  const bodies = {
    ...(body === '' ? {} : { body }),
    ...(answerBody === '' ? {} : { answerBody }),
  };
  return {
    ...rest,
    durationNs,
    ...(contentType === null ? {} : { contentType }),
    ...(withHeaders ? { headers, answerHeaders, ...bodies } : {}),
  };
}

function headerLines({ http }: ChannelEvent, { withHeaders }: Form): string[] {
  if (!http || !withHeaders) return [];
  return [
    ...http.headers.map((line) => `    > ${escaped(line)}`),
    ...bodyLines('>', http.body, http.sent),
    ...http.answerHeaders.map((line) => `    < ${escaped(line)}`),
    ...bodyLines('<', http.answerBody, http.received),
  ];
}

function bodyLines(mark: string, body: string, bytes: number): string[] {
  if (body === '') return [];
  const shown = body.slice(0, bodyShown);
  const isWhole = shown.length === body.length && Buffer.byteLength(body) >= bytes;
  return [`    ${mark} ${escaped(shown)}${isWhole ? '' : '…'}`];
}

function requestParts({ http, durationNs, direction }: ChannelEvent): string[] {
  if (!http || direction === 'act') return [];
  const { method, path, status, sent, received, contentType } = http;
  return [
    arrows[direction],
    `${method} ${escaped(path)}`,
    ...(sent > 0 ? [`(${counted(sent, 'byte')})`] : []),
    arrows[direction === 'in' ? 'out' : 'in'],
    status === null ? 'no answer seen' : String(status),
    ...(contentType === null ? [] : [escaped(contentType)]),
    ...(status === null ? [] : [counted(received, 'byte')]),
    ...(durationNs === null ? [] : [duration(durationNs)]),
  ];
}

const arrows = { in: '←', out: '→', act: '' } as const;

function lineOf(event: ChannelEvent, data: string | null, form: Form): string {
  const { verb, connection, peer, bytes, failure, times, cause, direction } = event;
  const isData = direction !== 'act';
  const parts = [
    stamp(event.time, form.decimals),
    ...(form.ofPids ? [`pid ${event.pid}`] : []),
    ...(form.ofThreads ? [`[${escaped(event.threadName)}/${event.tid}]`] : []),
    ...(connection === null ? [] : [`#${connection}`]),
    ...requestParts(event),
    ...(event.http
      ? []
      : isData
        ? [arrows[direction], bytes === null ? verb : counted(bytes, 'byte')]
        : [verb]),
    ...(peer !== null && (!isData || connection === null) ? [escaped(peer)] : []),
    ...(data === null ? [] : [data]),
    ...(event.messages === undefined ? [] : [escaped(messagesText(event.messages))]),
    ...(failure === null ? [] : [`FAILED ${failure}`]),
    ...(times > 1 ? [`×${grouped(times)} in ${duration(event.until - event.time)}`] : []),
  ];
  const by = cause === null ? event.call : `${escaped(cause.function)} ${cause.call}`;
  return `${parts.join(' ')}  by ${by}`;
}

function messagesText(messages: readonly string[]): string {
  return messages.length === 0 ? 'more of the last message' : messages.join(', ');
}

function connectionLine(one: Connection): string {
  const { number, peer, local, isAccepted, kind, fd, tls, sent, received } = one;
  const ends = isAccepted
    ? `from ${peer ?? '?'} to ${local ?? '?'}`
    : (peer ?? (kind === 'socket' ? 'to an address that was not seen' : '?'));
  const parts = [
    `#${number} ${escaped(ends)}`,
    ...(fd === null ? [] : [`fd ${fd}`]),
    ...(tls === null ? [] : [tls === 'not known' ? encryptedText(one) : `TLS (${tls})`]),
    kind === 'socket'
      ? `sent ${counted(sent, 'byte')}, received ${grouped(received)}`
      : `written ${counted(sent, 'byte')}, read ${grouped(received)}`,
    ...(one.protocol === 'HTTP/2' || one.protocol === 'PostgreSQL' ? [one.protocol] : []),
    ...(one.undecoded > 0
      ? [`${counted(one.undecoded, 'byte')} undecodable: joined in the middle, or not all captured`]
      : []),
    ...(one.isJoined ? ['its beginning was not seen'] : []),
    one.isClosed ? 'closed' : 'open',
  ];
  return parts.join(' · ');
}

function encryptedText({ encrypted: { sent, received } }: Connection): string {
  return `encrypted, its plain text is not seen: ${counted(sent, 'byte')} went out, ${grouped(received)} came in`;
}

function connectionTwin(one: Connection): object {
  const { number, fd, pid, peer, local, tls, sent, received, isClosed, isJoined, isAccepted } = one;
  return {
    connection: number,
    peer,
    ...(fd === null ? {} : { fd }),
    pid,
    ...(local === null ? {} : { local }),
    ...(isAccepted ? { accepted: true } : {}),
    ...(tls === null ? {} : { tls }),
    sent,
    received,
    ...(tls === 'not known' ? { encrypted: one.encrypted } : {}),
    closed: isClosed,
    ...(one.protocol === null ? {} : { protocol: one.protocol }),
    ...(one.undecoded > 0 ? { undecoded: one.undecoded } : {}),
    ...(isJoined ? { joined: true } : {}),
  };
}

function stepsOf(
  scene: Scene,
  page: ChannelPage,
  request: Readonly<Record<string, unknown>>,
): NextStep[] {
  const { session } = scene;
  if (page.functions === 0) {
    const arguments_ = { sessionId: session.id, action: 'open', channel: request['channel'] };
    return session.state.kind === 'running'
      ? [{ tool: 'debug_channel', arguments: arguments_, why: 'records it from now on' }]
      : [];
  }
  if (!page.isKnown) {
    const { connection: _connection, ...rest } = request;
    const arguments_ = { ...rest, action: 'query' };
    return [{ tool: 'debug_channel', arguments: arguments_, why: 'shows each with its number' }];
  }
  const failed = page.events.find(({ failure }) => failure !== null);
  const first = failed ?? page.events[0];
  const root = first?.cause?.call;
  return root === undefined
    ? []
    : [query(scene, { view: 'tree', root }, 'the call that caused it, with arguments')];
}
