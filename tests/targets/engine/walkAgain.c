/* Copies of interfaces as Go lays them out (the address of what tells the type, the address of the value), some of
 * which another thread writes meanwhile. Standard input: the walk's steps as hex. Prints each copy's pieces as hex. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../../native/engine/readSafely.c"
#include "../../../native/engine/reads.c"
#include "../../../native/engine/waitingFiles.c"
#include "../../../native/engine/walk.c"

#define ROOM 384
#define BOXES 2000000u

__thread struct engine_thread engine_thread;
struct engine_process engine_process;
struct ring_file engine_file;
u32 engine_sandboxed, engine_pid;

struct held {
  u64 type, data;
} __attribute__((aligned(16)));

/* The hash lies 16 bytes behind the beginning. */
static const struct type {
  u64 size, pointers;
  u32 hash;
} types[2] = {{8, 0, 1}, {8, 0, 2}};

static u64 words[ROOM];

/* As a watch copies: `first` is what was copied first, `now` lies there when all is copied. */
static u32 copy_of(const struct held *first, const struct held *now) {
  reads_begin();
  u32 count = walk_value(words, 0, ROOM, 0, (const u8 *)first, (u64)now, sizeof *now);
  reads_end();
  return count;
}

static void say(const char *name, const struct held *first, const struct held *now) {
  u32 count = copy_of(first, now);
  printf("%s ", name);
  for (u32 i = 0; i < count; i++)
    for (u32 byte = 0; byte < 8; byte++) printf("%02x", (u8)(words[i] >> byte * 8));
  printf("\n");
}

static struct held shared;
static u64 *boxes; /* each holds its own number */
static volatile int ended;

/* Both words at once, and no value twice: whether its number is odd tells the type. */
static void *write_often(void *unused) {
  for (u64 i = 1; i < BOXES; i++) {
    struct held next = {(u64)&types[i & 1], (u64)&boxes[i]};
    __int128 bits;
    memcpy(&bits, &next, sizeof bits);
    while (!__sync_bool_compare_and_swap((__int128 *)&shared, *(__int128 *)&shared, bits)) continue;
  }
  ended = 1;
  return unused;
}

/* What does not say that it is torn is one value. */
static int is_wrong(void) {
  u32 count = copy_of(NULL, &shared);
  const struct walk walk = {.words = words};
  const struct held *copied = (const struct held *)(piece_at(&walk, 1) + 1);
  u64 index = (copied->data - (u64)boxes) / sizeof *boxes;
  if (copied->type & 1) return 0;
  for (u32 at = 1; at < count; at = after_piece(&walk, at)) {
    const struct piece *piece = piece_at(&walk, at);
    if (piece->address == copied->data) return *(const u64 *)(piece + 1) != index || copied->type != (u64)&types[index & 1];
  }
  return 1;
}

int main(void) {
  static char hex[1 << 16];
  static u8 program[sizeof hex / 2];
  u32 length = (u32)fread(hex, 1, sizeof hex - 1, stdin) / 2;
  for (u32 i = 0; i < length; i++) sscanf(hex + i * 2, "%2hhx", &program[i]);
  if (engine_set_steps(0, program, length / sizeof(struct step))) return 1;
  engine_pid = (u32)raw0(__NR_getpid);
  reads_start();

  static u64 number = 7;
  static const char letters[8] = "letters";
  struct held one = {(u64)&types[0], (u64)&number}, other = {(u64)&types[1], (u64)letters};
  struct held typed = {other.type, one.data}, filled = {one.type, other.data}, nothing = {0, 0};
  say("one", &one, &one);
  say("other", &other, &other);
  say("nothing", &nothing, &nothing);
  say("type written", &one, &typed);
  say("data written", &one, &filled);
  say("both written", &one, &other);
  say("emptied", &one, &nothing);
  say("set", &nothing, &one);
  struct held *gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  say("gone", &one, gone);

  pthread_t writer;
  u32 samples = 0, wrong = 0;
  boxes = calloc(BOXES, sizeof *boxes);
  for (u64 i = 0; i < BOXES; i++) boxes[i] = i;
  shared = (struct held){(u64)&types[0], (u64)&boxes[0]};
  pthread_create(&writer, NULL, write_often, NULL);
  for (; !ended || samples < 1000; samples++) wrong += is_wrong();
  pthread_join(writer, NULL);
  printf("written %d wrong\n", wrong);
  return 0;
}
