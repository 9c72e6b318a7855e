#pragma once

#include "ui/canvas/look.hpp"
#include "ui/canvas/painted_text.hpp"
#include "ui/document/edits.hpp"

#include <QGraphicsItem>

namespace lowtide::ui {

/// What of a frame or note lies under a point.
enum class BoxPart { None, Title, Body, Corner, Fold };

/// A rectangle with a text: what frames and notes have in common.
class BoxItem : public QGraphicsItem {
public:
    BoxItem(const Look& look, BoxKind kind);

    void setBox(Box box);
    void lookChanged();

    [[nodiscard]] const Box& box() const { return box_; }

    [[nodiscard]] BoxKind kind() const { return kind_; }

    /// As it is painted: a collapsed frame is only its title.
    [[nodiscard]] QRectF shownRect() const;
    /// With everything that it holds, also while it is collapsed.
    [[nodiscard]] QRectF wholeRect() const;
    /// Where the text stands, and its editor lies, in the scene.
    [[nodiscard]] QRectF textInScene() const;
    [[nodiscard]] BoxPart partAtScene(QPointF point, double reach) const;

    [[nodiscard]] QRectF boundingRect() const override;

    /// Frames keep their title readable from afar.
    void paint(QPainter* painter,
               const QStyleOptionGraphicsItem* option,
               QWidget* widget) override = 0;

protected:
    static constexpr double kTitleHeight = 32;  ///< of a frame

    /// Lays the text out within textRect().
    virtual void layOut() = 0;
    [[nodiscard]] QRectF localRect() const;
    [[nodiscard]] QRectF textRect() const;

    const Look& look_;
    Box box_;
    std::vector<PaintedText> texts_;

private:
    BoxKind kind_;
};

/// A frame: a coloured ground with a title below nodes and wires.
class FrameItem : public BoxItem {
public:
    enum { Type = UserType + 2 };

    explicit FrameItem(const Look& look) : BoxItem(look, BoxKind::Frame) { setZValue(-1); }

    [[nodiscard]] int type() const override { return Type; }

    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override;

protected:
    void layOut() override;
};

/// A note: a text that belongs to no node.
class NoteItem : public BoxItem {
public:
    enum { Type = UserType + 3 };

    explicit NoteItem(const Look& look) : BoxItem(look, BoxKind::Note) { setZValue(-0.5); }

    [[nodiscard]] int type() const override { return Type; }

    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override;

protected:
    void layOut() override;
};

}  // namespace lowtide::ui
