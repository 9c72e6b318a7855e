#pragma once
// Graphs of other programs, imported where a command is given one.

#include "cli/commands.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/interop/import.hpp"
#include "plugin/interop/known_files.hpp"

#include <string>
#include <vector>

namespace lowtide::cli {

/// The files that a foreign graph may name: those of models in folders, those of images next to the
/// graph and in ComfyUI's folder `input` next to such a folder. Without folders every model counts
/// as found. Errors as those of resolving `--model-folder`.
[[nodiscard]] interop::KnownFiles knownFiles(const std::string& graphFile,
                                             const std::vector<std::string>& modelFolders);

/// What an import needs of this program.
struct ImportTables {
    const graph::Catalog& catalog;
    interop::ClassTable classes;
    interop::SamplerNames samplers;
};

/// Those of the module's resources. The catalog must outlive them.
[[nodiscard]] ImportTables importTables(const graph::Catalog& catalog);

/// The graph of a foreign text. Errors as interop::importText.
[[nodiscard]] interop::Imported importedGraph(const std::string& text,
                                              const ImportTables& tables,
                                              const interop::KnownFiles& files);

/// The text of a graph, and the nodes with which a run ends where not all can be run; none: the
/// graph's outputs.
struct RunnableGraph {
    std::string text;
    std::vector<std::string> until;
};

/// A graph's text as it is; of a foreign one its import. Standard error has what of it is
/// near and missing. Error{InvalidInput}: nothing of it can be run.
[[nodiscard]] RunnableGraph runnableGraph(const std::string& text,
                                          const GraphArguments& arguments,
                                          const Plugin& plugin);

/// "3 exact, 1 near, 2 missing", then a line for each node that is near or missing.
[[nodiscard]] std::string reportText(const interop::ImportReport& report);

}  // namespace lowtide::cli
