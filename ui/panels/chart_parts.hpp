#pragma once

#include "ui/access/spoken.hpp"
#include "ui/document/node_title.hpp"
#include "ui/theme/figures.hpp"

#include <QColor>
#include <QPainter>
#include <QRectF>
#include <QString>
#include <QWidget>

#include <vector>

class QStyleOptionViewItem;

namespace lowtide::ui {

/// A painted part of a panel: takes the theme's font, follows the theme, and computes its height
/// from its width.
class Chart : public QWidget, public Spoken {
    Q_OBJECT

public:
    explicit Chart(const char* name, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

    /// How nodes are called in it; until then by their ids.
    void setNodeNames(NodeNames names);

    [[nodiscard]] QAccessible::Role spokenRole() const override { return QAccessible::Chart; }

protected:
    [[nodiscard]] virtual int heightNeeded() const = 0;
    /// What is shown is another: its size may be too.
    void refresh();
    /// What a pointer that rests reads there; empty: nothing.
    [[nodiscard]] virtual QString tipAt(QPointF point) const;
    [[nodiscard]] QString nameOf(const std::string& node) const;
    bool event(QEvent* event) override;

private:
    NodeNames names_;
};

/// A colour and what it stands for.
struct LegendEntry {
    QColor colour;
    QString text;
    bool isHatched = false;
};

/// The background of bars, with a border: in high contrast its colour is that of what is around it.
void paintTrack(QPainter& painter, const QRectF& track);
/// A part of a bar: solid, or hatched where it is not there all the time.
void paintBar(QPainter& painter, const QRectF& rect, const QColor& colour, bool isHatched = false);
/// Elided to the width, on one line, its baseline in the middle of the rectangle's height.
void paintText(QPainter& painter,
               const QRectF& rect,
               const QString& text,
               const char* role,
               const char* colour,
               Qt::Alignment alignment = Qt::AlignLeft);
/// The ground of a row in a list: chosen, below the pointer, or none.
void paintRowGround(QPainter& painter, const QStyleOptionViewItem& option);
/// Entries side by side, as many lines as the width needs.
void paintLegend(QPainter& painter, const QRectF& rect, const std::vector<LegendEntry>& entries);
[[nodiscard]] int legendHeight(int width, const std::vector<LegendEntry>& entries);

}  // namespace lowtide::ui
