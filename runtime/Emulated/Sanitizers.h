// Which sanitizers this is compiled for: GCC and Clang say it in different ways.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define CUFORT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CUFORT_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define CUFORT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CUFORT_TSAN 1
#endif
#endif
