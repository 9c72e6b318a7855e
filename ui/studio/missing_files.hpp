#pragma once

#include "ui/document/graph_model.hpp"
#include "ui/models/model_kind.hpp"

#include <QString>

#include <functional>
#include <map>
#include <set>
#include <string>

namespace lowtide::ui {

/// What the parameters name, by what is to stand there: "models/lost.safetensors" -> a path.
using NewPlaces = std::map<std::string, QString>;

/// Whether a file that a graph names would be found.
using IsFound = std::function<bool(const std::string& value)>;

/// The files that nodes of known types read and that are not found, each once.
[[nodiscard]] std::vector<std::string> missingFiles(const GraphModel& model,
                                                    const IsFound& isFound);
/// Where models that a person has may be what a graph names: by file name in any folder, in any
/// case, by a hash that the name holds ("dream [0123456789]"), or by `hash`, the first digits that
/// are known of it. `hash` and `sha256` may be empty.
[[nodiscard]] bool isSameModel(const std::string& wanted,
                               const std::string& hash,
                               const std::string& name,
                               const std::string& sha256);
/// The digits of a hash that a file's name holds, in lower case; empty: none.
[[nodiscard]] std::string hashInName(const std::string& wanted);
/// The kinds of models that the parameters naming the file take; empty: it is no model.
[[nodiscard]] std::set<ModelKind> kindsOf(const GraphModel& model, const std::string& file);
/// Those of `missing` that lie by name in the folder of `chosen`, without `except`.
[[nodiscard]] NewPlaces besideIt(const std::vector<std::string>& missing,
                                 const std::string& except,
                                 const QString& chosen);
/// Every parameter that names one of the files gets its new place.
void relocate(graph::Document& document, const graph::Catalog& catalog, const NewPlaces& places);

}  // namespace lowtide::ui
