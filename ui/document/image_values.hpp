#pragma once

// Which values of a graph made an image, and how another graph takes them over.

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/document/edits.hpp"

#include <string>
#include <vector>

namespace lowtide::ui {

/// What a value means for an image, whichever node has it. Width and Height are those of a node
/// that begins with nothing.
enum class ImageRole { Prompt, Negative, Sampler, Steps, Guidance, Seed, Width, Height, Other };

[[nodiscard]] ImageRole imageRoleOf(const NodeDesc& node, const ParamDesc& param);

/// A value that took part in an image. What it points to is the catalogue's.
struct ImageValue {
    ImageRole role = ImageRole::Other;
    std::string node;  ///< its id
    const NodeDesc* desc = nullptr;
    const ParamDesc* param = nullptr;
    Json value;              ///< the default where the graph states none
    bool isDefault = false;  ///< it equals that
};

/// The active nodes that made an image: those that saved it, and all from which they are reached.
/// `file`: its name; of several nodes that save, those count whose file names begin as it does,
/// else all. A graph without an output that is known counts as a whole.
[[nodiscard]] NodeIds nodesBehind(const graph::Document& document,
                                  const graph::Catalog& catalog,
                                  const std::string& file = {});
/// The values of those nodes, known or default, node by node in the order of ids.
[[nodiscard]] std::vector<ImageValue> valuesBehind(const graph::Document& document,
                                                   const graph::Catalog& catalog,
                                                   const std::string& file = {});

/// What of an image another graph takes over.
enum class ImageUse { Prompt, Seed, Size, All };

struct UsedValues {
    int taken = 0;                 ///< values that the graph has now
    std::vector<ImageValue> left;  ///< that no node of it takes
};

/// Gives the values of an image to the nodes that make the images of this graph: to the node of the
/// same id and type, else to one of the same type, else to one with a value of that role. Seeds are
/// kept from then on. Files are not taken, since an image does not state where they lie; how a file
/// is written is neither taken nor counted as left.
UsedValues useValues(graph::Document& document,
                     const graph::Catalog& catalog,
                     const std::vector<ImageValue>& values,
                     ImageUse use);

}  // namespace lowtide::ui
