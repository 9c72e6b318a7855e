#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <QString>

#include <functional>
#include <string>

namespace lowtide::ui {

class GraphModel;

/// As the node's header shows it: the title that a user gave, else the label of its type, else
/// (the type is not installed) the type; the id of a node that the graph does not have.
[[nodiscard]] QString nodeTitle(const graph::Document& document,
                                const graph::Catalog& catalog,
                                const std::string& id);
/// The same, with the id behind it where another node of the graph has that title.
[[nodiscard]] QString distinctNodeTitle(const graph::Document& document,
                                        const graph::Catalog& catalog,
                                        const std::string& id);
/// What a view shows for a node's id.
using NodeNames = std::function<QString(const std::string& id)>;
/// distinctNodeTitle in the graph as it stands when it is asked. `model` must outlive it.
[[nodiscard]] NodeNames nodeNamesIn(const GraphModel& model);

}  // namespace lowtide::ui
