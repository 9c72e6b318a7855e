#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <QString>

#include <functional>
#include <string>

namespace lowtide::ui {

/// A graph that was made of what another program wrote.
struct ImportedGraph {
    graph::Document document;
    Json report;  ///< what became of each node (docs/import.md)
};

/// Makes the graph of such a text; `folder` is that of its file, empty for none. Any thread. What
/// it throws states what is wrong with the text.
using Importer = std::function<ImportedGraph(const std::string& text, const QString& folder)>;

/// A graph as every way to open gives it.
struct OpenedGraph {
    graph::Document document;
    QString name;          ///< for a user
    QString folder;        ///< from which its relative files are seen; empty: none is known
    bool isKept = true;    ///< it can be had again, so that closing it need not ask
    bool isBlank = false;  ///< a new one: what is opened next takes its place unless it was edited
    Json report{};         ///< of an import; null: it is a graph of this program
};

/// The graph of a file or within an image, called as the file without its ending; what another
/// program wrote goes to the importer. Errors as loadGraph and those of the importer.
[[nodiscard]] OpenedGraph openedFile(const QString& path, const Importer& importer);
/// The graph of a text of another program.
[[nodiscard]] OpenedGraph openedText(const std::string& text,
                                     const QString& name,
                                     const Importer& importer);
/// Lays out an import whose file states no positions; else moves down what lies on other nodes,
/// which have other sizes there. Where some outputs need a node of an unknown
/// type and others do not, the first are muted, so that the others run.
void settleImport(graph::Document& document, const graph::Catalog& catalog);
/// What the file at `path` was before a save: `backup` is the file of it. Errors as loadGraph.
[[nodiscard]] OpenedGraph openedBackup(const QString& backup, const QString& path);

/// Whether a file begins as an image or has the name of one. An image carries its graph, but is
/// never written over.
[[nodiscard]] bool isImage(const QString& path);
/// Likewise for a video, and whether it is an animated image.
[[nodiscard]] bool isVideo(const QString& path);
[[nodiscard]] QString documentNameOf(const QString& path);
/// From which a graph of that file sees relative files; empty for no file.
[[nodiscard]] QString graphFolderOf(const QString& path);

/// The graph as a file in the folder `to` names its files (graph::rebased).
[[nodiscard]] graph::Document rebased(const graph::Document& document,
                                      const graph::Catalog& catalog,
                                      const QString& from,
                                      const QString& to);

/// Keeps in the document what the image that it came from states about its model: the first digits
/// of the hash, by the file that the graph names ("Model", "Model hash" of its "parameters"). Where
/// nothing can be read, nothing is kept.
void keepModelHashes(graph::Document& document, const QString& image);
/// The same of the text alone.
void keepModelHashes(graph::Document& document, const std::string& parameters);
/// Empty: none is known.
[[nodiscard]] std::string modelHashOf(const graph::Document& document, const std::string& file);

}  // namespace lowtide::ui
