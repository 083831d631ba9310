/* What a program finds on its stack as it begins: its arguments, its environment, and what the
 * kernel says of the machine. */
#ifndef STROBE_FIRST_STACK_H
#define STROBE_FIRST_STACK_H

#include <stdint.h>
#include <sys/types.h>

/* Writes the same once more, with these `name=value` words, each with a NUL, in place of those that
 * have their names, so that it ends below `below`. `stack`: the stack pointer that it begins with;
 * becomes the new one. 0 or errno: E2BIG: it has too many words. */
int first_stack_copy(pid_t pid, uint64_t *stack, uint64_t below, const uint8_t *words,
                     uint32_t bytes);

#endif
