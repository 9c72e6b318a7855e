#pragma once

#include "plugin/graph/document.hpp"

#include <QString>

#include <string>

namespace lowtide::ui {

/// Keeps in the document what the picture that it came from says of its model: the first digits of
/// the hash, by the file that the graph names ("Model", "Model hash" of its "parameters"). Where
/// nothing can be read, nothing is kept.
void keepModelHashes(graph::Document& document, const QString& picture);
/// The same of the text alone.
void keepModelHashes(graph::Document& document, const std::string& parameters);
/// Empty: none is known.
[[nodiscard]] std::string modelHashOf(const graph::Document& document, const std::string& file);

}  // namespace lowtide::ui
