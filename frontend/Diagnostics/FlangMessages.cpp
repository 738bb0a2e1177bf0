#include "frontend/Diagnostics/FlangMessages.h"
#include "flang/Parser/message.h"
#include "flang/Parser/provenance.h"
#include "flang/Parser/source.h"
#include "frontend/Diagnostics/ForeignSyntax.h"
#include "frontend/Diagnostics/MessageTexts.h"
#include "frontend/Diagnostics/SyntaxHints.h"
#include "llvm/ADT/STLExtras.h"
#include <set>
#include <tuple>

using namespace cufort::frontend;
using namespace Fortran::parser;

namespace {

/// What Fortran has in fixed form.
constexpr FixedColumns usualColumns = 72;

/// A line of a source: its file and its number.
using Line = std::pair<std::string, int>;

class Printer {
public:
  Printer(const AllCookedSources &sources, llvm::StringRef ownModules, FixedColumns columns, llvm::raw_ostream &out)
      : sources(sources), ownModules(ownModules), columns(columns), out(out) {}

  std::optional<Line> lineOf(const Message &message) const {
    auto range = message.GetProvenanceRange(sources);
    if (!range)
      return std::nullopt;
    auto position = sources.allSources().GetSourcePosition(range->start());
    if (!position)
      return std::nullopt;
    return Line(*position->path, position->line);
  }

  /// Where the statement begins in which `message` lies: continued lines end with an ampersand.
  std::optional<Line> statementOf(const Message &message) const {
    auto line = lineOf(message);
    auto position =
        line ? sources.allSources().GetSourcePosition(message.GetProvenanceRange(sources)->start()) : std::nullopt;
    if (!position)
      return std::nullopt;
    for (int before = position->trueLineNumber - 1; before > 0; --before, --line->second)
      if (!textOf(*position->sourceFile, before).split('!').first.rtrim().ends_with("&"))
        break;
    return line;
  }

  void print(const Message &message) {
    printOne(message, isLikelyMistake(message.ToString()) ? Severity::Warning : message.severity());
    if (message.severity() == Severity::Portability)
      return; // What follows are the constructs around it.
    llvm::SmallVector<const Message *> attachments;
    for (auto attachment = message.attachment(); attachment; attachment = attachment->attachment())
      attachments.push_back(attachment.get());
    for (const Message *attachment : withoutOwnModules(attachments))
      printOne(*attachment, attachment->severity());
    if (message.IsFatal())
      noteWhatIsCut(message);
  }

  /// Prints an error of the parser with the constructs around it, or what explains it better.
  void printSyntaxError(const Message &message, bool cuda) {
    std::string line = sourceLine(message);
    auto range = message.GetProvenanceRange(sources);
    auto position = range ? sources.allSources().GetSourcePosition(range->start()) : std::nullopt;
    size_t column = position ? position->column - 1 : 0;
    std::string error = withContexts(message);
    if (llvm::StringRef(error).starts_with("end of file"))
      return printEndOfFile(message, error);
    auto hint = cuda && position ? explainSyntaxError(line, column, error) : std::nullopt;
    if (!hint && position)
      hint = explainForeignSyntax(line, column, error);
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (hint) {
      sources.allSources().EmitMessage(stream, columnNear(*range, *position, hint->column), hint->text,
                                       "error: ", llvm::raw_ostream::RED,
                                       /*echoSourceLine=*/true);
    } else {
      message.Emit(stream, sources);
    }
    printPaths(text);
    if (!cuda && looksLikeCuda(line))
      out << "note: this looks like CUDA Fortran, which files with names in .f90 are taken for only with -cuda\n";
    if (llvm::StringRef advice = adviceAboutForm(line, error); !advice.empty())
      out << "note: " << advice << '\n';
    noteWhatIsCut(message);
  }

private:
  /// The mismatches of one specific procedure of a generic name.
  struct Specific {
    llvm::SmallVector<const Message *> reasons;
    int wrongTypes = 0;
    size_t firstWrong = 0;   ///< where the first argument of a wrong type begins
    bool takesFewer = false; ///< arguments than the call has; their types have not been looked at then
  };

  /// True if `line`, in fixed form, has text in columns that are not read.
  bool isCut(llvm::StringRef line) const {
    constexpr llvm::StringLiteral comments = "cC*!dD#";
    bool isRead = !line.empty() && !comments.contains(line.front()) && !line.take_front(columns).contains('!');
    return isRead && !line.drop_front(std::min<size_t>(line.size(), columns)).trim().empty();
  }

