#pragma once

// The form of a journal: who writes it, when, which document. Journal itself, and what it recovers:
// saved_file.hpp.

#include "plugin/base/json.hpp"
#include "plugin/graph/document.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/programs/program_record.hpp"

namespace lowtide::ui {

struct JournalText {
    os::Program program;
    QString path;
    QString graphFolder;  ///< from which the document's relative files are seen
    QString writtenAt;
    graph::Document document;
    DocumentTab tab{};
};

[[nodiscard]] std::string textOf(const JournalText& journal);
/// Error{Corrupt}, Error{Unsupported} of a document of a newer format.
[[nodiscard]] JournalText journalFrom(const std::string& text);
/// Who writes it; the document is not looked at. Error{Corrupt}.
[[nodiscard]] os::Program programOf(const std::string& text);

inline constexpr const char* kJournalSuffix = ".journal";
/// Of one whose program ended in order.
inline constexpr const char* kLeftSuffix = ".left.journal";

}  // namespace lowtide::ui
