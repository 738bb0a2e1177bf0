#include "runtime/ABI/RuntimeABI.h"
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

/// Two internal procedures, as code that compilers make: the pointer to the variables of the host is in r10.
extern "C" void *frameOfFirst();
extern "C" void *frameOfSecond();
asm(".text\n"
    "frameOfFirst: movq %r10, %rax\n ret\n"
    "frameOfSecond: leaq 1(%r10), %rax\n ret\n");

using Procedure = void *(*)();

static void *call(void *address) { return reinterpret_cast<Procedure>(address)(); }
static void *code(Procedure procedure) { return reinterpret_cast<void *>(procedure); }

TEST(Trampolines, givesTheProcedureItsFrame) {
  int first, second;
  void *places[2];
  cufortMakeTrampoline(&places[0], code(frameOfFirst), &first);
  cufortMakeTrampoline(&places[1], code(frameOfSecond), &second);
  EXPECT_EQ(call(places[0]), &first);
  EXPECT_EQ(call(places[1]), reinterpret_cast<char *>(&second) + 1);
  EXPECT_EQ(call(places[0]), &first);
}

TEST(Trampolines, usesThatOfAPlaceAgain) {
  int first, second;
  void *place;
  cufortMakeTrampoline(&place, code(frameOfFirst), &first);
  void *address = place;
  cufortMakeTrampoline(&place, code(frameOfSecond), &second);
  EXPECT_EQ(place, address);
  EXPECT_EQ(call(place), reinterpret_cast<char *>(&second) + 1);
}

TEST(Trampolines, hasAsManyAsThereArePlaces) {
  constexpr int count = 1000; // several pages
  std::vector<void *> places(count);
  std::vector<int> frames(count);
  for (int i = 0; i < count; ++i)
    cufortMakeTrampoline(&places[i], code(frameOfFirst), &frames[i]);
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(call(places[i]), &frames[i]);
  EXPECT_EQ(std::set<void *>(places.begin(), places.end()).size(), size_t(count));
}

TEST(Trampolines, isForAllThreads) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int &mine : wrong)
    threads.emplace_back([&mine] {
      for (int i = 0; i < 1000; ++i) {
        void *places[8];
        int frames[8];
        for (int k = 0; k < 8; ++k)
          cufortMakeTrampoline(&places[k], code(frameOfFirst), &frames[k]);
        for (int k = 0; k < 8; ++k)
          mine += call(places[k]) != &frames[k];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}
