#pragma once

#include "ui/canvas/look.hpp"
#include "ui/canvas/node_painter.hpp"
#include "ui/document/edits.hpp"

#include <QGraphicsItem>

namespace lowtide::ui {

/// A title that is read from afar, laid out once for about each zoom.
class FarTitle {
public:
    void forget();
    /// `size`: of what it is the title of, in canvas units.
    [[nodiscard]] const NodeTexts& at(double zoom,
                                      const QString& title,
                                      QSizeF size,
                                      const Look& look);

private:
    double zoom_ = 0;  ///< 0: forgotten
    NodeTexts texts_;
};

/// A node on the canvas, painted whole by itself. Holds what it shows; changes nothing.
class NodeItem : public QGraphicsItem {
public:
    enum { Type = UserType + 1 };

    /// `look` must outlive the item.
    explicit NodeItem(const Look& look);

    [[nodiscard]] int type() const override { return Type; }

    void setFace(NodeFace face);
    void setStatus(const NodeStatus& status);
    /// Another theme: lays all texts out again.
    void lookChanged();

    [[nodiscard]] const NodeFace& face() const { return face_; }

    [[nodiscard]] const NodeLayout& layout() const { return layout_; }

    [[nodiscard]] const NodeStatus& status() const { return status_; }

    /// Its own wish (node_widths.hpp); the scene decides.
    [[nodiscard]] double wantedWidth() const { return wantedWidth_; }

    void setWidth(double width);
    /// As narrow as nodes are, and without an image.
    [[nodiscard]] QRectF leastBodyInScene() const;

    /// Shows folded inputs that take a value of the type next to the node; empty: no longer.
    void offerFolded(const std::string& type);

    [[nodiscard]] bool isOffering() const { return !layout_.flyout.isNull(); }

    /// As painted at that zoom.
    [[nodiscard]] const NodeTexts& texts(double zoom = 1);

    [[nodiscard]] const std::string& id() const { return face_.id; }

    [[nodiscard]] QRectF bodyInScene() const { return layout_.body.translated(pos()); }

    [[nodiscard]] QRectF valueInScene(int row) const;
    /// Where wires of the port end; the node's edge for a port that is not there.
    [[nodiscard]] QPointF portInScene(const std::string& port, bool isOutput) const;

    [[nodiscard]] QPointF inputInScene(const std::string& port) const {
        return portInScene(port, false);
    }

    [[nodiscard]] QPointF outputInScene(const std::string& port) const {
        return portInScene(port, true);
    }

    [[nodiscard]] NodePartAt partAtScene(QPointF point, double reach) const;

    void setHovered(NodePartAt part);
    /// Points out a port or row; empty: none.
    void setMarked(const std::string& item);

    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void layOut();
    const QImage& imageFor(double pixelsPerUnit);

    const Look& look_;
    NodeFace face_;
    double wantedWidth_ = node_measures::kLeastWidth;
    double width_ = node_measures::kLeastWidth;
    std::string offered_;  ///< the type of offerFolded()
    NodeLayout layout_;
    std::optional<NodeTexts> texts_;  ///< laid out when they are painted first, as the others are
    std::optional<NodeTexts> largeTexts_;
    FarTitle farTitle_;
    NodeStatus status_;
    NodeIssues issues_;
    NodePartAt hovered_;
    std::string marked_;
    QImage scaledImage_;
};

/// What of a frame or note lies under a point.
enum class BoxPart { None, Title, Body, Corner, Fold };

/// Whose size a box has: the one that the user gave it, or that of the open group in it.
enum class BoxSize { Own, OfGroup };

/// A rectangle with a text: a frame, which is a coloured ground with a title below nodes and wires,
/// or a note, which belongs to no node.
class BoxItem : public QGraphicsItem {
public:
    BoxItem(const Look& look, BoxKind kind, BoxSize size = BoxSize::Own);

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
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    [[nodiscard]] bool isFrame() const { return kind_ == BoxKind::Frame; }

    void layOut();
    void paintTexts(QPainter& painter, double zoom) const;
    [[nodiscard]] QRectF localRect() const;
    [[nodiscard]] QRectF textRect() const;

    const Look& look_;
    Box box_;
    BoxKind kind_;
    BoxSize size_;
    std::vector<PaintedText> texts_;  ///< a frame's title, and the same to be read from afar
    FarTitle farTitle_;               ///< and from farther
};

}  // namespace lowtide::ui
