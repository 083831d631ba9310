#include <assert.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>
#include "modbus.h"

enum { answers = 7 };

/** The function code of the answer to a request; the registers 100 to 109 are there. */
static int answered(const uint8_t *request, int length, int *value) {
  int ends[2];
  uint8_t answer[260] = {0};
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  modbus_t *context = modbus_new_tcp("127.0.0.1", 1502);
  modbus_set_socket(context, ends[0]);
  modbus_mapping_t *mapping = modbus_mapping_new_start_address(0, 0, 0, 0, 100, 10, 0, 0);
  mapping->tab_registers[1] = 42;
  modbus_reply(context, request, length, mapping);
  read(ends[1], answer, sizeof answer);
  *value = answer[9] << 8 | answer[10];
  close(ends[0]);
  close(ends[1]);
  return answer[answers];
}

static void registers_are_read(void) {
  const uint8_t request[] = {0, 1, 0, 0, 0, 6, 255, 0x03, 0, 101, 0, 1};
  int value;
  assert(answered(request, sizeof request, &value) == 0x03);
  assert(value == 42);
}

static void others_are_refused(void) {
  const uint8_t request[] = {0, 1, 0, 0, 0, 6, 255, 0x03, 0, 99, 0, 1};
  int value;
  assert(answered(request, sizeof request, &value) == 0x83);
}

static void registers_are_written_and_read(void) {
  const uint8_t request[] = {0, 1, 0, 0, 0, 13, 255, 0x17, 0, 101, 0, 1, 0, 102, 0, 1, 2, 0, 7};
  int value;
  assert(answered(request, sizeof request, &value) == 0x17);
}

/* libmodbus 3.1.8: "Fix address check in write and read registers". */
static void writes_before_the_first_are_refused(void) {
  const uint8_t request[] = {0, 1, 0, 0, 0, 13, 255, 0x17, 0, 101, 0, 1, 0, 99, 0, 1, 2, 0, 7};
  int value;
  int code = answered(request, sizeof request, &value);
  assert(code == 0x97);
}

int main(void) {
  registers_are_read();
  others_are_refused();
  registers_are_written_and_read();
  writes_before_the_first_are_refused();
  return 0;
}
