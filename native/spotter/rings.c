/* Events of perf_event_open(2): a debug register per thread, set by the kernel, so that nothing in
 * the process changes and nothing of it is stopped. Only events of one processor are both inherited
 * and recorded, so a thread has one for each. */
#define _GNU_SOURCE
#include "rings.h"
#include <dirent.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u
#define MOST_RING_BYTES (128u * PAGE)
#define LEAST_RING_BYTES (4u * PAGE)
#define ALL_RING_BYTES (1024u * PAGE)
#define MOST_THREADS 4096u
#define MOST_ROUNDS 16
#define TWICE_NS 1000000ull
#define MOST_DOUBTFUL 64
#define MOST_PATH 512
#define LARGEST_RECORD 2048u

/* ax bx cx dx si di bp sp ip flags, r8..r15 (arch/x86/include/uapi/asm/perf_regs.h). */
#define REGISTER_MASK 0xff03ffull
#define REGISTERS 18
#define REGISTER_IP 8
#define REGISTER_FLAGS 9
static const uint8_t kernel_order[16] = {0, 2, 3, 1, 7, 6, 4, 5, 10, 11, 12, 13, 14, 15, 16, 17};

struct sample {
  uint64_t ip;
  uint32_t pid, tid;
  uint64_t time, stream, abi, registers[REGISTERS], stack_size;
};

/* A thread that began while events were opened may have inherited one beside its own. */
static struct {
  uint32_t tid;
  struct hit last;
} doubtful[MOST_DOUBTFUL];
static uint32_t doubtful_count;

