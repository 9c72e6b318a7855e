#pragma once

#include "plugin/graph/catalog.hpp"
#include "ui/bridge/picture_load.hpp"
#include "ui/panels/picture_facts.hpp"

#include <QTreeWidget>

namespace lowtide::ui {

/// What is known of a picture (picture_facts), which can be copied whole. Hidden where that is
/// nothing.
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