  static bool isContinuation(llvm::StringRef line) {
    constexpr size_t mark = 5;
    return line.size() > mark && line.take_front(mark).trim().empty() && line[mark] != ' ' && line[mark] != '0';
  }

  /// Says once that the statement in which `message` lies, or a line that continues it, is longer than what is read.
  void noteWhatIsCut(const Message &message) {
    auto range = message.GetProvenanceRange(sources);
    auto position =
        range && columns && !saidCut ? sources.allSources().GetSourcePosition(range->start()) : std::nullopt;
    if (!position)
      return;
    const SourceFile &file = *position->sourceFile;
    int line = position->trueLineNumber;
    bool isLong = isCut(textOf(file, line));
    while (!isLong && ++line <= static_cast<int>(file.lines()) && isContinuation(textOf(file, line)))
      isLong = isCut(textOf(file, line));
    if (!isLong)
      return;
    out << "note: what stands behind column " << columns << " of line " << line << " is not read";
    out << (columns == usualColumns ? ": -Mextend has 132 columns read\n" : "\n");
    saidCut = true;
  }

  /// Prints that the source ends too early, and where the unit begins that has no END.
  void printEndOfFile(const Message &message, llvm::StringRef error) {
    llvm::StringRef expected = error.split('\n').second.split('\n').first;
    std::string text;
    llvm::raw_string_ostream stream(text);
    std::string what = expected.ends_with(" statement") ? "the source ends before the " + expected.str()
                                                        : "the source ends within a statement or construct";
    sources.allSources().EmitMessage(stream, message.GetProvenanceRange(sources), what,
                                     "error: ", llvm::raw_ostream::RED, /*echoSourceLine=*/true);
    printPaths(text);
    for (auto attachment = message.attachment(); attachment; attachment = attachment->attachment())
      if (lineOf(*attachment))
        printOne(*attachment, Severity::Context);
  }

  /// One character in `column` of the line in which `range` begins, at `position`; or `range` where the columns lead
  /// elsewhere: in the expansion of a macro, and behind the end of the file.
  ProvenanceRange columnNear(ProvenanceRange range, const SourcePosition &position, size_t column) const {
    size_t before = position.column - 1;
    if (range.start().offset() <= before)
      return range;
    ProvenanceRange place(range.start() + (static_cast<std::ptrdiff_t>(column) - static_cast<std::ptrdiff_t>(before)),
                          1);
    auto found = sources.allSources().GetSourcePosition(place.start());
    return found && found->line == position.line ? place : range;
  }

  /// The text of `message`, and on lines of their own those of the constructs around it.
  static std::string withContexts(const Message &message) {
    std::string text = message.ToString();
    for (auto attachment = message.attachment(); attachment; attachment = attachment->attachment())
      text += "\n" + attachment->ToString();
    return text;
  }

  static llvm::StringRef prefixOf(Severity severity) {
    switch (severity) {
    case Severity::Error:
    case Severity::ErrorUnlessDeadCode:
      return "error: ";
    case Severity::Warning:
      return "warning: ";
    case Severity::Portability:
      return "portability: ";
    case Severity::Because:
      return "because: ";
    case Severity::Context:
      return "in the context: ";
    case Severity::Todo:
      return "error: not yet implemented: ";
    case Severity::None:
      return "";
    }
    return "";
  }

  void printOne(const Message &message, Severity severity) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    auto range = rangeOf(message);
    sources.allSources().EmitMessage(stream, range, userText(message.ToString(), placeOf(range)),
                                     prefixOf(severity).str(), llvm::raw_ostream::RED, /*echoSourceLine=*/true);
    printPaths(text);
  }

