/* Answers of the rewriting service that are kept in a file (src/protocol/keptAnswers.ts): reading
 * one costs less than asking for it. */
#ifndef STROBE_NODE_ANSWERS_H
#define STROBE_NODE_ANSWERS_H

#include "engine.h"

/* Null: there is none, or what it was made of has changed. The caller frees it. */
char *kept_answer(const char *head, u32 head_bytes, const char *text, u32 text_bytes,
                  u32 *answer_bytes);

#endif
