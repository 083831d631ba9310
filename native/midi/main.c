/* MIDI of the programs of a JACK server: what they play comes in here, what is sent from here
 * comes to them.
 *
 *   midi SERVER
 *
 * It is a client of the JACK server of that name, with a port each way; every port for MIDI that a
 * program makes is connected to one of them. What comes in on standard input are MIDI messages,
 * whole ones, as bytes (MIDI 1.0, without running status). The first line of standard output is
 * "ready". Then records follow, a line "KIND TIME COUNT" and COUNT bytes each: o: a program played
 * it; i: programs may read it; p: the ports that it is connected with now, a line each; l: how many
 * messages were lost. TIME is CLOCK_MONOTONIC, in nanoseconds. It ends with its standard input, or
 * with the server. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define MOST_BYTES 65536
#define SYSTEM_EXCLUSIVE 0xf0
#define END_OF_EXCLUSIVE 0xf7

/* What is used of <jack/jack.h> and <jack/midiport.h>. */
enum { JACK_NO_START = 1, JACK_SERVER_NAME = 4, PORT_IS_INPUT = 1, PORT_IS_OUTPUT = 2 };
static const char midi_type[] = "8 bit raw midi";
struct jack_event {
  uint32_t time;
  size_t size;
  uint8_t *bytes;
};
static struct {
  void *(*client_open)(const char *, int, int *, ...);
  int (*client_close)(void *);
  int (*set_process_callback)(void *, int (*)(uint32_t, void *), void *);
  int (*set_port_registration_callback)(void *, void (*)(uint32_t, int, void *), void *);
  void (*on_shutdown)(void *, void (*)(void *), void *);
  void *(*port_register)(void *, const char *, const char *, unsigned long, unsigned long);
  const char *(*port_name)(void *);
  int (*port_flags)(void *);
  void *(*port_by_name)(void *, const char *);
  int (*port_is_mine)(void *, void *);
  int (*port_connected_to)(void *, const char *);
  void *(*port_get_buffer)(void *, uint32_t);
  int (*activate)(void *);
  int (*connect)(void *, const char *, const char *);
  const char **(*get_ports)(void *, const char *, const char *, unsigned long);
  void (*free)(void *);
  uint32_t (*get_sample_rate)(void *);
  uint32_t (*midi_get_event_count)(void *);
  int (*midi_event_get)(struct jack_event *, void *, uint32_t);
  void (*midi_clear_buffer)(void *);
  int (*midi_event_write)(void *, uint32_t, const uint8_t *, size_t);
} jack;

static const char *const names[] = {
    "jack_client_open",
    "jack_client_close",
    "jack_set_process_callback",
    "jack_set_port_registration_callback",
    "jack_on_shutdown",
    "jack_port_register",
    "jack_port_name",
    "jack_port_flags",
    "jack_port_by_name",
    "jack_port_is_mine",
    "jack_port_connected_to",
    "jack_port_get_buffer",
    "jack_activate",
    "jack_connect",
    "jack_get_ports",
    "jack_free",
    "jack_get_sample_rate",
    "jack_midi_get_event_count",
    "jack_midi_event_get",
    "jack_midi_clear_buffer",
    "jack_midi_event_write",
};

/* One writer, one reader: the thread that plays takes no lock. */
struct ring {
  _Atomic uint32_t written, read;
  uint8_t bytes[MOST_BYTES];
};

struct head {
  int64_t time;
  uint32_t count;
  char kind;
};

static struct ring to_play, played;
static void *client, *out, *in;
static int told;
static atomic_int has_ended, lost;

static int64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void copy_in(struct ring *ring, uint32_t at, const void *bytes, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    ring->bytes[(at + i) % MOST_BYTES] = ((const uint8_t *)bytes)[i];
}

static void copy_out(const struct ring *ring, uint32_t at, void *bytes, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) ((uint8_t *)bytes)[i] = ring->bytes[(at + i) % MOST_BYTES];
}

