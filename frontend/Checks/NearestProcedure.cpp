// Flang attaches to its error a message about each specific procedure, and behind it one for each thing that is wrong
// with it. The nearest procedure is the one that the fewest arguments do not fit, and with the fewest things wrong.

#include "frontend/Checks/NearestProcedure.h"
#include "flang/Parser/message.h"
#include "flang/Parser/provenance.h"
#include "flang/Semantics/semantics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <set>

using namespace Fortran;
using namespace Fortran::parser::literals;
using llvm::StringRef;

namespace {

/// A text and its place.
struct Note {
  parser::ProvenanceRange place;
  std::string text;
};

/// What is wrong with a specific procedure.
struct Misfit {
  Note procedure;
  std::vector<Note> reasons;

  /// Less is nearer.
  std::pair<size_t, size_t> distance() const {
    std::set<size_t> places;
    for (const Note &reason : reasons)
      places.insert(reason.place.start().offset());
    return {places.size(), reasons.size()};
  }
  bool operator<(const Misfit &other) const { return distance() < other.distance(); }
};

bool isAboutProcedure(StringRef text) {
  return text.starts_with("Specific procedure '") && text.ends_with("' does not match the actual arguments because");
}

/// What the attachments of `message` say of specific procedures; nothing if there is anything else.
std::vector<Misfit> misfitsOf(const parser::Message &message, const parser::AllCookedSources &sources) {
  std::vector<Misfit> misfits;
  for (auto attachment = message.attachment(); attachment; attachment = attachment->attachment()) {
    auto place = attachment->GetProvenanceRange(sources);
    Note note{place.value_or(parser::ProvenanceRange()), attachment->ToString()};
    if (!place || (misfits.empty() && !isAboutProcedure(note.text)))
      return {};
    if (isAboutProcedure(note.text))
      misfits.push_back({note, {}});
    else
      misfits.back().reasons.push_back(note);
  }
  bool areExplained = llvm::none_of(misfits, [](const Misfit &misfit) { return misfit.reasons.empty(); });
  return areExplained ? misfits : std::vector<Misfit>();
}

/// True for a procedure of a module that comes with the compiler, whose names users do not know.
bool isOfCompiler(const Misfit &misfit, semantics::SemanticsContext &context) {
  auto position = context.allCookedSources().allSources().GetSourcePosition(misfit.procedure.place.start());
  return position && llvm::any_of(context.intrinsicModuleDirectories(), [&](const std::string &directory) {
           return StringRef(*position->path).starts_with(directory);
         });
}

void explain(parser::Message &message, semantics::SemanticsContext &context) {
  const parser::AllCookedSources &sources = context.allCookedSources();
  std::vector<Misfit> misfits = misfitsOf(message, sources);
  auto place = message.GetProvenanceRange(sources);
  if (misfits.size() < 2 || !place || isOfCompiler(misfits.front(), context))
    return;
  Misfit nearest = *llvm::min_element(misfits);
  size_t all = misfits.size();
  llvm::erase_if(misfits, [&](const Misfit &misfit) { return nearest < misfit; });
  std::string text = message.ToString();
  if (misfits.size() == 1 && place->Contains(nearest.reasons.front().place) &&
      nearest.reasons.front().place.size() < place->size()) {
    place = nearest.reasons.front().place;
    StringRef name = StringRef(nearest.procedure.text).split('\'').second.split('\'').first;
    text += "; this one does not fit '" + name.str() + "', which is nearest";
  }
  parser::Message better(*place, "%s"_err_en_US, text);
  for (const Misfit &misfit : misfits) {
    better.Attach(misfit.procedure.place, "%s"_en_US, misfit.procedure.text);
    for (const Note &reason : misfit.reasons)
      better.Attach(reason.place, "%s"_en_US, reason.text);
  }
  if (misfits.size() < all)
    better.Attach(*place, "Others of the %zd specific procedures have more that does not match"_en_US, all);
  message = better;
}

} // namespace

bool cufort::frontend::isAboutGenericName(const parser::Message &message) {
  std::string text = message.ToString();
  return (StringRef(text).starts_with("No specific subroutine of generic '") ||
          StringRef(text).starts_with("No specific function of generic '")) &&
         StringRef(text).ends_with("' matches the actual arguments");
}

void cufort::frontend::explainByNearestProcedure(semantics::SemanticsContext &context) {
  for (parser::Message &message : context.messages().messages())
    if (message.IsFatal() && isAboutGenericName(message))
      explain(message, context);
}
