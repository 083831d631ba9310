/** What to take of values. */
export interface CaptureRules {
  /** Bounds each text that is a value itself; several of one call share what there is. */
  readonly stringBytes: number;
  /** Values whose names hold one of these are left in the target (model/redaction). */
  readonly secretNames: readonly string[];
}

/** Of a text inside a value, which may have many. */
const innerTextBytes = 256;

/** Bytes of each text inside a value: all that its walk takes from the rules. */
export function innerText({ stringBytes }: Pick<CaptureRules, 'stringBytes'>): number {
  return Math.min(stringBytes, innerTextBytes);
}
