#pragma once

#include "ui/bridge/seeds.hpp"

#include <QDialog>

class QComboBox;
class QSpinBox;

namespace lowtide::ui {

/// Asks how many times a graph shall run, and with which seeds.
class SeveralDialog : public QDialog {
    Q_OBJECT

public:
    static constexpr int kMost = 1000;

    explicit SeveralDialog(QWidget* parent);

    [[nodiscard]] int count() const;
    [[nodiscard]] SeveralSeeds seeds() const;

private:
    QSpinBox* count_;
    QComboBox* seeds_;
};

}  // namespace lowtide::ui
