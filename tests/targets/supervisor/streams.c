/* Shows output and input at their edges; the first argument chooses. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t done = write(fd, bytes, count);
        if (done < 0) _exit(9);
        bytes += done;
        count -= (size_t)done;
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "flood")) { /* numbered 20-byte lines */
        char line[32];
        for (int i = 0; i < atoi(argv[2]); i++) {
            snprintf(line, sizeof line, "line %014d\n", i);
            write_all(1, line, 20);
        }
    } else if (!strcmp(what, "binary")) {
        char all[256];
        for (int i = 0; i < 256; i++) all[i] = (char)i;
        write_all(1, all, sizeof all);
    } else if (!strcmp(what, "halves")) { /* one UTF-8 character in two writes, input in between */
        char go;
        write_all(1, "\xe2\x82", 2);
        if (read(0, &go, 1) != 1) return 8;
        write_all(1, "\xac", 1);
    } else if (!strcmp(what, "closes")) { /* lives on without streams until it gets a signal */
        close(0);
        close(1);
        close(2);
        for (;;) pause();
    } else if (!strcmp(what, "orphan")) { /* leaves a daemonised grandchild */
        if (fork() == 0) {
            setsid();
            if (fork() == 0) {
                printf("grandchild %d\n", getpid());
                fflush(stdout);
                char byte;
                exit(read(0, &byte, 1) == 0 ? 42 : 43); /* until stdin ends */
            }
            _exit(0);
        }
    } else if (!strcmp(what, "raise")) {
        raise(atoi(argv[2]));
    } else if (!strcmp(what, "exit")) {
        return atoi(argv[2]);
    }
    return 0;
}
