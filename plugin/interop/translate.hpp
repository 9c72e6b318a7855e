#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/interop/fold.hpp"
#include "plugin/interop/prompt.hpp"
#include "plugin/interop/report.hpp"

#include <functional>
#include <optional>
#include <string>

namespace lowtide::interop {

/// What an import asks the program around it.
struct ImportNeeds {
    const graph::Catalog& catalog;
    const ClassTable& table;
    /// Not set: no size is known.
    ImageProbe imageSize;
    /// What a graph writes for a file that a workflow names, `isModel` or an image or a video;
    /// nothing: it is not there. Not set: names remain as they are, and none counts as missing.
    std::function<std::optional<std::string>(const std::string& name, bool isModel)> findFile;
};

/// A graph that was made of another program's, and what became of each node.
struct Imported {
    graph::Document document;
    ImportReport report;
};

/// The type of a placeholder: this and the class that nothing stands for.
inline constexpr const char* kPlaceholderPrefix = "comfyui.";

/// The graph of a prompt. Classes without a counterpart remain as nodes of an unknown type, with
/// their values and wires. Error{Corrupt} as foldPrompt.
[[nodiscard]] Imported translatePrompt(Prompt prompt, const ImportNeeds& needs);

}  // namespace lowtide::interop
