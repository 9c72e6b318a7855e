#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <QString>

#include <string>

namespace lowtide::ui {

/// A graph as every way to open gives it.
struct OpenedGraph {
    graph::Document document;
    QString name;          ///< for a user
    QString folder;        ///< from which its relative files are seen; empty: none is known
    bool isKept = true;    ///< it can be had again, so that closing it need not ask
    bool isBlank = false;  ///< a new one: what is opened next takes its place unless it was edited
};

/// The graph of a file or within an image, called as the file without its ending. Errors as
/// loadGraph.
[[nodiscard]] OpenedGraph openedFile(const QString& path);
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
