import { stepCount, stepText } from './texts.ts';

export interface Step {
  show(): string;
}

export function buildSteps(): Step[] {
  const steps: Step[] = [];
  for (var index = 0; index < stepCount(); index++) {
    steps.push({ show: () => `${index + 1}. ${stepText(index)}` });
  }
  return steps;
}
