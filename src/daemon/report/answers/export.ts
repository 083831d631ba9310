import { escaped } from '../../../base/visible.ts';
import type { ExportFormat } from '../../../db/export/port.ts';
import type { ExportState } from '../../export/exports.ts';
import type { Rendered } from './budget.ts';
import { chosen, nextLines, type NextStep } from './nextSteps.ts';
import { counted } from '../text/groupedNumber.ts';
import { query, sceneLines, sceneTwin, type Scene } from './scene.ts';

/** Viewers hold a file as objects, in several times its size. */
const MUCH_FOR_BROWSERS = 500e6;

/** What became of an export. */
export interface ExportFacts {
  readonly format: ExportFormat;
  readonly state: ExportState;
  readonly collector: string | null;
}

/** Where the file is, what it holds and what it does not. */
export function renderExport(scene: Scene, facts: ExportFacts, room: number): Rendered {
  const { format, state } = facts;
  const notes = notesOf(facts);
  const steps = chosen(nextOf(scene, state), room);
  const lines = [...notes.map((note) => `! ${escaped(note)}`), ...stateLines(facts)];
  const { bytes, ...totals } =
    state.kind === 'written' ? { bytes: state.result.bytes, ...state.result.totals } : soFar(state);
  const structured = {
    action: 'export',
    ...sceneTwin(
      scene,
      {
        pids: scene.summary.threads.pids,
        total: totals.calls,
        totalIsExact: state.kind === 'written',
        hasMore: state.kind === 'running',
        cursor: null,
      },
      { steps, room, notes },
    ),
    format: format.name,
    done: state.kind === 'written',
    path: state.kind === 'written' ? state.path : null,
    collector: facts.collector,
    bytes,
    ...totals,
  };
  const text = [...sceneLines(scene), ...lines, ...nextLines(steps)].join('\n');
  return { text, structured, leftOut: false };
}

/** What is true of a file that is being written. */
function soFar({ progress }: Extract<ExportState, { kind: 'running' }>) {
  const { calls, events, bytes } = progress;
  return { calls, events, bytes };
}

function nextOf(scene: Scene, state: ExportState): NextStep[] {
  if (state.kind === 'running')
    return [
      { tool: 'debug_session', arguments: scene.request, why: 'the same request keeps waiting' },
    ];
  return state.result.totals.calls === 0 ? [query(scene, { view: 'events' }, 'what there is')] : [];
}

function stateLines({ format, state, collector }: ExportFacts): string[] {
  if (state.kind === 'running') {
    const { calls, bytes } = state.progress;
    return [
      `still writing: ${counted(calls, 'call')}, ${sizeText(bytes)} so far. Send the same request again to keep waiting.`,
    ];
  }
  const { totals, bytes } = state.result;
  const events = totals.events > 0 ? `, ${counted(totals.events, 'other event')}` : '';
  const held = `${counted(totals.calls, 'call')}${events}, ${sizeText(bytes)}`;
  if (state.path === null)
    return [`sent to ${escaped(collector ?? '')} as ${format.name}: ${held}`];
  return [
    `written as ${format.name}: ${held}`,
    `  ${escaped(state.path)}`,
    `opens in ${format.shownBy}`,
  ];
}

function notesOf({ state, format }: ExportFacts): string[] {
  if (state.kind === 'running') return [];
  const { totals, notes, bytes } = state.result;
  return [
    ...(format.isForBrowsers && bytes >= MUCH_FOR_BROWSERS
      ? [
          'This may be too large for a browser: narrow it by time, thread or function, or use jsonl or csv.',
        ]
      : []),
    ...(totals.open > 0
      ? [
          `${counted(totals.open, 'call')} had not ended: ${format.endsOpen ? 'as long as was known' : 'without an end in the file'}.`,
        ]
      : []),
    ...(totals.dropped > 0
      ? [`${counted(totals.dropped, 'call')} went from the session while it was read (its limit).`]
      : []),
    ...notes,
  ];
}

function sizeText(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`;
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  return bytes >= 1e3 ? `${(bytes / 1e3).toFixed(1)} kB` : `${bytes} bytes`;
}
