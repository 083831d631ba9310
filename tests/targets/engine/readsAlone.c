/* The engine's copies of memory that may go at any time, with the processor's transactions or without. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../native/engine/readSafely.c"
#include "../../../native/engine/reads.c"
#include "../../../native/engine/waitingFiles.c"

#define PAGE_BYTES 4096
#define ROUNDS 2000

__thread struct engine_thread engine_thread;
struct engine_process engine_process;
struct ring_file engine_file;
u32 engine_sandboxed, engine_pid;

static char *place; /* two pages; the second may not be read */
static volatile int stop;

static void on_fault(int number, siginfo_t *info, void *context) {
  u64 *pc = (u64 *)context + CONTEXT_PC;
  (void)info;
  if (!reads_recover(pc)) signal(number, SIG_DFL);
}

static void take_handler(int number) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  struct {
    u64 handler, flags, restorer, mask;
  } known;
  sigaction(number, &action, NULL);
  if (raw4(__NR_rt_sigaction, number, 0, &known, 8) == 0) reads_set_handler(known.handler);
}

static u32 text_at(u64 from, u32 most, u8 *to) {
  reads_begin();
  u32 got = read_text_quickly(to, from, most);
  reads_end();
  return got;
}

static u64 bytes_at(u64 from, u64 length, u8 *to) {
  reads_begin();
  u64 got = read_quickly(to, from, length);
  reads_end();
  return got;
}

/* Texts of every length that end at the last byte of what can be read, or have no end. */
static int at_the_edge(void) {
  static u8 to[3 * PAGE_BYTES];
  int wrong = 0;
  for (u32 length = 1; length <= PAGE_BYTES; length += length < 80 ? 1 : 61) {
    char *text = place + PAGE_BYTES - length;
    memset(place, 'x', PAGE_BYTES);
    wrong += text_at((u64)text, 2 * PAGE_BYTES, to) != length || memcmp(to, text, length) != 0;
    wrong += bytes_at((u64)text, length, to) != length || memcmp(to, text, length) != 0;
    wrong += bytes_at((u64)text, length + 1, to) != length;
    text[length - 1] = 0;
    wrong += text_at((u64)text, PAGE_BYTES, to) < length || strcmp((char *)to, text) != 0;
    if (length > 20) wrong += text_at((u64)text, 11, to) != 11 || memcmp(to, text, 11) != 0;
  }
  return wrong;
}

/* Texts that end near a boundary of what is copied at once, with others behind them. */
static int near_boundaries(void) {
  static u8 many[3 * PAGE_BYTES];
  static u64 to[16];
  int wrong = 0;
  memset(many, 'g', sizeof many);
  u8 *page = (u8 *)(((u64)many + PAGE_BYTES - 1) & ~(u64)(PAGE_BYTES - 1));
  for (u32 boundary = 1024; boundary <= PAGE_BYTES; boundary *= 4)
    for (u32 from = boundary - 48; from <= boundary + 8; from++)
      for (u32 length = 0; length < 60; length++) {
        page[from + length] = 0;
        u32 got = text_at((u64)page + from, 100, (u8 *)to);
        wrong += got <= length || text_length(to, got) != length || strlen((char *)to) != length;
        page[from + length] = 'g';
      }
  return wrong;
}

static int nowhere(void) {
  u8 to[64];
  static const u64 wild[] = {0, 16, 0x123456789000, ~0ul - 40, 1ul << 63, 0x800000000000};
  int wrong = 0;
  for (u32 i = 0; i < sizeof wild / sizeof *wild; i++)
    wrong += text_at(wild[i], sizeof to, to) != 0 || bytes_at(wild[i], sizeof to, to) != 0;
  return wrong;
}

/* Several reads that are one: with one that fails among them each is as if it were alone. */
static int at_once(void) {
  static const char constant[] = "a constant of the program";
  int wrong = 0;
  memset(place, 'y', PAGE_BYTES);
  for (int again = 0; again < 1000; again++) {
    const u64 from[] = {(u64)place + 8, (u64)place + PAGE_BYTES - 3, again % 3 ? (u64)constant : 16};
    const u64 expected[] = {21, again % 2 ? 3 : 0, again % 3 ? 21 : 0};
    u8 to[3][32] = {{0}};
    u64 got[3] = {0};
    reads_begin_at_once(timestamp());
    for (int i = 0; i < 3; i++)
      if (expected[i]) got[i] = read_quickly(to[i], from[i], i == 1 ? 3 : 21);
    if (again % 5 == 0) wrong += read_quickly(to[1], from[1], 21) != 3;
    if (again % 3 == 0) wrong += read_quickly(to[2], from[2], 21) != 0;
    reads_end();
    for (int i = 0; i < 3; i++) wrong += got[i] != expected[i] || memcmp(to[i], (void *)from[i], expected[i]) != 0;
  }
  return wrong + (engine_thread.reads != 0);
}

