#pragma once

#include "ui/bridge/preset_store.hpp"

#include <QDialog>

class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace lowtide::ui {

/// Asks what the graph is to be called as a preset.
class PresetDialog : public QDialog {
    Q_OBJECT

public:
    /// `thumbnail` may be null: the preset gets none.
    PresetDialog(const PresetText& proposed, const QImage& thumbnail, QWidget* parent = nullptr);

    /// Tags are separated by commas; each once, without spaces around it.
    [[nodiscard]] PresetText text() const;

private:
    QLineEdit* title_ = nullptr;
    QLineEdit* tags_ = nullptr;
    QPlainTextEdit* description_ = nullptr;
    QPushButton* save_ = nullptr;
};

}  // namespace lowtide::ui
