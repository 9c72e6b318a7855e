#pragma once

#include "plugin/base/message.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/interop/class_table.hpp"

#include <map>
#include <string>

namespace lowtide::interop {

/// A graph in which nodes for which ComfyUI needs several stand as several of ours.
struct ExpandedGraph {
    graph::Document document;
    std::map<std::string, std::string> origins;  ///< of added nodes: the node that they stand for
    std::map<std::string, Message> obstacles;    ///< why a node could not be expanded
    std::map<std::string, Message> differences;  ///< why what it became gives another image

    /// The node of the graph that was given.
    [[nodiscard]] const std::string& originOf(const std::string& id) const {
        const auto origin = origins.find(id);
        return origin == origins.end() ? id : origin->second;
    }
};

/// *Load LoRAs* becomes a *Load LoRA* for each of its rows. A *Denoise* whose model has a low-noise
/// file becomes two, one for each file, which share the steps where the model would change over.
[[nodiscard]] ExpandedGraph expandForComfyUi(const graph::Document& document,
                                             const graph::Catalog& catalog,
                                             const ClassTable& table);

}  // namespace lowtide::interop
