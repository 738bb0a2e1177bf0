#include "driver/Options/Words.h"
#include "driver/Options/Errors.h"
#include "llvm/ADT/StringExtras.h"

using namespace cufort::driver;

llvm::SmallVector<llvm::StringRef, 8> cufort::driver::splitList(llvm::StringRef list, llvm::StringRef separators) {
  llvm::SmallVector<llvm::StringRef, 8> pieces;
  while (!list.empty()) {
    size_t end = list.find_first_of(separators);
    llvm::StringRef piece = list.take_front(end).trim();
    if (!piece.empty())
      pieces.push_back(piece);
    list = end == llvm::StringRef::npos ? llvm::StringRef() : list.drop_front(end + 1);
  }
  return pieces;
}

llvm::StringRef cufort::driver::nearestWord(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known) {
  // A third of the letters may be wrong, one more in longer words: 'cc9O' finds 'cc90'; 'x' and 'foo' find nothing.
  unsigned limit = word.size() < 4 ? word.size() / 2 : word.size() / 3 + 1;
  llvm::StringRef nearest;
  unsigned best = limit + 1;
  for (llvm::StringRef candidate : known) {
    unsigned distance = word.edit_distance_insensitive(candidate, /*AllowReplacements=*/true, best);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

llvm::Error cufort::driver::unknownValue(llvm::StringRef option, llvm::StringRef value,
                                         llvm::ArrayRef<llvm::StringRef> known) {
  llvm::StringRef nearest = nearestWord(value, known);
  if (!nearest.empty())
    return usageError("unknown value '" + value + "' of '" + option + "'; did you mean '" + nearest + "'?");
  return usageError("unknown value '" + value + "' of '" + option + "'; known: " + llvm::join(known, ", "));
}

llvm::Expected<unsigned> cufort::driver::parseNumber(llvm::StringRef option, llvm::StringRef text) {
  unsigned number;
  if (text.getAsInteger(10, number))
    return usageError("'" + option + "' needs a number, not '" + text + "'");
  return number;
}
