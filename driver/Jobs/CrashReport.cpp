#include "driver/Jobs/CrashReport.h"
#include "llvm/ADT/StringExtras.h"
#include <csignal>

using namespace cufort::driver;

namespace {

constexpr llvm::StringLiteral notImplemented = "not yet implemented: ";

/// Beginnings of what compiler libraries print when they give up.
constexpr llvm::StringLiteral crashMarks[] = {
    notImplemented, "fatal internal error:", "LLVM ERROR:",   "PLEASE submit a bug report",
    "Stack dump",   "UNREACHABLE",           ": Assertion `", "terminate called"};

/// Returns the position of the first mark of a crash in `text`, or npos.
size_t findCrash(llvm::StringRef text) {
  size_t first = llvm::StringRef::npos;
  for (llvm::StringRef mark : crashMarks)
    first = std::min(first, text.find(mark));
  return first;
}

/// Returns what Flang says it cannot do, or an empty string.
llvm::StringRef missingFeature(const ChildResult &result) {
  for (llvm::StringRef text : {llvm::StringRef(result.messages), llvm::StringRef(result.fatal)}) {
    size_t at = text.find(notImplemented);
    if (at != llvm::StringRef::npos)
      return text.drop_front(at + notImplemented.size()).split('\n').first.trim();
  }
  return "";
}

/// Returns the place in the user's source, as "file:line:column", that messages name with what Flang cannot do, or an
/// empty string.
llvm::StringRef placeOfMissingFeature(llvm::StringRef messages) {
  llvm::StringRef before = messages.take_front(messages.find(notImplemented));
  if (before.size() == messages.size())
    return "";
  llvm::StringRef line = before.drop_front(before.rfind('\n') + 1);
  size_t end = line.find(": error: ");
  return end == llvm::StringRef::npos ? llvm::StringRef() : line.take_front(end);
}

std::string reasonOf(const ChildResult &result) {
  llvm::StringRef feature = missingFeature(result);
  if (!feature.empty())
    return "not supported: " + feature.str();
  std::string where = result.activity.empty() ? "" : " while " + result.activity;
  if (result.signal == SIGKILL)
    return "killed" + where + ", probably for want of memory";
  if (llvm::StringRef(result.fatal).contains_insensitive("out of memory") ||
      llvm::StringRef(result.messages).contains("std::bad_alloc"))
    return "out of memory" + where;
  return "internal error" + where;
}

} // namespace

llvm::StringRef cufort::driver::userMessages(llvm::StringRef messages) {
  size_t crash = findCrash(messages);
  if (crash == llvm::StringRef::npos)
    return messages;
  // The whole line goes: marks may stand behind a position in the compiler's own sources.
  size_t lineStart = messages.take_front(crash).rfind('\n');
  return lineStart == llvm::StringRef::npos ? llvm::StringRef() : messages.take_front(lineStart + 1);
}

std::string cufort::driver::describeCrash(const ChildResult &result, llvm::StringRef subject, bool deviceLink) {
  std::string position = result.file.empty() ? subject.str() : result.file;
  if (result.line)
    position += ":" + std::to_string(result.line);
  if (llvm::StringRef place = placeOfMissingFeature(result.messages); !place.empty())
    position = place.str();
  std::string reason = reasonOf(result);
  if (result.outOfTime) {
    std::string where = result.activity.empty() ? "" : " while " + result.activity;
    return position + ": cufort gave up after too much processor time" + where + "; --time-limit= sets the limit";
  }
  const char *what = deviceLink ? "cufort cannot finish this device code yet" : "cufort cannot compile this yet";
  return position + ": " + what + " (" + reason + "); please report it";
}
