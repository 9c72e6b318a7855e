#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"
#include "ui/panels/chart_parts.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// When a node computed. Seconds since the run began.
struct ComputeSpan {
    std::string node;
    double begin = 0;
    double end = 0;
};

/// Bytes that began to come or went at one moment.
struct MovedBytes {
    double at = 0;
    Bytes bytes = 0;
};

struct CollectionMark {
    double at = 0;
    Bytes saved = 0;
    std::string point;  ///< "prompt encode", "decode"
};

struct HeldBytes {
    double at = 0;
    Bytes bytes = 0;
};

/// One run as two rows: compute and copies, with evictions, collections and what was held.
struct RunTimeline {
    double seconds = 0;
    std::vector<ComputeSpan> compute;
    std::vector<MovedBytes> copies;
    std::vector<MovedBytes> evictions;
    std::vector<CollectionMark> collections;
    std::vector<HeldBytes> held;  ///< on the run's device
    bool isLive = false;          ///< copies are known when the run has ended
};

/// Follows a run by its events; the report then states everything exactly.
class TimelineRecorder {
public:
    void begin(double now);
    /// `now`: seconds of any clock that goes on.
    void take(const Json& event, double now);
    [[nodiscard]] RunTimeline timeline(double now) const;

private:
    double begin_ = 0;
    RunTimeline line_;
    std::optional<ComputeSpan> running_;
};

/// Of the report's "timeline": the same, exact. `held` of the live one is taken over.
[[nodiscard]] RunTimeline timelineOf(const Json& report, const RunTimeline& live);

/// A run over time: what was held, a row of compute, a row of copies, evictions and collections.
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
    void paintHeld(QPainter& painter, const QRectF& track) const;
    void paintCompute(QPainter& painter, const QRectF& track) const;
    void paintMoved(QPainter& painter,
                    const QRectF& track,
                    const std::vector<MovedBytes>& moved,
                    const char* colour) const;
    void paintCollections(QPainter& painter, const QRectF& track) const;

    RunTimeline line_;
    Bytes budget_ = 0;
};

}  // namespace lowtide::ui
