#pragma once

#include "ui/canvas/search_match.hpp"

#include <QStyledItemDelegate>

class QStandardItem;

namespace lowtide::ui {

/// A line of a list over the canvas: the mark of a wire type, a name, and what is said of it.
class SearchRow : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    /// A row with the mark of a wire type; `aside` stands at its right end. The parent list owns
    /// it.
    [[nodiscard]] static QStandardItem* item(const QString& text,
                                             const QString& aside,
                                             const std::string& type);
    /// The list's item of a hit; the parent list owns it.
    [[nodiscard]] static QStandardItem* itemFor(const SearchHit& hit, const PortWanted& wanted);

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;
};

}  // namespace lowtide::ui
