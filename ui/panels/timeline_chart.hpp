#pragma once

#include "ui/panels/chart_parts.hpp"
#include "ui/panels/run_timeline.hpp"

namespace lowtide::ui {

/// A run over time: what was held, a lane of compute, a lane of copies, evictions and collections.
class TimelineChart : public Chart {
    Q_OBJECT

public:
    explicit TimelineChart(QWidget* parent = nullptr);
    void setTimeline(RunTimeline line, Bytes budget);
    [[nodiscard]] QString spokenText() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    [[nodiscard]] int heightNeeded() const override;
    [[nodiscard]] QString tipAt(QPointF point) const override;

private:
    [[nodiscard]] qreal xOf(double seconds) const;
    void paintHeld(QPainter& painter, const QRectF& lane) const;
    void paintCompute(QPainter& painter, const QRectF& lane) const;
    void paintMoved(QPainter& painter,
                    const QRectF& lane,
                    const std::vector<MovedBytes>& moved,
                    const char* colour) const;
    void paintCollections(QPainter& painter, const QRectF& lane) const;

    RunTimeline line_;
    Bytes budget_ = 0;
};

}  // namespace lowtide::ui
