#pragma once

#include "plugin/base/json.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/host_api/host.hpp"

#include <QStringList>

#include <map>
#include <string>

namespace lowtide::ui {

/// Types of nodes by the name that a document gives them.
using KnownTypes = std::map<std::string, NodeDesc>;

/// Ids that say no more than the node's type: one that the studio made stays ("denoise_2"), one
/// that somebody wrote becomes such a one. By the id in the document.
[[nodiscard]] std::map<std::string, std::string> plainIds(const graph::Document& document,
                                                          const KnownTypes& types);

/// What a graph does without what it is about: nodes, wires, numbers and choices. Files by name;
/// texts by their length unless `hasTexts`; titles, notes and frames not at all.
[[nodiscard]] Json outlineOf(const graph::Document& document,
                             const KnownTypes& types,
                             const std::map<std::string, std::string>& ids,
                             bool hasTexts);

/// Values of parameters that are texts, but for those that every new node has: prompts.
[[nodiscard]] QStringList textsIn(const graph::Document& document, const KnownTypes& types);
/// Values of parameters that name files and folders.
[[nodiscard]] QStringList filesIn(const graph::Document& document, const KnownTypes& types);

}  // namespace lowtide::ui