/* 0: it has no room. */
static int ring_put(struct ring *ring, struct head head, const uint8_t *bytes) {
  uint32_t at = atomic_load(&ring->written), used = at - atomic_load(&ring->read);
  if (sizeof head + head.count > MOST_BYTES - used) return 0;
  copy_in(ring, at, &head, sizeof head);
  copy_in(ring, at + sizeof head, bytes, head.count);
  atomic_store(&ring->written, at + (uint32_t)sizeof head + head.count);
  return 1;
}

/* 0: it is empty. */
static int ring_look(const struct ring *ring, struct head *head, uint8_t *bytes) {
  uint32_t at = atomic_load(&ring->read);
  if (at == atomic_load(&ring->written)) return 0;
  copy_out(ring, at, head, sizeof *head);
  copy_out(ring, at + sizeof *head, bytes, head->count);
  return 1;
}

static void ring_drop(struct ring *ring, const struct head *head) {
  atomic_fetch_add(&ring->read, (uint32_t)sizeof *head + head->count);
}

static void wake(void) {
  uint64_t one = 1;
  if (write(told, &one, sizeof one) < 0) return; /* it is full of wakes already */
}

static void keep(char kind, int64_t time, const uint8_t *bytes, size_t count) {
  struct head head = {time, (uint32_t)count, kind};
  if (count > MOST_BYTES || !ring_put(&played, head, bytes)) atomic_fetch_add(&lost, 1);
  wake();
}

static int play(uint32_t frames, void *unused) {
  static uint8_t bytes[MOST_BYTES];
  void *from = jack.port_get_buffer(in, frames), *to = jack.port_get_buffer(out, frames);
  int64_t now = clock_ns(), frame_ns = 1000000000LL / jack.get_sample_rate(client);
  struct jack_event event;
  struct head head;
  (void)unused;
  for (uint32_t i = 0; i < jack.midi_get_event_count(from); i++)
    if (jack.midi_event_get(&event, from, i) == 0)
      keep('o', now - (frames - event.time) * frame_ns, event.bytes, event.size);
  jack.midi_clear_buffer(to);
  /* One that finds no room in this period goes with the next. */
  while (ring_look(&to_play, &head, bytes) &&
         jack.midi_event_write(to, 0, bytes, head.count) == 0) {
    ring_drop(&to_play, &head);
    keep('i', now, bytes, head.count);
  }
  return 0;
}

static void ports_changed(uint32_t port, int is_there, void *unused) {
  (void)port, (void)is_there, (void)unused;
  wake();
}

static void shut_down(void *unused) {
  (void)unused;
  atomic_store(&has_ended, 1);
  wake();
}

static int write_all(const void *bytes, size_t count) {
  while (count > 0) {
    ssize_t done = write(1, bytes, count);
    if (done < 0 && errno != EINTR) return 0;
    if (done > 0) bytes = (const char *)bytes + done, count -= (size_t)done;
  }
  return 1;
}

static int tell(char kind, int64_t time, const void *bytes, size_t count) {
  char line[64];
  int length = snprintf(line, sizeof line, "%c %lld %zu\n", kind, (long long)time, count);
  return write_all(line, (size_t)length) && write_all(bytes, count);
}

/* Names the ports of programs, where they are others than before. */
static int tell_ports(const char *now) {
  static char before[MOST_BYTES];
  if (strcmp(now, before) == 0) return 1;
  strcpy(before, now);
  return tell('p', clock_ns(), now, strlen(now));
}

static int connect_ports(void) {
  static char now[MOST_BYTES];
  const char **ports = jack.get_ports(client, 0, midi_type, 0);
  size_t length = 0;
  now[0] = 0;
  for (const char **port = ports; port && *port; port++) {
    void *handle = jack.port_by_name(client, *port);
    if (!handle || jack.port_is_mine(client, handle)) continue;
    int is_input = jack.port_flags(handle) & PORT_IS_INPUT;
    void *own = is_input ? out : in;
    const char *name = jack.port_name(own);
    int is_connected = jack.port_connected_to(own, *port) ||
                       jack.connect(client, is_input ? name : *port, is_input ? *port : name) == 0;
    if (is_connected && length + strlen(*port) + 2 < sizeof now)
      length += (size_t)sprintf(now + length, length ? "\n%s" : "%s", *port);
  }
  if (ports) jack.free(ports);
  return tell_ports(now);
}

