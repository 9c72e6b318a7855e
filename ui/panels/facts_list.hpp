#pragma once

#include "ui/bridge/picture_load.hpp"

#include <QTreeWidget>

namespace lowtide::ui {

/// What is known of a picture (picture_facts), which can be copied whole. Hidden where that is
/// nothing.
class FactsList : public QTreeWidget {
    Q_OBJECT

public:
    explicit FactsList(QWidget* parent = nullptr);

    void setPicture(const LoadedPicture& picture);

private:
    void copy() const;
};

}  // namespace lowtide::ui
