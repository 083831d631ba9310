// What generated programs call one another by, and how they write down what was called: a line for each thread, then
//   E fn a      a call begins            L fn r   it returns
//   T fn        what it returns is what the next call returns, by which it may be replaced
//   U n, J n    an exception, a longjmp is back in the thread's call n
//   A, X, Z     what begins here lets nothing past itself; an exception is back there; it is over
//   B, S n      another stack begins below the running call; stack n runs
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

struct Big {
  long v[5];
};

namespace run {

using Call = long (*)(long);

struct Jump {
  jmp_buf buf;
  Jump *up;
};

struct Coroutine {
  ucontext_t here, there;
  Call call;
  long given, result;
  int number;
  bool isDone;
  Jump *jumps;
  Coroutine *up;
};

struct Thread {
  std::string log;
  int fuel = 0;
  int level = 0;
  int calls = 0;
  int stacks = 1;
  int stack = 0;
  Jump *jumps = nullptr;
  Coroutine *coroutine = nullptr;
  Call signalled = nullptr;
  long given = 0, result = 0;
};

inline std::vector<Thread *> all;
inline std::mutex guard;
inline thread_local Thread *own;
inline const char *path;
inline bool isEnding;

inline void begin(int fuel, int level) {
  own = new Thread;
  own->fuel = fuel;
  own->level = level;
  own->log = "thread " + std::to_string(gettid()) + "\n";
  std::lock_guard<std::mutex> held(guard);
  all.push_back(own);
}

inline void note(const char *what, long first) {
  own->log += what + std::to_string(first) + "\n";
}
inline void note(const char *what, long first, long second) {
  own->log += what + std::to_string(first) + " " + std::to_string(second) + "\n";
}
// The number of the call, from 0 in each thread.
inline int enter(int fn, long a) {
  note("E ", fn, a);
  return own->calls++;
}
inline long leave(int fn, long r) {
  note("L ", fn, r);
  return r;
}
inline bool fuel() {
  return own->fuel > 0 && own->fuel-- > 0;
}
inline unsigned mixed(long s) {
  return static_cast<unsigned>((static_cast<unsigned long>(s) * 0x9e3779b97f4a7c15u) >> 40);
}

inline long atBase(Call call, long a) {
  own->log += "A\n";
  Jump *jumps = own->jumps;
  own->jumps = nullptr;
  long r = 0;
  try {
    r = call(a);
  } catch (int thrown) {
    own->log += "X\n";
    r = thrown;
  }
  own->log += "Z\n";
  own->jumps = jumps;
  return r;
}

inline long inThread(Call call, long a) {
  if (own->level >= 2)
    return 0;
  long r = 0;
  int level = own->level + 1;
  std::thread other([&] {
    begin(60, level);
    r = atBase(call, a);
  });
  other.join();
  return r;
}

inline void runCoroutine() {
  Coroutine *me = own->coroutine;
  me->result = atBase(me->call, me->given);
  me->isDone = true;
}

inline void resume(Coroutine *to) {
  int from = own->stack;
  Jump *jumps = own->jumps;
  to->up = own->coroutine;
  own->coroutine = to;
  own->jumps = to->jumps;
  note("S ", own->stack = to->number);
  swapcontext(&to->there, &to->here);
  to->jumps = own->jumps;
  own->jumps = jumps;
  own->coroutine = to->up;
  note("S ", own->stack = from);
}

inline void yield() {
  if (Coroutine *me = own->coroutine)
    swapcontext(&me->here, &me->there);
}

inline long inCoroutine(Call call, Call between, long a) {
  if (own->coroutine || own->stacks > 6)
    return 0;
  constexpr size_t size = 8 << 20;
  char *stack = new char[size];
  Coroutine it{};
  it.call = call;
  it.given = a;
  it.number = own->stacks++;
  own->log += "B\n";
  getcontext(&it.here);
  it.here.uc_stack.ss_sp = stack;
  it.here.uc_stack.ss_size = size;
  it.here.uc_link = &it.there;
  makecontext(&it.here, runCoroutine, 0);
  long r = 0;
  while (!it.isDone) {
    resume(&it);
    if (!it.isDone && fuel())
      r += atBase(between, a & 15);
  }
  delete[] stack;
  return r + it.result;
}

inline void onSignal(int) {
  Call call = own->signalled;
  long r = atBase(call, own->given);
  own->result = r;
}

inline long bySignal(Call call, long a) {
  own->signalled = call;
  own->given = a;
  own->result = 0;
  raise(SIGUSR1);
  return own->result;
}

// A frame larger than two pages, of a function that is not traced.
__attribute__((noinline)) inline long through(Call call, long a) {
  char large[12000];
  memset(large, static_cast<int>(a), sizeof large);
  asm volatile("" : : "r"(large) : "memory");
  long r = call(a);
  asm volatile("" : : "r"(large) : "memory");
  return r + large[a & 1023] % 2;
}

inline void write() {
  FILE *to = std::fopen(path, "w");
  for (Thread *one : all)
    std::fputs(one->log.c_str(), to);
  std::fclose(to);
}

inline void start(const char *to, bool ownSignalStack) {
  path = to;
  begin(0, 0);
  struct sigaction action {};
  action.sa_handler = onSignal;
  action.sa_flags = (ownSignalStack ? SA_ONSTACK : 0) | SA_NODEFER;
  sigaction(SIGUSR1, &action, nullptr);
  if (ownSignalStack) {
    static char memory[8 << 20];
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = sizeof memory;
    sigaltstack(&stack, nullptr);
  }
  std::atexit(write);
}

} // namespace run
