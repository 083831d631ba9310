export interface Order {
  readonly id: string;
  readonly hall: string;
  readonly seats: number;
  readonly isMember: boolean;
}

export interface Bill {
  readonly id: string;
  readonly seats: number;
  readonly cents: number;
}
