#pragma once

#include <QImage>
#include <QStyledItemDelegate>

#include <functional>

namespace lowtide::ui {

/// Columns of a list of models; all but the first are told below the name.
struct ModelColumn {
    enum : int { Name, Family, Size, Verdict };

    /// Roles beside Qt's: of the name the file's path, of the verdict the place in the library.
    static constexpr int Path = 0x0101;
    static constexpr int Place = 0x0102;
};

/// Paints a model: its name over the whole width, below it what is known of it: panels are narrow.
class ModelRowDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    /// The small picture of a row, asked for when it is painted; without it rows have none.
    void setPictures(std::function<QImage(const QModelIndex&)> pictures) {
        pictures_ = std::move(pictures);
    }

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;

private:
    std::function<QImage(const QModelIndex&)> pictures_;
};

}  // namespace lowtide::ui
