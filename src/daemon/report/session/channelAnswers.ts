import { escaped } from '../../../base/visible.ts';
import type { ChannelState, Sent } from '../../../collector/channels/channel.ts';
import type { KeptEvent } from '../../../model/channels/keptEvent.ts';
import { characters } from '../../../model/decoding/textValues.ts';
import type { PatternReport, TraceReport } from '../../../model/functions/hookReport.ts';
import type { SessionView } from '../../../model/session.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { assemble } from '../answers/assemble.ts';
import { fit, richest } from '../answers/budget.ts';
import { sessionLine } from '../answers/header.ts';
import { callText, chosen, nextLines, nextTexts, type NextStep } from '../answers/nextSteps.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import { stamp } from '../text/timeText.ts';
import { valueText } from '../text/valueText.ts';

/** Answer of debug_channel list. */
export function renderChannelList(
  view: SessionView,
  states: readonly (ChannelState & { readonly channel: string })[],
  budget: number,
): ToolAnswer {
  const closed = states.find(({ channel, kind }) => kind === 'available' && channel !== 'trace');
  const steps: NextStep[] = closed
    ? [channelStep(view, { action: 'open', channel: closed.channel }, 'records it from now on')]
    : [];
  return richest(budget, [1], (_level, room) => {
    const next = chosen(steps, room);
    const lines = states.map((one) => {
      const then = one.kind === 'unavailable' && one.next !== null ? ` ${one.next}` : '';
      return `${one.channel.padEnd(10)}${one.kind}: ${escaped(one.text)}.${escaped(then)}`;
    });
    return {
      text: [sessionLine(view), ...lines, ...nextLines(next)].join('\n'),
      structured: {
        action: 'list',
        sessionId: view.id,
        channels: states.map(({ channel, kind, text, ...rest }) => ({
          channel,
          state: kind,
          text,
          next: 'next' in rest ? rest.next : null,
        })),
        nextSteps: nextTexts(next),
      },
    };
  });
}

/** Answer of debug_channel open and close. */
export function renderOpened(
  about: {
    readonly view: SessionView;
    readonly action: 'open' | 'close';
    readonly channel: string;
    readonly hooked: PatternReport | null;
  },
  report: TraceReport,
  budget: number,
): ToolAnswer {
  const { view, action, channel, hooked } = about;
  const functions = hooked?.hooked ?? 0;
  const refused = hooked?.refused.map((fn) => `${fn.function} is not seen: ${fn.reason}`) ?? [];
  const notes = [...report.warnings, ...(hooked?.notes ?? []), ...refused];
  const text =
    action === 'close'
      ? `Channel ${channel} is closed; what it recorded stays.`
      : `Channel ${channel} is open: ${counted(functions, 'function')} hooked, libraries that come later too. Descriptors opened before are not known.`;
  const steps: NextStep[] = [
    channelStep(view, { action: 'query', channel }, 'who sent what to whom'),
  ];
  return richest(budget, [1], (_level, room) => {
    const next = chosen(steps, room);
    return {
      text: [
        sessionLine(view),
        text,
        ...notes.map((note) => `! ${escaped(note)}`),
        ...nextLines(next),
      ].join('\n'),
      structured: {
        action,
        sessionId: view.id,
        channel,
        ...(action === 'open' ? { hooked: functions, notes } : {}),
        nextSteps: nextTexts(next),
      },
    };
  });
}

/** Answer of debug_channel open and close of a channel that keeps its own events. */
export function renderKeeping(
  view: SessionView,
  { action, channel }: { readonly action: 'open' | 'close'; readonly channel: string },
  budget: number,
): ToolAnswer {
  const isOpened = action === 'open';
  const text = isOpened
    ? `Channel ${channel} is open: what goes through it is kept from now on.`
    : `Channel ${channel} is closed, and what it kept is gone.`;
  const steps = isOpened
    ? [channelStep(view, { action: 'query', channel }, 'what went through it')]
    : [];
  return richest(budget, [1], (_level, room) => {
    const next = chosen(steps, room);
    return {
      text: [sessionLine(view), text, ...nextLines(next)].join('\n'),
      structured: {
        action,
        sessionId: view.id,
        channel,
        ...(isOpened ? { hooked: 0, notes: [] } : {}),
        nextSteps: nextTexts(next),
      },
    };
  });
}

