/**
 * The definitions file of one process, `<ring file>.defs`: what its function, type, file, name and strand numbers
 * mean. The engine appends to it inside the target, the daemon reads it. A ring overwrites its oldest records, so
 * definitions cannot lie there.
 *
 *   file  = head (48 bytes) · entry · entry · …
 *   head  = magic u64 · version u32 · pid u32 · bases u32[6] · zeros
 *   entry = length u32 (all of the entry, a multiple of 8) · kind u16 · language u16 · number u32 · line u32 ·
 *           fields · zeros
 *   text  = length u32 · UTF-8 bytes
 *
 *   kind      fields
 *   function  text of the qualified name · u32 file · u32 column · u32 offset of the definition in the file ·
 *             u32 functionFlags · u32 count of parameters · text of each parameter's name · of a statement: text, JSON
 *             of `TracedProbe`
 *   type      text of the name · text of the module · u32 typeFlags
 *   file      text of the absolute path, or `<string>#<hash>` · text of the SHA-1, or an empty one
 *   name      text
 *   strand    u32 of strandKinds · text of the name
 *
 * Each kind has numbers of its own, handed out by the engine: functions from `record.localFunctions` on, the others
 * from 1. An entry is appended by one write before the first record that uses its number, and then counted in the
 * ring file (`fileHeader.definitions`). A forked child has a file of its own once it defines something; `bases` are
 * the numbers that came next at the fork, by kind, and what is below them was defined by its parent
 * (`fileHeader.parent`).
 *
 * The last entry of a process that was killed may be cut off. Nothing refers to it.
 */
export const definitions = {
  magic: 0x53464542_4f525453n, // "STROBEFS" little-endian
  version: 1,
  headBytes: 48,
  entryBytes: 16,
  /** Longer entries are refused. */
  mostBytes: 65536,
} as const;

export const definitionsHead = { magic: 0, version: 8, pid: 12, bases: 16 } as const;

/** Byte offsets in an entry. */
export const definitionEntry = {
  length: 0,
  kind: 4,
  language: 6,
  number: 8,
  line: 12,
  fields: 16,
} as const;

export const definitionKind = { function: 1, type: 2, file: 3, name: 4, strand: 5 } as const;

export const definitionLanguage = { python: 1, javascript: 2, go: 3, other: 4 } as const;

/** Kinds of strands, in entries and in `context` records. */
export const strandKind = { task: 1, goroutine: 2, test: 3, greenlet: 4 } as const;

/** Whose calls a ring file holds that is written by code put into the program from outside. */
export const strandsOf = { goroutines: 1, threads: 2 } as const;
