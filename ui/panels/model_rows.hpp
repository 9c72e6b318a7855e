#pragma once

#include <QStyledItemDelegate>

namespace lowtide::ui {

/// Columns of a list of models; all but the first are told below the name.
struct ModelColumn {
    enum : int { Name, Family, Size, Verdict };
};

/// Paints a model: its name over the whole width, below it what is known of it: panels are narrow.
class ModelRowDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;
};

}  // namespace lowtide::ui
