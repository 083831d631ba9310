// A settlement service: payments come in, settler threads book and confirm them, an auditor checks.
// usage: ledger [seconds]   (without it: until stopped)
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "auditor.h"
#include "processor.h"

namespace {

constexpr int accounts = 40;
std::atomic<bool> stopping{false};

void onSignal(int) { stopping = true; }

std::thread named(const char *name, void (*work)(void *), void *argument) {
  std::thread thread(work, argument);
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

void runSettler(void *processor) { static_cast<settle::Processor *>(processor)->run(); }

void runIntake(void *intake) {
  while (!stopping) {
    static_cast<settle::Intake *>(intake)->acceptOne();
    std::this_thread::sleep_for(std::chrono::microseconds(1'500));
  }
}

void runAuditor(void *auditor) {
  while (!stopping) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    static_cast<settle::Auditor *>(auditor)->check();
  }
}

void report(const settle::Intake &intake, const settle::Processor &processor) {
  std::printf("%ld payments accepted, %ld settled, %ld answers asked for again\n", intake.accepted(),
              processor.settled(), processor.retried());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0;
  std::signal(SIGTERM, onSignal);
  std::signal(SIGINT, onSignal);

  settle::RetryQueue queue;
  settle::Ledger ledger(accounts);
  settle::Gateway gateway(11);
  settle::Intake intake(queue, 5, accounts);
  settle::Processor processor(ledger, gateway, queue);
  settle::Auditor auditor(ledger, intake);

  std::vector<std::thread> threads;
  threads.push_back(named("settler-1", runSettler, &processor));
  threads.push_back(named("settler-2", runSettler, &processor));
  threads.push_back(named("settler-3", runSettler, &processor));
  threads.push_back(named("intake", runIntake, &intake));
  threads.push_back(named("auditor", runAuditor, &auditor));

  std::puts("ledger: settling payments on 3 threads");
  std::fflush(stdout);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (int tick = 1; !stopping; tick++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (seconds > 0 && std::chrono::steady_clock::now() >= end) stopping = true;
    if (tick % 5 == 0) processor.forgetOldBookings();
    if (tick % 10 == 0) report(intake, processor);
  }
  queue.close();
  for (auto &thread : threads) thread.join();
  report(intake, processor);
  return auditor.surplus() > 0 ? 3 : 0;
}
