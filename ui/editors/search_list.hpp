#pragma once

#include <QFrame>
#include <QString>

#include <vector>

class QLineEdit;
class QListWidget;

namespace lowtide::ui {

/// One thing to choose. `detail` stands behind the label, muted.
struct SearchItem {
    QString label;
    QString detail;
    bool isEnabled = true;
    QString tooltip{};
};

/// A list with a search field that opens below a widget. All words typed must occur in label or
/// detail. Enter or a click chooses, Escape closes.
class SearchList : public QFrame {
    Q_OBJECT

public:
    SearchList(std::vector<SearchItem> items, QWidget* parent);

    /// Opens below `anchor`, or above where there is no room; `current` may be -1. The list deletes
    /// itself when it closes.
    void openAt(const QWidget& anchor, int current);

Q_SIGNALS:
    void chosen(int index);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& text);
    void chooseRow(int row);

    std::vector<SearchItem> items_;
    QLineEdit* search_;
    QListWidget* list_;
};

}  // namespace lowtide::ui