static int tell_played(void) {
  static uint8_t bytes[MOST_BYTES];
  struct head head;
  while (ring_look(&played, &head, bytes)) {
    if (!tell(head.kind, head.time, bytes, head.count)) return 0;
    ring_drop(&played, &head);
  }
  return 1;
}

/* Bytes of the message that begins there; 0: it is not whole yet. */
static uint32_t message_bytes(const uint8_t *bytes, uint32_t count) {
  uint8_t status = bytes[0], kind = status & 0xf0;
  uint32_t length = 3;
  if (status == SYSTEM_EXCLUSIVE) {
    const uint8_t *end = memchr(bytes, END_OF_EXCLUSIVE, count);
    return end ? (uint32_t)(end - bytes) + 1 : 0;
  }
  if (kind == 0xc0 || kind == 0xd0 || status == 0xf1 || status == 0xf3) length = 2;
  else if (status < 0x80 || status > 0xf2) length = 1;
  return length <= count ? length : 0;
}

/* 0: nothing comes any more. */
static int take_input(void) {
  static uint8_t bytes[MOST_BYTES];
  static uint32_t waiting;
  ssize_t got = read(0, bytes + waiting, sizeof bytes - waiting);
  uint32_t done = 0, length;
  if (got <= 0) return 0;
  waiting += (uint32_t)got;
  while (done < waiting && (length = message_bytes(bytes + done, waiting - done)) > 0) {
    struct head head = {0, length, 'i'};
    if (!ring_put(&to_play, head, bytes + done)) atomic_fetch_add(&lost, 1);
    done += length;
  }
  memmove(bytes, bytes + done, waiting -= done);
  return waiting < sizeof bytes;
}

static int load(void) {
  void *library = dlopen("libjack.so.0", RTLD_NOW);
  void **functions = (void **)&jack;
  if (!library) return 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!(functions[i] = dlsym(library, names[i]))) return 0;
  return 1;
}

static int begin(const char *server) {
  client = jack.client_open("strobe", JACK_NO_START | JACK_SERVER_NAME, 0, server);
  if (!client) return 0;
  out = jack.port_register(client, "to programs", midi_type, PORT_IS_OUTPUT, 0);
  in = jack.port_register(client, "from programs", midi_type, PORT_IS_INPUT, 0);
  jack.on_shutdown(client, shut_down, 0);
  jack.set_process_callback(client, play, 0);
  jack.set_port_registration_callback(client, ports_changed, 0);
  return out && in && jack.activate(client) == 0;
}

static void serve(void) {
  int count = 0;
  uint64_t wakes;
  struct pollfd slots[] = {{0, POLLIN, 0}, {told, POLLIN, 0}};
  while (connect_ports() && tell_played() && !atomic_load(&has_ended)) {
    int now = atomic_load(&lost);
    char text[16];
    if (now != count &&
        !tell('l', clock_ns(), text, (size_t)snprintf(text, sizeof text, "%d", now)))
      return;
    count = now;
    if (poll(slots, 2, -1) < 0 && errno != EINTR) return;
    if (slots[1].revents && read(told, &wakes, sizeof wakes) < 0) return;
    if (slots[0].revents && !take_input()) return;
  }
}

int main(int count, char **words) {
  if (count != 2) return 2;
  told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (!load() || told < 0) {
    dprintf(2, "libjack.so.0 is not there\n");
    return 3;
  }
  if (!begin(words[1])) return 4;
  if (!write_all("ready\n", 6)) return 1;
  serve();
  if (!atomic_load(&has_ended)) jack.client_close(client);
  return 0;
}
