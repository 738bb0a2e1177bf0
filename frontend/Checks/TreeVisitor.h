// The base of visitors of the parse tree.
#pragma once

namespace cufort::frontend {

/// Goes everywhere and does nothing. A visitor that derives from it names the nodes that it cares about, and says
/// `using TreeVisitor::Pre; using TreeVisitor::Post;` for the rest.
struct TreeVisitor {
  template <typename T>
  bool Pre(const T &) {
    return true;
  }
  template <typename T>
  void Post(const T &) {}
};

} // namespace cufort::frontend
