/* First process of an emulated arm64 kernel: runs what /commands says and tells on the console how each ended.
 * A line: NAME=VALUE words for the environment, then the program and its words. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT "/tmp/output"
#define MOST 16
#define SECONDS 120

static void run(char *line) {
  char *environment[MOST] = {"LD_LIBRARY_PATH=/lib"}, *words[MOST] = {0};
  int variables = 1, count = 0, input[2];
  for (char *word = strtok(line, " \n"); word && count < MOST - 1 && variables < MOST - 1; word = strtok(NULL, " \n")) {
    if (!count && strchr(word, '=')) environment[variables++] = word;
    else words[count++] = word;
  }
  int output = open(OUTPUT, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (pipe(input) || write(input[1], "go\n", 3) != 3) _exit(98);
  dup2(input[0], 0);
  dup2(output, 1);
  dup2(output, 2);
  close(input[1]);
  alarm(SECONDS); /* which exec keeps */
  execve(words[0], words, environment);
  _exit(99);
}

static void tell(int number, int status) {
  char text[4096];
  size_t got;
  FILE *file = fopen(OUTPUT, "r");
  printf("\n@@ %d %d\n", number, status);
  while (file && (got = fread(text, 1, sizeof text, file)) > 0) fwrite(text, 1, got, stdout);
  if (file) fclose(file);
  printf("\n@@\n");
  fflush(stdout);
}

int main(void) {
  char line[1024];
  mount("proc", "/proc", "proc", 0, 0);
  mount("tmpfs", "/tmp", "tmpfs", 0, 0);
  FILE *commands = fopen("/commands", "r");
  for (int number = 0; commands && fgets(line, sizeof line, commands); number++) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) run(line);
    waitpid(child, &status, 0);
    tell(number, status);
  }
  reboot(RB_POWER_OFF);
  return 0;
}