static int open_event(const struct rings *rings, int tid, int cpu) {
#if !defined(__x86_64__)
  /* Elsewhere an event comes before its write, and what is written is read from other instructions.
   */
  errno = ENOTSUP;
  return -1;
#endif
  struct perf_event_attr wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.size = sizeof wanted;
  wanted.type = PERF_TYPE_BREAKPOINT;
  wanted.bp_type = HW_BREAKPOINT_W;
  wanted.bp_addr = rings->address;
  wanted.bp_len = rings->bytes;
  wanted.sample_period = 1;
  wanted.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID |
                       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  wanted.sample_regs_user = REGISTER_MASK;
  wanted.sample_stack_user = STACK_BYTES;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.inherit = 1;
  wanted.inherit_thread = 1; /* a forked child is another process */
  wanted.remove_on_exec = 1;
  wanted.mmap = 1;
  wanted.mmap2 = 1;
  wanted.use_clockid = 1;
  wanted.clockid = CLOCK_MONOTONIC;
  wanted.wakeup_events = 1;
  return (int)syscall(SYS_perf_event_open, &wanted, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int map_ring(struct rings *rings, uint32_t cpu, int event) {
  while (rings->ring_bytes >= LEAST_RING_BYTES) {
    void *mapped =
        mmap(NULL, PAGE + rings->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    if (mapped != MAP_FAILED) {
      rings->memory[cpu] = mapped;
      return 1;
    }
    if (errno != EPERM) return 0; /* else it is more than may be locked */
    rings->ring_bytes /= 2;
  }
  return 0;
}

/* Open until the process ends; one that cannot be noted is only left out of the count. */
static void keep(struct rings *rings, int event) {
  if (rings->event_count == rings->event_room) {
    uint32_t room = rings->event_room ? 2 * rings->event_room : 64;
    int *larger = realloc(rings->events, room * sizeof *larger);
    if (!larger) return;
    rings->events = larger;
    rings->event_room = room;
  }
  rings->events[rings->event_count++] = event;
}

/* Answers 0 or an error number. A thread that has just ended has no error. */
static int open_on(struct rings *rings, int tid, uint32_t cpu) {
  int event = open_event(rings, tid, (int)cpu);
  if (event < 0) return errno == ESRCH || errno == ENODEV || errno == ENXIO ? 0 : errno;
  if (rings->leader[cpu] < 0) {
    if (!map_ring(rings, cpu, event)) {
      int failed = errno;
      close(event);
      return failed;
    }
    rings->leader[cpu] = event;
  } else if (ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, rings->leader[cpu]) != 0) {
    int failed = errno;
    close(event);
    return failed;
  }
  keep(rings, event);
  return 0;
}

static int open_thread(struct rings *rings, int tid) {
  for (uint32_t cpu = 0; cpu < rings->cpus; cpu++) {
    int failed = open_on(rings, tid, cpu);
    if (!failed) continue;
    rings->refused = failed;
    rings->refused_threads++;
    return 0;
  }
  return 1;
}

static int is_known(const int *tids, uint32_t count, int tid) {
  for (uint32_t i = 0; i < count; i++)
    if (tids[i] == tid) return 1;
  return 0;
}

/* Opens those that are not known yet; answers how many there were. */
static uint32_t open_new(struct rings *rings, int *tids, uint32_t *count, int is_first) {
  char path[64];
  uint32_t found = 0;
  snprintf(path, sizeof path, "/proc/%d/task", rings->pid);
  DIR *folder = opendir(path);
  if (!folder) return 0;
  for (struct dirent *row; (row = readdir(folder));) {
    int tid = atoi(row->d_name);
    if (tid <= 0 || *count >= MOST_THREADS || is_known(tids, *count, tid)) continue;
    tids[(*count)++] = tid;
    found++;
    if (!open_thread(rings, tid)) continue;
    rings->threads++;
    if (!is_first && doubtful_count < MOST_DOUBTFUL) doubtful[doubtful_count++].tid = (uint32_t)tid;
  }
  closedir(folder);
  return found;
}

int rings_open(struct rings *rings) {
  static int tids[MOST_THREADS];
  uint32_t count = 0;
  struct rlimit files;
  long cpus = sysconf(_SC_NPROCESSORS_CONF);
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  rings->cpus = cpus < 1 ? 1 : cpus > MOST_CPUS ? MOST_CPUS : (uint32_t)cpus;
  rings->ring_bytes = MOST_RING_BYTES;
  while (rings->ring_bytes > LEAST_RING_BYTES &&
         (uint64_t)rings->ring_bytes * rings->cpus > ALL_RING_BYTES)
    rings->ring_bytes /= 2;
  for (uint32_t cpu = 0; cpu < rings->cpus; cpu++) rings->leader[cpu] = -1;
  for (int round = 0; round < MOST_ROUNDS && open_new(rings, tids, &count, round == 0) > 0; round++)
    if (rings->threads == 0) break;
  return rings->threads > 0;
}

static void copy_out(const uint8_t *ring, uint32_t size, uint64_t at, void *to, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++) ((uint8_t *)to)[i] = ring[(at + i) & (size - 1)];
}

/* The same write by both events of a thread. */
static int is_twice(const struct hit *hit) {
  for (uint32_t i = 0; i < doubtful_count; i++) {
    struct hit *last = &doubtful[i].last;
    if (doubtful[i].tid != hit->tid) continue;
    int twice = last->stream && last->stream != hit->stream && hit->time - last->time < TWICE_NS &&
                memcmp(&last->processor, &hit->processor, sizeof hit->processor) == 0;
    *last = *hit;
    if (twice) last->stream = 0;
    return twice;
  }
  return 0;
}

/* Returns its time. */
static uint64_t take_sample(const uint8_t *ring, uint32_t size, uint64_t at, struct sink *sink) {
  struct sample sample;
  struct hit hit;
  uint64_t used = 0;
  copy_out(ring, size, at, &sample, sizeof sample);
  sink->got++;
  memset(&hit, 0, sizeof hit);
  hit.time = sample.time;
  hit.stream = sample.stream;
  hit.tid = sample.tid;
  hit.processor.ip = sample.ip;
  if (sample.abi == PERF_SAMPLE_REGS_ABI_64) {
    for (uint32_t i = 0; i < 16; i++) hit.processor.general[i] = sample.registers[kernel_order[i]];
    hit.processor.flags = sample.registers[REGISTER_FLAGS];
    if (sample.stack_size == STACK_BYTES) {
      copy_out(ring, size, at + sizeof sample, hit.stack, STACK_BYTES);
      copy_out(ring, size, at + sizeof sample + STACK_BYTES, &used, sizeof used);
      hit.stack_bytes = used <= STACK_BYTES ? (uint32_t)used : 0;
    }
  }
  if (!is_twice(&hit)) sink->hit(&hit);
  return sample.time;
}

static void take_mapped(const uint8_t *ring, uint32_t size, uint64_t at, uint32_t bytes,
                        struct sink *sink) {
  struct {
    uint32_t pid, tid;
    uint64_t start, bytes, offset;
    uint8_t file[24];
    uint32_t protection, flags;
    char path[MOST_PATH];
  } record;
  memset(&record, 0, sizeof record);
  if (bytes <= sizeof record - MOST_PATH) return;
  copy_out(ring, size, at, &record, bytes < sizeof record - 1 ? bytes : sizeof record - 1);
  sink->mapped(&(struct mapped){record.start, record.bytes, record.offset, record.path});
}

static void loses_after(struct sink *sink, uint64_t time) {
  if (time < sink->whole_until) sink->whole_until = time;
}

static void drain_one(struct rings *rings, uint32_t cpu, struct sink *sink) {
  struct perf_event_mmap_page *page = (void *)rings->memory[cpu];
  const uint8_t *ring = rings->memory[cpu] + PAGE;
  uint32_t size = (uint32_t)page->data_size;
  uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = page->data_tail;
  int is_full = head - at + 2 * LARGEST_RECORD > size;
  uint64_t last = rings->last[cpu];
  if (rings->was_full[cpu]) loses_after(sink, last);
  while (at + sizeof(struct perf_event_header) <= head) {
    struct perf_event_header record;
    uint64_t words[2] = {0, 0};
    copy_out(ring, size, at, &record, sizeof record);
    if (record.size < sizeof record) break;
    uint64_t body = at + sizeof record;
    if (record.type == PERF_RECORD_SAMPLE && record.size >= sizeof record + sizeof(struct sample))
      last = take_sample(ring, size, body, sink);
    if (record.type == PERF_RECORD_MMAP2)
      take_mapped(ring, size, body, record.size - (uint32_t)sizeof record, sink);
    if (record.type == PERF_RECORD_LOST) {
      copy_out(ring, size, body, words, sizeof words);
      sink->lost += words[1];
      loses_after(sink, last);
    }
    at += record.size;
  }
  if (is_full) loses_after(sink, last);
  rings->last[cpu] = last;
  rings->was_full[cpu] = is_full != 0;
  __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

void rings_drain(struct rings *rings, struct sink *sink) {
  sink->whole_until = ~0ull;
  for (uint32_t cpu = 0; cpu < rings->cpus; cpu++)
    if (rings->memory[cpu]) drain_one(rings, cpu, sink);
}

uint64_t rings_count(const struct rings *rings) {
  uint64_t sum = 0, count;
  for (uint32_t i = 0; i < rings->event_count; i++)
    if (read(rings->events[i], &count, sizeof count) == (ssize_t)sizeof count) sum += count;
  return sum;
}

/* Of what was not taken yet; beginnings and ends of threads are in a ring, too. */
static int holds_writes(const struct perf_event_mmap_page *page) {
  const uint8_t *ring = (const uint8_t *)page + PAGE;
  uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = page->data_tail;
  while (at < head) {
    struct perf_event_header record;
    copy_out(ring, (uint32_t)page->data_size, at, &record, sizeof record);
    if (record.type == PERF_RECORD_SAMPLE || record.type == PERF_RECORD_LOST ||
        record.size < sizeof record)
      return 1;
    at += record.size;
  }
  return 0;
}

int rings_hold_writes(const struct rings *rings) {
  for (uint32_t cpu = 0; cpu < rings->cpus; cpu++)
    if (rings->memory[cpu] && holds_writes((const void *)rings->memory[cpu])) return 1;
  return 0;
}
