#include "codegen/DeviceLink/PtxKernels.h"

using namespace llvm;
using namespace cufort::codegen;

std::vector<PtxKernel> cufort::codegen::kernelsIn(StringRef ptx) {
  constexpr StringLiteral entry = ".entry ", body = "\n{", end = "\n}";
  std::vector<PtxKernel> kernels;
  size_t last = 0;
  while (true) {
    size_t head = ptx.find(entry, last), begin = ptx.find(body, head);
    last = ptx.find(end, begin);
    if (head == StringRef::npos || begin == StringRef::npos || last == StringRef::npos)
      return kernels;
    last += end.size();
    StringRef text = ptx.slice(head + entry.size(), begin);
    StringRef name = text.take_until([](char c) { return c == '('; });
    kernels.push_back({name, text.drop_front(name.size()), ptx.slice(begin, last)});
  }
}