/* Constants and the stack are read without asking what the thread blocks. */
static int steady(void) {
  static const char constant[] = "a constant of the program";
  char local[40] = "what lies on the stack", far[3 * PAGE_BYTES];
  u8 to[2 * PAGE_BYTES];
  int wrong = 0;
  memset(far, 'z', sizeof far);
  far[sizeof far - 1] = 0;
  for (int again = 0; again < 1000; again++) {
    wrong += !text_at((u64)constant, sizeof constant, to) || strcmp((char *)to, constant) != 0;
    wrong += !text_at((u64)local, sizeof local, to) || strcmp((char *)to, local) != 0;
    wrong += bytes_at((u64)constant, 20, to) != 20 || memcmp(to, constant, 20) != 0;
    wrong += bytes_at((u64)far + 100, sizeof to, to) != sizeof to || memcmp(to, far + 100, sizeof to) != 0;
    wrong += !text_at((u64)far + sizeof far - 50, sizeof to, to) || strcmp((char *)to, far + sizeof far - 50) != 0;
  }
  reads_begin();
  u8 wide[1025];
  read_text_quickly(wide, (u64)constant, sizeof wide);
  return wrong + (engine_thread.reads != 0);
}

extern u64 __curbrk;

static int is_read(u64 from) {
  u8 to[300];
  reads_begin();
  int got = read_quickly(to, from, sizeof to) == sizeof to && memcmp(to, (void *)from, sizeof to) == 0;
  int has_asked = engine_thread.reads != READS_UNKNOWN;
  reads_end();
  return got && !has_asked;
}

/* So are variables and the heap, as long as it is one. */
static int variables_and_heap(void) {
  static char variable[300];
  u8 to[300];
  int wrong = 0;
  for (int round = 0; round < ROUNDS; round++) {
    variable[round % sizeof variable]++;
    char *heap = sbrk(4 * PAGE_BYTES);
    memset(heap, round, 4 * PAGE_BYTES);
    for (int again = 0; again < 3; again++) wrong += !is_read((u64)variable) || !is_read((u64)heap + 2 * PAGE_BYTES);
    sbrk(-4 * PAGE_BYTES);
    wrong += bytes_at((u64)heap + 2 * PAGE_BYTES, sizeof to, to) != 0;
  }
  return wrong;
}

static int come_and_go(void) {
  u8 to[64];
  int wrong = 0;
  for (int round = 0; round < ROUNDS; round++) {
    mprotect(place, PAGE_BYTES, PROT_READ | PROT_WRITE);
    sprintf(place, "round %d", round);
    for (int again = 0; again < 3; again++)
      wrong += !text_at((u64)place, sizeof to, to) || strcmp((char *)to, place) != 0;
    mprotect(place, PAGE_BYTES, PROT_NONE);
    wrong += text_at((u64)place, sizeof to, to) != 0 || bytes_at((u64)place, 40, to) != 0;
  }
  mprotect(place, PAGE_BYTES, PROT_READ | PROT_WRITE);
  return wrong;
}

static void *flicker(void *unused) {
  while (!stop) {
    mprotect(place, PAGE_BYTES, PROT_NONE);
    mprotect(place, PAGE_BYTES, PROT_READ);
  }
  return unused;
}

static int beside_a_thread(void) {
  pthread_t other;
  u8 to[64];
  int wrong = 0;
  strcpy(place, "there or not");
  stop = 0;
  pthread_create(&other, NULL, flicker, NULL);
  for (int round = 0; round < 20 * ROUNDS; round++)
    if (text_at((u64)place, sizeof to, to)) wrong += strcmp((char *)to, "there or not") != 0;
  stop = 1;
  pthread_join(other, NULL);
  mprotect(place, PAGE_BYTES, PROT_READ | PROT_WRITE);
  return wrong;
}

int main(int count, char **words) {
  sigset_t all;
  engine_pid = (u32)raw0(__NR_getpid);
  reads_start();
  engine_know_break(&__curbrk);
  if (count > 1 && strcmp(words[1], "without") == 0) reads_first = READS_UNKNOWN;
  place = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(place + PAGE_BYTES, PAGE_BYTES, PROT_NONE);
  take_handler(SIGBUS);
  take_handler(SIGSEGV);
  printf("%s\n", reads_first ? "transactions" : "without");
  for (int blocked = 0; blocked < 2; blocked++) {
    printf("%d %d %d %d %d %d %d %d\n", at_the_edge(), near_boundaries(), nowhere(), at_once(), steady(), variables_and_heap(), come_and_go(), beside_a_thread());
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
  }
  return 0;
}
