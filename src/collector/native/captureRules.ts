/** What to take of values. */
export interface CaptureRules {
  /** Bounds each C string. */
  readonly stringBytes: number;
  /** Values whose names hold one of these are left in the target (model/redaction). */
  readonly secretNames: readonly string[];
}
