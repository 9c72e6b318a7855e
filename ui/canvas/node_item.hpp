#pragma once

#include "ui/canvas/node_painter.hpp"

#include <QGraphicsItem>

namespace lowtide::ui {

/// A node on the canvas, painted whole by itself. Holds what it shows; changes nothing.
class NodeItem : public QGraphicsItem {
public:
    enum { Type = UserType + 1 };

    /// `look` must outlive the item.
    explicit NodeItem(const Look& look);

    [[nodiscard]] int type() const override { return Type; }

    void setFace(NodeFace face);
    void setStatus(const NodeStatus& status);
    /// Another theme: lays all texts out anew.
    void lookChanged();

    [[nodiscard]] const NodeFace& face() const { return face_; }

    [[nodiscard]] const NodeLayout& layout() const { return layout_; }

    [[nodiscard]] const NodeStatus& status() const { return status_; }

    /// As painted at that zoom.
    [[nodiscard]] const NodeTexts& texts(double zoom = 1);

    [[nodiscard]] const std::string& id() const { return face_.id; }

    [[nodiscard]] QRectF bodyInScene() const { return layout_.body.translated(pos()); }

    [[nodiscard]] QRectF valueInScene(int row) const;
    /// Where wires of the port end; the node's edge for a port that is not there.
    [[nodiscard]] QPointF inputInScene(const std::string& port) const;
    [[nodiscard]] QPointF outputInScene(const std::string& port) const;
    [[nodiscard]] NodePartAt partAtScene(QPointF point, double reach) const;

    void setHovered(NodePartAt part);
    /// Points out a port or row; empty: none.
    void setMarked(const std::string& item);

    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void layOut();
    const QImage& pictureFor(double pixelsPerUnit);

    const Look& look_;
    NodeFace face_;
    NodeLayout layout_;
    NodeTexts texts_;
    std::optional<NodeTexts> largeTexts_;  ///< laid out when they are painted first
    NodeStatus status_;
    NodeIssues issues_;
    NodePartAt hovered_;
    std::string marked_;
    QImage scaledPicture_;
};

}  // namespace lowtide::ui
