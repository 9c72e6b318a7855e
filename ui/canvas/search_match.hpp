#pragma once

#include "plugin/graph/catalog.hpp"

#include <QString>

#include <string>
#include <vector>

namespace lowtide::ui {

/// How well `pattern` is found in `text`, letters in order but not side by side; 0: not at all.
/// Beginnings of words, runs and short texts count more. Case does not matter.
[[nodiscard]] int fuzzyScore(const QString& pattern, const QString& text);

/// Limits a search to nodes that can take the end of a wire.
struct PortWanted {
    std::string type;  ///< empty: any node
    bool asInput = true;
};

/// A node type that was found.
struct SearchHit {
    const NodeDesc* desc = nullptr;
    std::string port;  ///< that fits PortWanted best; empty: none was wanted
    int score = 0;
};

/// Node types by label, id, aliases, category and tooltip, best first; each word of the pattern
/// must be found. Without a pattern: `recent` ones first, then by category and label.
[[nodiscard]] std::vector<SearchHit> searchNodes(const graph::Catalog& catalog,
                                                 const QString& pattern,
                                                 const PortWanted& wanted,
                                                 const std::vector<std::string>& recent);

/// The port of the node that takes the wire: equal types before "*", needed before optional ones,
/// then the first. Empty: none.
[[nodiscard]] std::string bestPort(const NodeDesc& desc, const PortWanted& wanted);

}  // namespace lowtide::ui
