#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/document/image_values.hpp"

#include <QString>
#include <QTreeWidget>
#include <QWidget>

#include <string>
#include <vector>

class QAction;
class QMenu;

namespace lowtide::ui {

/// One line of what is known of an image.
struct ImageFact {
    enum class Kind {
        Setting,  ///< what made it, and its size
        File,
        Raw  ///< a text of its file as it stands there
    };

    QString name;
    QString value;  ///< may be long
    Kind kind = Kind::Setting;
};

/// What of a graph made an image, in the words of its nodes: prompts, model, LoRAs, sampler, steps,
/// guidance, seed and size, at their defaults too; then what else is not at its default. "Steps",
/// or "Steps, Denoise" where several nodes have such a value. `file`: its name, as nodesBehind().
[[nodiscard]] std::vector<ImageFact> settingFacts(const graph::Document& document,
                                                  const graph::Catalog& catalog,
                                                  const std::string& file = {});

/// What its graph set, its size and length. Nothing is named twice. `catalog` names what the graph
/// set; nullptr: nothing does.
[[nodiscard]] std::vector<ImageFact> settingFacts(const LoadedImage& image,
                                                  const graph::Catalog* catalog);

/// The same, with its file and the texts of that. Long ones are cut after 20,000 characters, which
/// is noted.
[[nodiscard]] std::vector<ImageFact> factsOf(const LoadedImage& image,
                                             const graph::Catalog* catalog);

/// What is known of an image: a click copies a line, texts of the file are folded away.
class FactsList : public QTreeWidget {
    Q_OBJECT

public:
    explicit FactsList(QWidget* parent = nullptr);

    void setFacts(const std::vector<ImageFact>& facts);

protected:
    void mousePressEvent(QMouseEvent* event) override;

private:
    void copySelected();
    void copyText(const QString& text);

    bool isRawOpen_ = false;
};

/// The facts of an image, and what of them the open graph may take.
class FactsPanel : public QWidget {
    Q_OBJECT

public:
    explicit FactsPanel(QWidget* parent = nullptr);

    /// As factsOf(). It must outlive this.
    void setCatalog(const graph::Catalog* catalog) { catalog_ = catalog; }

    [[nodiscard]] const graph::Catalog* catalog() const { return catalog_; }

    void setImage(const LoadedImage& image);

    /// What may be taken, as entries of a menu.
    void addUses(QMenu& menu);

    /// Nothing is known.
    [[nodiscard]] bool isEmpty() const { return list_->topLevelItemCount() == 0; }

Q_SIGNALS:
    void useAsked(lowtide::ui::ImageUse use);

private:
    void addUse(const char* name, const QString& text, const QString& tip, ImageUse use);

    const graph::Catalog* catalog_ = nullptr;
    FactsList* list_;
    QWidget* uses_;
};

}  // namespace lowtide::ui
