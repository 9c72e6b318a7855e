#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/bridge/picture_load.hpp"

#include <QString>
#include <QTreeWidget>

#include <vector>

namespace lowtide::ui {

/// One line of what is known of a picture.
struct PictureFact {
    QString name;
    QString value;  ///< may be long
};

/// Size, a video's length, file, and what its text chunks say, with what Lowtide writes in plain
/// words first. Long texts are cut after 20,000 characters, which is said.
[[nodiscard]] std::vector<PictureFact> factsOf(const LoadedPicture& picture);

/// What a graph sets otherwise than its nodes do by themselves, in their words: prompts first, then
/// seeds, then node by node. "Steps", or "Steps, Denoise" where several nodes have such a value.
[[nodiscard]] std::vector<PictureFact> settingFacts(const graph::Document& document,
                                                    const graph::Catalog& catalog);
/// The same of the graph that a picture carries; nothing without one, or without a catalogue.
[[nodiscard]] std::vector<PictureFact> settingFactsOf(const LoadedPicture& picture,
                                                      const graph::Catalog* catalog);

/// What is known of a picture, which can be copied whole. Hidden where that is nothing.
class FactsList : public QTreeWidget {
    Q_OBJECT

public:
    explicit FactsList(QWidget* parent = nullptr);

    /// `catalog` names what a picture's graph sets; nullptr: nothing does. It must outlive the
    /// list.
    void setCatalog(const graph::Catalog* catalog) { catalog_ = catalog; }

    [[nodiscard]] const graph::Catalog* catalog() const { return catalog_; }

    void setPicture(const LoadedPicture& picture);

private:
    void copy() const;
    void add(const PictureFact& fact);

    const graph::Catalog* catalog_ = nullptr;
};

}  // namespace lowtide::ui
