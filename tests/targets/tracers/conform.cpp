/*
 * What every tracer is tried on (tests/integration/tracers/conformance.ts), in C++: carries out one command a line,
 * from standard input or from its arguments, and says on standard output what came of it.
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

extern "C" char **environ;
static const char *self;
static std::atomic<long> kept; /* what is used is not left out */

KEPT long add(long a, long b) { return a + b; }
KEPT long inner(long n) { return n * 2; }
KEPT long outer(long n) { return inner(n) + inner(n + 1); }
KEPT long depth(long n) { return n == 0 ? 0 : 1 + depth(n - 1); }
KEPT long work(long n) { return n + 100; }
KEPT long tick(long n) { return n & 1; }
KEPT long fails(const char *why) { throw std::runtime_error(why); }
KEPT long text(const char *shown) { return shown == nullptr ? 0 : (long)std::string(shown).size(); }
KEPT long nap(long ms) { usleep((useconds_t)ms * 1000); return ms; }

struct gauge { long reading; };
static long total;
static struct gauge gauge;
KEPT long bump(long n) { total += n; gauge.reading += 2 * n; return total; }

/* Never looks at what it is given. */
KEPT long blind(const char *wild) { return wild == (const char *)8 ? 8 : 0; }

static void child() {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        execl(self, self, "add 20 22", nullptr);
        _exit(127);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
}

static void carry_out(const std::string &line) {
    long a = 0, b = 0;
    const char *rest = line.c_str();
    if (sscanf(rest, "add %ld %ld", &a, &b) == 2) printf("%ld\n", add(a, b));
    else if (sscanf(rest, "outer %ld", &a) == 1) printf("%ld\n", outer(a));
    else if (sscanf(rest, "depth %ld", &a) == 1) printf("%ld\n", depth(a));
    else if (sscanf(rest, "nap %ld", &a) == 1) printf("%ld\n", nap(a));
    else if (sscanf(rest, "bump %ld", &a) == 1) printf("%ld\n", bump(a));
    else if (sscanf(rest, "threads %ld", &a) == 1) {
        std::vector<std::thread> threads;
        for (long i = 0; i < a; i++) threads.emplace_back([i] { kept += work(i); });
        for (std::thread &one : threads) one.join();
        printf("%ld threads\n", a);
    } else if (sscanf(rest, "many %ld", &a) == 1) {
        long sum = 0;
        for (long i = 0; i < a; i++) sum += tick(i);
        printf("%ld\n", sum);
    } else if (line.rfind("fail ", 0) == 0) {
        try {
            fails(rest + 5);
        } catch (const std::runtime_error &error) {
            printf("caught %s\n", error.what());
        }
    } else if (line == "hostile") {
        std::string long_text(100000, 'x');
        printf("%ld\n", text("\x1b[31m\"]}\n\xff\xfe") + text(long_text.c_str()) + text(nullptr));
        printf("%ld\n", blind((const char *)8));
    } else if (line == "child") child();
    else if (sscanf(rest, "exit %ld", &a) == 1) {
        fflush(stdout);
        _exit((int)a);
    } else printf("what? %s\n", rest);
    fflush(stdout);
}

int main(int argc, char **argv) {
    self = argv[0];
    for (int i = 1; i < argc; i++) carry_out(argv[i]);
    if (argc > 1) return 0;
    char line[4096];
    while (fgets(line, sizeof line, stdin) != nullptr) {
        std::string command = line;
        while (!command.empty() && command.back() == '\n') command.pop_back();
        carry_out(command);
    }
    return 0;
}
