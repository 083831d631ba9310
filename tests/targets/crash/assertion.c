/* An assertion fails in a second thread while the main one waits for it. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct queue {
  int length, capacity;
};
__attribute__((noinline)) void push(struct queue *queue, int item) {
  assert(queue->length < queue->capacity);
  queue->length++;
  (void)item;
}
static void *produce(void *argument) {
  struct queue *queue = argument;
  pthread_setname_np(pthread_self(), "producer");
  for (int item = 0; item < 10; item++) push(queue, item);
  return NULL;
}
int main(void) {
  struct queue queue = {0, 4};
  pthread_t thread;
  pthread_create(&thread, NULL, produce, &queue);
  pthread_join(thread, NULL);
  printf("%d\n", queue.length);
}