  /// Where `message` belongs: if it has a whole statement for its place, that of the name which it is about.
  std::optional<ProvenanceRange> rangeOf(const Message &message) const {
    auto range = message.GetProvenanceRange(sources);
    std::string text = message.ToString();
    llvm::StringRef name = nameInStatement(text);
    auto position = range && !name.empty() ? sources.allSources().GetSourcePosition(range->start()) : std::nullopt;
    if (!position)
      return range;
    const SourceFile &file = *position->sourceFile;
    llvm::StringRef content(file.content().data(), file.bytes());
    size_t before = position->column - 1, start = file.GetLineStartOffset(position->trueLineNumber) + before;
    std::string routine = genericRoutine(name, content.substr(start, range->size()));
    if (!routine.empty())
      name = routine;
    std::ptrdiff_t from = 0;
    auto offset = findName(content.substr(start, range->size()), name);
    if (!offset) { // The statement of an IF has the place of both, without the condition.
      from = -static_cast<std::ptrdiff_t>(before);
      offset = findName(content.substr(start - before, before), name);
    }
    if (!offset)
      return range;
    // In the expansion of a macro, the text of the line is another one.
    ProvenanceRange place(range->start() + from + *offset, name.size());
    auto found = sources.allSources().GetSourcePosition(place.start());
    std::string line = found ? sourceLineAt(*found) : "";
    bool isThere = found && llvm::StringRef(line).drop_front(found->column - 1).starts_with_insensitive(name);
    return isThere ? place : range;
  }

  static llvm::StringRef textOf(const SourceFile &file, int line) {
    llvm::StringRef content(file.content().data(), file.bytes());
    return content.drop_front(file.GetLineStartOffset(line)).split('\n').first;
  }

  static std::string sourceLineAt(const SourcePosition &position) {
    return textOf(*position.sourceFile, position.trueLineNumber).str();
  }

  /// The text of the line in which `message` lies; empty if it lies in none.
  std::string sourceLine(const Message &message) const {
    auto range = message.GetProvenanceRange(sources);
    auto position = range ? sources.allSources().GetSourcePosition(range->start()) : std::nullopt;
    return position ? sourceLineAt(*position) : "";
  }

  MessagePlace placeOf(const std::optional<ProvenanceRange> &range) const {
    auto position = range ? sources.allSources().GetSourcePosition(range->start()) : std::nullopt;
    if (!position)
      return {};
    return {sourceLineAt(*position), static_cast<size_t>(position->column) - 1, range->size()};
  }

  /// True for the line that says where a macro of ours is defined.
  static bool isOwnMacro(llvm::StringRef line) {
    return line.ends_with("in a macro defined here") && line.contains("/cuf_macros.CUF:");
  }

  /// Prints `text`, whose lines begin with the path of a source, or with blanks if they show the source. Of a chain of
  /// includes the innermost are enough, and how our macros expand tells a user nothing.
  void printPaths(llvm::StringRef text) {
    constexpr int shownIncludes = 2;
    int includes = 0;
    bool shown = true, inOwnMacro = false;
    for (llvm::StringRef rest = text; !rest.empty();) {
      llvm::StringRef line;
      std::tie(line, rest) = rest.split('\n');
      if (!line.starts_with(" ")) {
        inOwnMacro =
            isOwnMacro(line) || (inOwnMacro && (line.ends_with(": included here") || line == "that expanded to:"));
        bool inclusion = line.consume_back("error: included here");
        shown = !inOwnMacro && (!inclusion || ++includes <= shownIncludes);
        if (shown)
          out << userPath(line) << (inclusion ? "note: included here\n" : "\n");
      } else if (shown) {
        out << line << '\n';
      }
    }
  }

  bool isInOwnModule(const Message &message) const {
    auto line = lineOf(message);
    return line && !ownModules.empty() && llvm::StringRef(line->first).starts_with(ownModules);
  }

  /// Leaves out what lies in modules of the compiler. Of the specific procedures of a generic name there, only the
  /// reasons why the nearest one does not match are kept.
  llvm::SmallVector<const Message *> withoutOwnModules(llvm::ArrayRef<const Message *> attachments) const {
    llvm::SmallVector<const Message *> kept;
    llvm::SmallVector<const Message *> aboutCall;
    llvm::SmallVector<Specific> specifics;
    bool inSpecific = false;
    for (const Message *attachment : attachments) {
      bool own = isInOwnModule(*attachment);
      if (llvm::StringRef(attachment->ToString()).starts_with("Specific procedure '")) {
        inSpecific = own;
        if (own)
          specifics.emplace_back();
      }
      if (own)
        continue;
      if (isAboutWholeCall(attachment->ToString()))
        aboutCall.push_back(attachment);
      else if (!inSpecific)
        kept.push_back(attachment);
      else
        addReason(specifics.back(), *attachment);
    }
    auto nearest = llvm::min_element(specifics, [](const Specific &a, const Specific &b) {
      // The first argument tells of what type the others have to be.
      // Where that one is wrong in all, the one with the fewest mistakes is meant.
      size_t ofA = a.reasons.size(), ofB = b.reasons.size();
      return std::tie(a.takesFewer, a.wrongTypes, b.firstWrong, ofA) <
             std::tie(b.takesFewer, b.wrongTypes, a.firstWrong, ofB);
    });
    if (nearest != specifics.end() && nearest->wrongTypes <= 1)
      kept.append(nearest->reasons);
    kept.append(aboutCall);
    return kept;
  }

