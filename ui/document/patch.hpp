#pragma once

// What one step of the undo stack holds: the touched parts of a document, before and after.

#include "plugin/base/json.hpp"
#include "ui/document/graph_model.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace lowtide::ui {

template <class Value>
struct Change {
    Value before;
    Value after;
};

/// Budget, device, collection threshold, low memory, exact, until: what a run depends on in
/// addition to nodes and links.
using DocumentSettings = std::tuple<std::optional<std::string>,
                                    std::optional<std::string>,
                                    std::optional<int64_t>,
                                    std::optional<std::string>,
                                    std::optional<bool>,
                                    std::set<std::string>>;

struct Patch {
    std::map<std::string, Change<std::optional<graph::DocumentNode>>> nodes;
    /// By input: all links into it. A sound graph has at most one there.
    std::map<graph::PortRef, Change<std::vector<graph::Link>>> links;
    std::optional<Change<std::vector<graph::ExposedParam>>> exposed;
    std::optional<Change<Json>> frames;
    std::optional<Change<Json>> notes;
    std::optional<Change<Json>> groups;
    std::optional<Change<DocumentSettings>> settings;
    std::optional<Change<Json>> extra;

    [[nodiscard]] bool isEmpty() const;
};

enum class Direction { Forward, Back };

/// Brings links into the order that a document guarantees. Loading and every step end with it.
void sortLinks(graph::Document& document);

/// The patch that changes `before` into `after`; links of both are sorted.
[[nodiscard]] Patch patchBetween(const graph::Document& before, const graph::Document& after);
void applyPatch(graph::Document& document, const Patch& patch, Direction direction);
/// Makes `patch` what it and then `next` do; what comes back to its start is gone from it.
void append(Patch& patch, Patch next);

[[nodiscard]] Delta deltaOf(const Patch& patch, Direction direction);
/// Makes `delta` describe its own changes and then those of `next`.
void append(Delta& delta, const Delta& next);

}  // namespace lowtide::ui
