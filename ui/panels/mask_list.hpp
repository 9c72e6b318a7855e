#pragma once

#include <QColor>
#include <QString>
#include <QWidget>

#include <vector>

class QListWidget;
class QListWidgetItem;
class QToolButton;

namespace lowtide::ui {

/// A row of the list of masks.
struct MaskRow {
    QString name;
    QColor colour;  ///< over the image
    bool isShown = true;
};

/// The masks of an image by name; the current row is the one that is painted.
class MaskList : public QWidget {
    Q_OBJECT

public:
    explicit MaskList(QWidget* parent);

    /// `current`: -1 where there is none.
    void showMasks(const std::vector<MaskRow>& rows, int current, bool canAdd);

Q_SIGNALS:
    void addAsked();
    void deleteAsked();
    void chosen(int row);
    void renamed(int row, const QString& name);
    void shownAsked(int row, bool isShown);

protected:
    /// The key Delete in the list.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void take(QListWidgetItem* item);

    QListWidget* list_;
    QToolButton* add_;
    QToolButton* delete_;
    std::vector<MaskRow> rows_;
    bool isShowing_ = false;
};

}  // namespace lowtide::ui
