#pragma once

// Where a file goes that is dropped or used: into what lies under the pointer, else into the only
// thing of the graph that takes it, else into a new node. Pure functions.

#include "ui/document/free_space.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace lowtide::ui {

/// A file that comes in: an image, a video or weights.
struct Arrival {
    std::string value;  ///< as the graph names it
    std::function<bool(const NodeDesc& node, const ParamDesc& param)> fits;
    const NodeDesc* newNode = nullptr;  ///< gets it where nothing takes it; nullptr: there is none
    std::string newParam{};
    NodeIds others{};  ///< nodes that are for something else, unless they are pointed at
};

/// Where something was let go, and what lies there.
struct DropSpot {
    Point at{};           ///< of the canvas, where a new node would lie
    bool isAt = false;    ///< `at` is where the user let go, not the middle of the view
    std::string node{};   ///< empty: none
    std::string param{};  ///< the row or field of the node; empty: none
    std::optional<graph::PortRef> wireTo{};  ///< a wire, by the input that it ends in
    /// Nodes with files of the same drop, which get no second one; may be nullptr.
    std::shared_ptr<NodeIds> taken{};
};

/// Where a file goes.
struct FileTarget {
    std::string node;                         ///< gets it; empty: a new one does
    std::string param;                        ///< of the node, or the new one
    bool isPointed = false;                   ///< because of what lies under the pointer
    std::optional<graph::PortRef> patched{};  ///< the new node goes behind it, for all that read it
    std::optional<graph::PortRef> feeds{};    ///< the input to which the new node is wired
};

[[nodiscard]] FileTarget targetFor(const graph::Document& document,
                                   const graph::Catalog& catalog,
                                   const Arrival& arrival,
                                   const DropSpot& spot,
                                   const NodeIds& selected);

/// The node with the parameter that gets the file, or with the port to which the new node is wired;
/// nothing: the new node is not known to be wired.
[[nodiscard]] std::optional<graph::PortRef> takerOf(const FileTarget& target);

/// What became of the graph.
struct InsertedFile {
    std::string node;  ///< has the file
    std::string param;
    std::string replaced;  ///< the file that it had; empty: none
    NodeIds added;
    NodeIds joined;  ///< those that the added ones are wired to
};

/// Puts the file there. A new node lies on no other one, has its ports wired where one other port
/// can be meant, and brings the one type of node that what it gives is for: a ControlNet the node
/// that applies it. `arrival.newNode` must be there for a new one.
[[nodiscard]] InsertedFile insertFile(graph::Document& document,
                                      const graph::Catalog& catalog,
                                      const Arrival& arrival,
                                      const FileTarget& target,
                                      const DropSpot& spot,
                                      CanvasSizes sizes);

/// The prompt, as node and parameter, that takes words: the one under the pointer, else the only
/// one of the graph (a selected one before others), which is no negative one; nothing: none.
[[nodiscard]] std::optional<graph::PortRef> promptFor(const graph::Document& document,
                                                      const graph::Catalog& catalog,
                                                      const DropSpot& spot,
                                                      const NodeIds& selected);
/// The prompt with the words behind a comma; as it was where it has them.
[[nodiscard]] std::string withWords(const std::string& prompt, const std::string& words);

}  // namespace lowtide::ui
