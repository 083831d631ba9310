/* Opens a serial port, sets its speed, and answers each line until QUIT. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int port = argc > 1 ? open(argv[1], O_RDWR | O_NOCTTY) : -1;
  struct termios modes;
  if (port < 0 || tcgetattr(port, &modes) < 0) return 1;
  cfmakeraw(&modes);
  cfsetspeed(&modes, B2000000);
  tcsetattr(port, TCSANOW, &modes);
  FILE *in = fdopen(port, "r");
  char line[64];
  write(port, "READY\n", 6);
  while (fgets(line, sizeof line, in) && strcmp(line, "QUIT\n") != 0) {
    char answer[80];
    write(port, answer, snprintf(answer, sizeof answer, "PONG %s", line));
  }
  printf("done\n");
  return 0;
}