/** Answer of debug_channel send. */
export function renderSent(
  about: {
    readonly view: SessionView;
    readonly channel: string;
    readonly bytes: number;
    readonly sent: Sent;
  },
  budget: number,
): ToolAnswer {
  const { view, channel, bytes, sent } = about;
  const { reply } = sent;
  return richest(budget, [4000, 800, 200], (longest, room) => {
    const shown = reply === null ? null : replyText(reply, longest);
    const next = chosen([stepAfter(view, channel)], room);
    return {
      text: [
        `${counted(bytes, 'byte')} ${escaped(sent.text)}.`,
        ...(reply === null
          ? []
          : [
              reply.length === 0
                ? 'No reply.'
                : `Reply, ${counted(reply.length, 'byte')}: ${shown}`,
            ]),
        ...nextLines(next),
      ].join('\n'),
      structured: {
        action: 'send',
        sessionId: view.id,
        channel,
        bytes,
        reply: shown,
        nextSteps: nextTexts(next),
      },
    };
  });
}

function replyText(reply: Uint8Array, longest: number): string {
  const value = characters(Buffer.from(reply), 1, false);
  const limits = { levels: 1, fields: 1, elements: 1, characters: longest };
  return valueText(value, { verbose: true, limits });
}

function stepAfter(view: SessionView, channel: string): NextStep {
  return channel === 'stdio'
    ? {
        tool: 'debug_session',
        arguments: { action: 'wait', sessionId: view.id, for: ['output', 'exit'] },
        why: 'returns at the next line',
      }
    : channelStep(view, { action: 'query', channel, timeFrom: '-10s' }, 'how the program took it');
}

function channelStep(view: SessionView, asked: object, why: string): NextStep {
  return { tool: 'debug_channel', arguments: { sessionId: view.id, ...asked }, why };
}

/** Answer of debug_channel query that wrote a file. */
export function renderExported(
  view: SessionView,
  about: { readonly channel: string; readonly path: string; readonly request: object },
  {
    count,
    cursor,
    notes,
  }: {
    readonly count: number;
    /** Where it ended for want of time; null: it is whole. */
    readonly cursor: string | null;
    readonly notes: readonly string[];
  },
  budget: number,
): ToolAnswer {
  const { channel, path, request } = about;
  const written = `${counted(count, 'event')} of channel ${channel} written to ${path}: one JSON object a line.`;
  const steps =
    cursor === null
      ? []
      : [
          channelStep(
            view,
            { ...request, action: 'query', channel, cursor, path: `${path}.2` },
            'writes the rest, for which there was no time',
          ),
        ];
  return richest(budget, [1], (_level, room) => {
    const next = chosen(steps, room);
    return {
      text: [
        sessionLine(view),
        ...notes.map((note) => `! ${escaped(note)}`),
        escaped(written),
        ...nextLines(next),
      ].join('\n'),
      structured: {
        action: 'query',
        sessionId: view.id,
        channel,
        path,
        events: [],
        totalCount: count,
        hasMore: cursor !== null,
        cursor,
        notes,
        nextSteps: nextTexts(next),
      },
    };
  });
}

/** Answer of debug_channel query of a channel that keeps its own events. */
export function renderKept(
  view: SessionView,
  page: {
    readonly channel: string;
    readonly events: readonly KeptEvent[];
    /** Of the first of them. */
    readonly from: number;
    readonly total: number;
    /** Older ones that are no longer kept. */
    readonly dropped: number;
  },
  request: object,
  budget: number,
): ToolAnswer {
  const { channel, events, from, total, dropped } = page;
  const notes = dropped === 0 ? [] : [`The ${grouped(dropped)} oldest events are not kept.`];
  const items = events.map(({ time, direction, text }) => ({
    text: `${stamp(time)} ${direction === 'in' ? '←' : '→'} ${escaped(text)}`,
    twin: { timestampNs: time, direction, data: text },
  }));
  const after = (count: number): string | null =>
    from + count < total ? `k${from + count}` : null;
  return fit(budget, (room) =>
    assemble(room, items, {
      keep: 'first',
      before: ({ count }) => [
        sessionLine(view),
        ...notes.map((note) => `! ${note}`),
        total === 0
          ? `Nothing that fits went through channel ${channel}.`
          : `${grouped(count)} of ${counted(total, 'event')} of channel ${channel}:`,
      ],
      after: ({ count }) => {
        const cursor = after(count);
        if (cursor === null) return [];
        const { tool, arguments: asked } = channelStep(
          view,
          { ...request, action: 'query', cursor },
          '',
        );
        return [`… more: ${callText({ tool, arguments: asked })}`];
      },
      structured: (twins, { count }) => ({
        action: 'query',
        sessionId: view.id,
        channel,
        events: twins,
        totalCount: total,
        hasMore: after(count) !== null,
        cursor: after(count),
        notes,
        nextSteps: [],
      }),
    }),
  );
}
