#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/message.hpp"

#include <string>
#include <vector>

namespace lowtide::interop {

/// One node of the file, or one thing that the graph needs.
struct ReportEntry {
    std::string kind = "node";   ///< node, family, model, file
    std::string id{};            ///< of the node in the file; empty: it is about the whole file
    std::string name{};          ///< its class; or the family or file
    std::string title{};         ///< as the file calls the node; empty: it has no name of its own
    std::vector<Message> why{};  ///< of what is near, missing or left out
    std::string url{};           ///< where the file states that a model comes from
};

/// What an import or an export did with each node.
struct ImportReport {
    std::string source;                ///< "ComfyUI workflow", "AUTOMATIC1111 parameters", ...
    std::vector<ReportEntry> exact;    ///< gives what the other program gives
    std::vector<ReportEntry> near;     ///< something else for a stated reason
    std::vector<ReportEntry> missing;  ///< nothing stands for it, or it is not there
    std::vector<ReportEntry> leftOut;  ///< muted, bypassed, not needed
    std::vector<std::string> runs;     ///< outputs that need nothing that is missing, by id here
};

/// `source`, `exact`, `near`, `missing`, `left_out` and `runs`, which other tools rely on
/// (docs/import.md). Reasons are `why`, in English, with `whyParts` (putMessages).
[[nodiscard]] Json toJson(const ImportReport& report);

}  // namespace lowtide::interop
