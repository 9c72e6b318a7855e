#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/image/image_file.hpp"

#include <QString>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::ui {

/// A workflow of ComfyUI, which is recognised among other texts but not read.
struct ComfyWorkflow {
    size_t nodes = 0;
    std::vector<std::string> types;  ///< of its nodes, each once, sorted
};

/// Of the text of a workflow, of a prompt as its server takes it, or of what its canvas puts into
/// the clipboard as HTML. Nothing: the text is something else.
[[nodiscard]] std::optional<ComfyWorkflow> comfyWorkflow(std::string_view text);
/// Of the texts of an image that ComfyUI saved: the workflow, or else the prompt.
[[nodiscard]] std::optional<ComfyWorkflow> comfyWorkflow(
    const std::vector<image::ImageText>& carried);

/// Why it is not opened, with the number of its nodes.
[[nodiscard]] QString comfyRefusal(const ComfyWorkflow& workflow);
/// Which of its node types have a node here that stands for them, and which have none.
[[nodiscard]] QString comfyCounterparts(const ComfyWorkflow& workflow,
                                        const graph::Catalog& catalog);

}  // namespace lowtide::ui
