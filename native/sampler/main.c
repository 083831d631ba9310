/* Where threads spend their time: `sampler MILLISECONDS TID…` asks the kernel for samples of the
 * processor's clock (perf_event_open(2)) while the threads run on, none of them is stopped, and
 * writes
 *
 *   thread TID
 *   at PC                        for each sample, hexadecimal
 *   registers R0 … PC            of the last one, in the order of DWARF, and
 *   stack BYTES                  from its stack pointer on, hexadecimal
 *
 * A thread that cannot be sampled (perf_event_paranoid) is left out. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include "x64/registers.h"
#endif

#define MOST_THREADS 4
#define PERIOD_NS 5000000ul
#define STACK_BYTES 8192u
#define RING_BYTES (64ul * 4096)
#define PAGE 4096ul

struct sample {
  uint64_t ip, abi, registers[REGISTERS], stack_size;
};

static int open_clock(int tid) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = PERIOD_NS;
  attributes.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attributes.sample_regs_user = REGISTER_MASK;
  attributes.sample_stack_user = STACK_BYTES;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void copy_out(const uint8_t *ring, uint64_t at, void *to, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++) ((uint8_t *)to)[i] = ring[(at + i) % RING_BYTES];
}

static void tell_last(const uint8_t *ring, uint64_t at, const struct sample *sample) {
  static uint8_t stack[STACK_BYTES];
  uint64_t used = 0;
  copy_out(ring, at, stack, STACK_BYTES);
  copy_out(ring, at + STACK_BYTES, &used, sizeof used); /* how much of it is the stack */
  if (sample->stack_size != STACK_BYTES || used > STACK_BYTES) used = 0;
  printf("registers");
  for (int i = 0; i < REGISTERS; i++)
    printf(" %llx", (unsigned long long)sample->registers[order[i]]);
  printf("\nstack ");
  for (uint64_t i = 0; i < used; i++) printf("%02x", stack[i]);
  printf("\n");
}

static void tell(int tid, uint8_t *memory) {
  const struct perf_event_mmap_page *page = (const void *)memory;
  const uint8_t *ring = memory + PAGE;
  uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), last = 0;
  struct sample sample, newest;
  printf("thread %d\n", tid);
  for (uint64_t at = 0; at + sizeof(struct perf_event_header) <= head;) {
    struct perf_event_header record;
    copy_out(ring, at, &record, sizeof record);
    if (record.size < sizeof record) break;
    if (record.type == PERF_RECORD_SAMPLE && record.size >= sizeof record + sizeof sample) {
      copy_out(ring, at + sizeof record, &sample, sizeof sample);
      if (sample.abi == PERF_SAMPLE_REGS_ABI_64) {
        printf("at %llx\n", (unsigned long long)sample.ip);
        last = at + sizeof record + sizeof sample;
        newest = sample;
      }
    }
    at += record.size;
  }
  if (last) tell_last(ring, last, &newest);
}

int main(int count, char **words) {
  uint8_t *memory[MOST_THREADS] = {0};
  int threads = count - 2 < MOST_THREADS ? count - 2 : MOST_THREADS;
  for (int i = 0; i < threads; i++) {
    int clock = open_clock(atoi(words[i + 2]));
    if (clock < 0) continue;
    void *mapped = mmap(NULL, PAGE + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, clock, 0);
    if (mapped != MAP_FAILED) memory[i] = mapped;
  }
  if (threads > 0) poll(NULL, 0, atoi(words[1]));
  for (int i = 0; i < threads; i++)
    if (memory[i]) tell(atoi(words[i + 2]), memory[i]);
  return 0;
}
