/* Files that Node writes for NODE_V8_COVERAGE as the process ends, when those that count are
 * written. */
#ifndef STROBE_NODE_COVERAGE_H
#define STROBE_NODE_COVERAGE_H

/* Of this process's files in the folder only those stay that are named so once, whichever thread
 * wrote them. */
void coverage_keep(const char *folder, const char *name);

#endif
