#pragma once

#include "ui/bridge/conversion.hpp"

#include <QWidget>

#include <vector>

class QButtonGroup;
class QGridLayout;

namespace lowtide::ui {

/// Storages to choose one from, each with the size of its file. What would save nothing is grey.
class StorageChoices : public QWidget {
    Q_OBJECT

public:
    explicit StorageChoices(QWidget* parent = nullptr);

    /// Called once. The first that saves something is chosen.
    void setChoices(const std::vector<StorageChoice>& choices);
    /// nullptr: none is.
    [[nodiscard]] const StorageChoice* chosen() const;

Q_SIGNALS:
    void changed();

private:
    void addRow(int row);

    std::vector<StorageChoice> choices_;
    QGridLayout* grid_;
    QButtonGroup* buttons_;
};

}  // namespace lowtide::ui
