#pragma once

#include "ui/document/saved_file.hpp"

#include <QDialog>
#include <QListWidget>
#include <QPushButton>

#include <optional>
#include <vector>

namespace lowtide::ui {

/// Offers what a program that did not end in order left behind. Nothing is thrown away unless the
/// person says so.
class RecoveryDialog : public QDialog {
    Q_OBJECT

public:
    RecoveryDialog(std::vector<Recovered> found,
                   const std::vector<QString>& problems,
                   QWidget* parent = nullptr);

    /// What is to be opened; empty: nothing now.
    [[nodiscard]] const std::optional<Recovered>& chosen() const { return chosen_; }

private:
    void fill();
    void discardSelected();

    std::vector<Recovered> found_;
    QListWidget* list_;
    QPushButton* open_;
    QPushButton* discard_;
    std::optional<Recovered> chosen_;
};

}  // namespace lowtide::ui
