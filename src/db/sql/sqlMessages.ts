/** What a statement is asked with. */
export interface SqlQuestion {
  readonly storePath: string;
  readonly sql: string;
  readonly params: readonly (string | number | null)[];
  /** Rows given at most. */
  readonly limit: number;
}

export interface SqlRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
  /** There are more rows than these. */
  readonly hasMore: boolean;
}
