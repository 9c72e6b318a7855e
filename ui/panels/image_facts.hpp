#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/bridge/image_load.hpp"

#include <QString>
#include <QTreeWidget>

#include <vector>

namespace lowtide::ui {

/// One line of what is known of an image.
struct ImageFact {
    QString name;
    QString value;  ///< may be long
};

/// Size, a video's length, file, and the contents of its text chunks, with what Lowtide writes in
/// plain words first. Long texts are cut after 20,000 characters, which is noted.
[[nodiscard]] std::vector<ImageFact> factsOf(const LoadedImage& image);

/// What a graph sets otherwise than its nodes do by themselves, in their words: prompts first, then
/// seeds, then node by node. "Steps", or "Steps, Denoise" where several nodes have such a value.
[[nodiscard]] std::vector<ImageFact> settingFacts(const graph::Document& document,
                                                  const graph::Catalog& catalog);
/// The same of the graph that an image carries; nothing without one, or without a catalogue.
[[nodiscard]] std::vector<ImageFact> settingFactsOf(const LoadedImage& image,
                                                    const graph::Catalog* catalog);

/// What is known of an image, which can be copied in full. Hidden where that is nothing.
class FactsList : public QTreeWidget {
    Q_OBJECT

public:
    explicit FactsList(QWidget* parent = nullptr);

    /// `catalog` names what an image's graph sets; nullptr: nothing does. It must outlive the
    /// list.
    void setCatalog(const graph::Catalog* catalog) { catalog_ = catalog; }

    [[nodiscard]] const graph::Catalog* catalog() const { return catalog_; }

    void setImage(const LoadedImage& image);

private:
    void copy() const;
    void add(const ImageFact& fact);

    const graph::Catalog* catalog_ = nullptr;
};

}  // namespace lowtide::ui
