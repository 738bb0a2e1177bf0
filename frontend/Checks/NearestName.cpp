#include "frontend/Checks/NearestName.h"

llvm::StringRef cufort::frontend::nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef nearest;
  unsigned least = name.size() < 10 ? 2 : 3; // changed letters; what has that many is another name
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, /*AllowReplacements=*/true, least);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}
