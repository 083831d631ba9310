/* A process that nobody entered: it was given a word in its environment as it began, and its
 * preload comes in by that (src/collector/node/ownLinks.ts). */
#ifndef STROBE_NODE_ALONE_H
#define STROBE_NODE_ALONE_H

/* Starts the engine, and serves the daemon from a thread of its own, once what is wanted is known.
 * Does nothing where the word is missing, or nobody answers. In the main thread, once. */
void alone_begin(void);

#endif
