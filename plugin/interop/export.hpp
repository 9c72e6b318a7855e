#pragma once
// Graphs of this program as ComfyUI's: the rows of the table of classes, read backwards.

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/interop/prompt.hpp"
#include "plugin/interop/report.hpp"

#include <vector>

namespace lowtide::interop {

/// A graph in classes of ComfyUI, and what becomes there of its nodes, by their ids here.
struct Exported {
    Prompt prompt;        ///< ids of its nodes are numbers
    ImportReport report;  ///< missing: no class stands for it, or none takes what it has
};

/// The nodes that the graph's outputs need. Files are named as in a folder of models: by what lies
/// below it, of other paths the last part. Errors as graph::makeSnapshot.
[[nodiscard]] Exported exportGraph(const graph::Document& document,
                                   const graph::Catalog& catalog,
                                   const ClassTable& table);

/// Error{InvalidInput} names the nodes where something is missing, and why.
void requireComplete(const Exported& exported);

/// What ComfyUI's server is sent ("API format").
[[nodiscard]] Json apiPrompt(const Prompt& prompt);
/// What its editor opens: form 0.4, with the positions of the nodes.
[[nodiscard]] Json editorWorkflow(const Prompt& prompt, const ClassTable& table);

/// `prompt` and `workflow` as ComfyUI writes them into a file, in ASCII; none where something is
/// missing.
[[nodiscard]] std::vector<image::ImageText> textsForComfyUi(const Exported& exported,
                                                            const ClassTable& table);

}  // namespace lowtide::interop
