import { planFor, type Plan } from './plan.ts';

export class Show {
  readonly plan: Plan;

  constructor(name: string) {
    this.plan = planFor(name);
  }

  take(row: number): string | undefined {
    return this.plan.rows[row]?.shift();
  }

  free(): number {
    return this.plan.rows.reduce((sum, row) => sum + row.length, 0);
  }
}
