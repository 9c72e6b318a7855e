#pragma once

#include "ui/canvas/search_match.hpp"

#include <QStyledItemDelegate>

class QStandardItem;

namespace lowtide::ui {

/// A line of the node search: the mark of what the node gives, its name, its category.
class SearchRow : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    /// The list's item of a hit; the parent list owns it.
    [[nodiscard]] static QStandardItem* itemFor(const SearchHit& hit, const PortWanted& wanted);

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;
};

}  // namespace lowtide::ui