  void addReason(Specific &specific, const Message &reason) const {
    std::string text = reason.ToString();
    specific.reasons.push_back(&reason);
    if (llvm::StringRef(text).contains("is not compatible with dummy argument type") ||
        llvm::StringRef(text).contains("rank")) {
      auto range = reason.GetProvenanceRange(sources);
      if (specific.wrongTypes++ == 0 && range)
        specific.firstWrong = range->start().offset();
    }
    if (llvm::StringRef(text).starts_with("Too many actual arguments"))
      specific.takesFewer = true;
  }

  const AllCookedSources &sources;
  llvm::StringRef ownModules;
  FixedColumns columns;
  llvm::raw_ostream &out;
  bool saidCut = false;
};

bool isShown(const Message &message, Shown shown) {
  return shown == Shown::Remarks || (shown == Shown::Warnings && (message.severity() != Severity::Portability ||
                                                                  isLikelyMistake(message.ToString())));
}

std::vector<const Message *> inSourceOrder(Messages &messages, const AllCookedSources &sources) {
  messages.ResolveProvenances(sources);
  std::vector<const Message *> sorted;
  for (const Message &message : messages.messages())
    sorted.push_back(&message);
  llvm::stable_sort(sorted, [](const Message *a, const Message *b) { return a->SortBefore(*b); });
  return sorted;
}

} // namespace

unsigned cufort::frontend::printParserMessages(Messages &messages, const AllCookedSources &sources, bool cuda,
                                               FixedColumns columns, Shown shown, llvm::raw_ostream &out) {
  Printer printer(sources, "", columns, out);
  bool fatal = messages.AnyFatalError();
  unsigned printed = 0;
  for (const Message *message : inSourceOrder(messages, sources)) {
    if (fatal && message->IsFatal()) {
      printer.printSyntaxError(*message, cuda);
      return 0;
    }
    if (!fatal && isShown(*message, shown)) {
      printer.print(*message);
      ++printed;
    }
  }
  return printed;
}

unsigned cufort::frontend::printSemanticMessages(Messages &messages, const AllCookedSources &sources,
                                                 llvm::StringRef ownModules, FixedColumns columns, Shown shown,
                                                 llvm::raw_ostream &out) {
  Printer printer(sources, ownModules, columns, out);
  std::vector<const Message *> sorted = inSourceOrder(messages, sources);
  auto failsModule = [](const Message *message) { return message->IsFatal() && isModuleFailure(message->ToString()); };
  bool onlyModules = llvm::any_of(sorted, failsModule);
  std::set<Line> linesWithError, linesWithCause, linesWithUnknownType;
  for (const Message *message : sorted) {
    auto line = printer.lineOf(*message);
    if (!line || !message->IsFatal())
      continue;
    linesWithError.insert(*line);
    if (!isConsequence(message->ToString()))
      linesWithCause.insert(*line);
    if (isUnknownType(message->ToString()))
      linesWithUnknownType.insert(*line);
  }
  std::set<Line> reported;
  std::set<std::pair<std::optional<Line>, std::string>> said;
  std::set<std::optional<Line>> callsWithoutInterface;
  unsigned printed = 0;
  for (const Message *message : sorted) {
    auto line = printer.lineOf(*message);
    if (onlyModules && !failsModule(message))
      continue;
    if (!message->IsFatal() &&
        (!isShown(*message, shown) || isSuperseded(message->ToString()) || (line && linesWithError.count(*line))))
      continue;
    if (line && linesWithCause.count(*line) && isConsequence(message->ToString()))
      continue;
    // The name of the type comes first, but perhaps from a macro.
    if (line && linesWithUnknownType.count(*line) && isUndeclared(message->ToString()))
      continue;
    if (message->IsFatal() && line && !reported.insert(*line).second)
      continue;
    if (!said.emplace(line, message->ToString()).second)
      continue;
    if (isAboutOneArgument(message->ToString()) && !callsWithoutInterface.insert(printer.statementOf(*message)).second)
      continue;
    printer.print(*message);
    printed += !message->IsFatal();
  }
  return printed;
}
