/**
 * What a goroutine waits for, in the words of Go's runtime (runtime.waitReasonStrings). The index is the code in
 * records and stores: append only.
 */
export const parkReasons = [
  'something else',
  'a system call',
  'chan receive',
  'chan receive (nil chan)',
  'chan send',
  'chan send (nil chan)',
  'select',
  'select (no cases)',
  'sleep',
  'IO wait',
  'semacquire',
  'sync.Mutex.Lock',
  'sync.RWMutex.RLock',
  'sync.RWMutex.Lock',
  'sync.Cond.Wait',
  'sync.WaitGroup.Wait',
  'coroutine',
  'garbage collection',
  'GC assist marking',
  'GC assist wait',
  'wait for GC cycle',
] as const;

/** Index of those that the code in the target tells by itself. */
export const parkReason = { other: 0, systemCall: 1 } as const;

/** The reason of a suspension by the detail it is stored with: `chan receive`; null: it has none. */
export function parkReasonOf(detail: number): string | null {
  return detail === 0 ? null : (parkReasons[detail - 1] ?? parkReasons[parkReason.other]);
}
