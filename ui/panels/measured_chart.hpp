#pragma once

#include "ui/panels/chart_parts.hpp"
#include "ui/panels/measured_view.hpp"

namespace lowtide::ui {

/// After a run, node by node: the peak that was predicted above the one that came, and the times.
class MeasuredChart : public Chart {
    Q_OBJECT

public:
    explicit MeasuredChart(QWidget* parent = nullptr);
    void setMeasured(const MeasuredView& measured);
    [[nodiscard]] QString spokenText() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    [[nodiscard]] int heightNeeded() const override;
    [[nodiscard]] QString tipAt(QPointF point) const override;

private:
    [[nodiscard]] std::vector<LegendEntry> legend() const;
    [[nodiscard]] QString textOf(const MeasuredNode& node) const;
    void paintNode(QPainter& painter, const MeasuredNode& node, qreal top) const;

    MeasuredView measured_;
    Bytes most_ = 0;
};

}  // namespace lowtide::ui
