#include "frontend/Parse/StatementText.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

/// The position after the character literal that begins at `position`.
static size_t endOfLiteral(StringRef line, size_t position) {
  size_t end = line.find(line[position], position + 1);
  return end == StringRef::npos ? line.size() : end + 1;
}

size_t cufort::frontend::openingOfStatement(StringRef line, StringRef keyword) {
  for (size_t i = 0; i < line.size();) {
    if (line[i] == '\'' || line[i] == '"') {
      i = endOfLiteral(line, i);
      continue;
    }
    bool beginsWord = i == 0 || !(llvm::isAlnum(line[i - 1]) || line[i - 1] == '_' || line[i - 1] == '%');
    if (beginsWord && line.drop_front(i).starts_with(keyword)) {
      size_t next = line.find_first_not_of(' ', i + keyword.size());
      if (next != StringRef::npos && line[next] == '(')
        return next;
    }
    ++i;
  }
  return StringRef::npos;
}

size_t cufort::frontend::endOfItem(StringRef line, size_t position) {
  for (int depth = 0; position < line.size();) {
    char c = line[position];
    if (c == '\'' || c == '"') {
      position = endOfLiteral(line, position);
      continue;
    }
    if (depth == 0 && (c == ',' || c == ')'))
      return position;
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    ++position;
  }
  return position;
}

llvm::SmallVector<StringRef> cufort::frontend::itemsOfKernelLoops(StringRef line) {
  llvm::SmallVector<StringRef> items;
  size_t begin = line.find("<<<"), end = line.rfind(">>>");
  if (!line.starts_with("!$cuf") || begin == StringRef::npos || end == StringRef::npos || end < begin + 3)
    return items;
  StringRef list = line.slice(begin + 3, end);
  for (size_t position = 0; position <= list.size();) {
    size_t next = endOfItem(list, position);
    items.push_back(list.slice(position, next));
    position = next + 1;
  }
  return items;
}
