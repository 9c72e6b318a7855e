#pragma once

#include "ui/bridge/style_store.hpp"

#include <QDialog>
#include <QString>

#include <optional>

class QLabel;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace lowtide::ui {

/// Styles with their texts, to be renamed, deleted and imported.
class StylesDialog : public QDialog {
    Q_OBJECT

public:
    /// `store` must outlive it.
    StylesDialog(StyleStore& store, QWidget* parent);

private:
    void build();
    void show();
    void showTexts();
    void rename();
    void remove();
    void import();
    [[nodiscard]] QString current() const;

    StyleStore& store_;
    QListWidget* list_;
    QPlainTextEdit* texts_;
    QLabel* message_;
    QPushButton* rename_ = nullptr;
    QPushButton* delete_ = nullptr;
};

/// Asks for the name of a style, and whether it takes the place of another one; nothing: the user
/// thought better of it.
[[nodiscard]] std::optional<QString> askStyleName(const StyleStore& store,
                                                  const QString& name,
                                                  QWidget* parent);

}  // namespace lowtide::ui
