#pragma once

#include "ui/studio/actions.hpp"

#include <QDialog>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>

namespace lowtide::ui {

/// Every action with its keys, by menu; the keys of the chosen one can be changed.
class KeysSheet : public QDialog {
    Q_OBJECT

public:
    explicit KeysSheet(Actions& actions, QWidget* parent = nullptr);

private:
    void fill();
    void filter(const QString& words);
    void showChosen();
    /// Takes the first stroke of what was pressed.
    void change(const QKeySequence& pressed);
    void reset();
    [[nodiscard]] std::string chosen() const;

    Actions& actions_;
    QLineEdit* search_;
    QTreeWidget* list_;
    QKeySequenceEdit* key_;
    QPushButton* reset_;
    QLabel* note_;
};

}  // namespace lowtide::ui
