import { Job } from './job.ts';

export function plan(names: readonly string[], urgent: readonly string[]): Job[] {
  return names.map((name) => new Job(name, urgent.includes(name) ? { retries: 9 } : {}));
}

export function attempts(jobs: readonly Job[]): number {
  return jobs.reduce((sum, { settings }) => sum + 1 + settings.retries, 0);
}
