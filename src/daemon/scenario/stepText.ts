import type { ScenarioStep } from '../../protocol/tools/scenario.ts';

const MOST = 120;

/** A step as one short line: `click "Play"`, `assert trace function=note_on count=1`. */
export function stepText(step: ScenarioStep): string {
  const text = 'do' in step ? actionText(step) : checkText(step);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}

function actionText({
  do: action,
  on = 'ui',
  withinMs: _within,
  expect: _expect,
  ...fields
}: Extract<ScenarioStep, { do: string }>): string {
  return [action, ...(on === 'ui' ? [] : [on]), ...members(fields)].join(' ');
}

function checkText(step: Exclude<ScenarioStep, { do: string }>): string {
  const [word, { on, ...fields }] =
    'wait' in step
      ? ['wait', step.wait]
      : 'assert' in step
        ? ['assert', step.assert]
        : [`save ${step.save} from`, step.from];
  return [word, on, ...members(fields)].join(' ');
}

function members(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).map(([name, value]) => {
    const text =
      typeof value === 'string' && /^[\w.:-]+$/.test(value) ? value : JSON.stringify(value);
    return name === 'id' ? text : `${name}=${text}`;
  });
}
