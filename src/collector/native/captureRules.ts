/** What to take of values. */
export interface CaptureRules {
  /** Bounds each text that is a value itself; several of one call share what there is. */
  readonly stringBytes: number;
  /** Values whose names hold one of these are left in the target (model/redaction). */
  readonly secretNames: readonly string[];
}
