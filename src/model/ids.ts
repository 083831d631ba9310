/** A session's readable, unguessable name: `myapp-2026-02-05-14h32-k7f2`. */
export type SessionId = string & { readonly brand: 'SessionId' };

/** A call's handle inside one session: `c<thread>.<ordinal>`, e.g. `c3.1042`. */
export type CallId = string & { readonly brand: 'CallId' };

/** Nanoseconds of CLOCK_MONOTONIC since the session's start. Exact below 2^53 (104 days). */
export type SessionNs = number;

/** The session id for a text that has already been checked to be one. */
export function sessionId(text: string): SessionId {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the one place that gives the brand
  return text as SessionId;
}

/** `c<thread>.<ordinal>`: thread is the store's thread key, ordinal counts that thread's calls from 0. */
export function callId(thread: number, ordinal: number): CallId {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the one place that gives the brand
  return `c${thread}.${ordinal}` as CallId;
}

/** The thread key and ordinal of a call id, or null when the text is not one. */
export function parseCallId(text: string): { thread: number; ordinal: number } | null {
  const found = /^c(\d{1,9})\.(\d{1,12})$/.exec(text);
  return found ? { thread: Number(found[1]), ordinal: Number(found[2]) } : null;
}
