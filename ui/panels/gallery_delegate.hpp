#pragma once

#include <QStyledItemDelegate>

namespace lowtide::ui {

/// Paints a picture of the gallery: small, with its star, and what is said of it in place of a
/// picture that cannot be shown.
class GalleryDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    /// Pixels of a side.
    static constexpr int kSmall = 96;
    static constexpr int kMedium = 144;
    static constexpr int kLarge = 216;

    using QStyledItemDelegate::QStyledItemDelegate;

    void setSide(int pixels) { side_ = pixels; }

    /// Of the picture within: points, not pixels.
    [[nodiscard]] int pictureSide() const;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;

private:
    int side_ = kMedium;
};

}  // namespace lowtide::ui
