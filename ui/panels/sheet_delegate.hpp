#pragma once

#include "ui/panels/sheet_table.hpp"

#include <QStyledItemDelegate>

namespace lowtide::ui {

/// Paints a cell of a sheet: its picture, or why there is none; below it, on wish, what it took.
class SheetDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    /// Pixels of the longer side of a picture.
    void setSide(int pixels) { side_ = pixels; }

    void setFigures(bool areShown) { hasFigures_ = areShown; }

    void setMarked(SheetTable::Figure figure) { marked_ = figure; }

    /// The cell that others are compared with; -1: none.
    void setReference(int cell) { reference_ = cell; }

    [[nodiscard]] QSize cellSize(const QSizeF& shape) const;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

private:
    [[nodiscard]] int captionHeight() const;
    void paintPicture(QPainter& painter,
                      const QRect& place,
                      const SheetTable& table,
                      int cell) const;
    void paintCaption(QPainter& painter, QRect line, const SheetTable& table, int cell) const;
    void paintMark(QPainter& painter, const QRect& place, const SheetTable& table, int cell) const;

    int side_ = 0;
    bool hasFigures_ = false;
    SheetTable::Figure marked_ = SheetTable::Figure::None;
    int reference_ = -1;
};

}  // namespace lowtide::ui
