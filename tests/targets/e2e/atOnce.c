// For each line of its input two threads call a function that many times, at the same time.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int times;

__attribute__((noinline)) int left(int n) {
    return n + 1; // left
}

__attribute__((noinline)) int right(int n) {
    return n + 2; // right
}

static void *work(void *given) {
    int (*call)(int) = given;
    for (int i = 0; i < times; i++) {
        call(i);
        for (volatile int j = 0; j < 20000; j++)
            ;
    }
    return NULL;
}

int main(void) {
    char line[32];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        times = atoi(line);
        pthread_t one, other;
        pthread_create(&one, NULL, work, left);
        pthread_create(&other, NULL, work, right);
        pthread_join(one, NULL);
        pthread_join(other, NULL);
        printf("done %d\n", times);
        fflush(stdout);
    }
    return 0;
}
