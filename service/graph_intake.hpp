#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/host_api/runner.hpp"
#include "service/folders.hpp"
#include "service/followed_run.hpp"
#include "service/http.hpp"

#include <string>

namespace lowtide::service {

/// A graph with its options, as the module takes them.
struct TakenGraph {
    std::string graph;
    Json options;
    Json imported;  ///< of a foreign one: what became of its nodes (docs/import.md); else null
    Issues issues;  ///< errors: it is refused
};

/// Makes what a request gives into what the module may run: foreign graphs are imported, options
/// that name files are refused, and so are files outside of the folders.
class GraphIntake {
public:
    GraphIntake(Plugin& plugin, const ServiceFolders& folders);

    /// `graph`: an object or a text. Errors: those of parsing, of graph::applyOverrides, and
    /// Error{InvalidInput} names an option.
    [[nodiscard]] TakenGraph take(const Json& graph, const Json& options) const;
    /// The module's call importGraph, with the files and models of this service.
    [[nodiscard]] Answer imported(const std::string& text) const;

    [[nodiscard]] const graph::Catalog& catalog() const { return catalog_; }

private:
    Plugin& plugin_;
    const ServiceFolders& folders_;
    graph::Catalog catalog_;
};

}  // namespace lowtide::service
