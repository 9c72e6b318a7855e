#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"
#include "plugin/graph/catalog.hpp"
#include "ui/panels/chart_parts.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::ui {

/// A hash of what decides about the time of a run: the graph without seeds, positions, titles and
/// boxes, the options, and which nodes executed. Empty when the graph cannot be read.
[[nodiscard]] std::string timeKeyOf(std::string_view graph,
                                    const Json& options,
                                    const Json& report,
                                    const graph::Catalog& catalog);

/// Remembers how long runs took: the last one of each of the newest kMostKeys kinds.
class RunTimes {
public:
    /// A run that takes more than so many times the last one of its key is worth a word.
    static constexpr double kSlower = 1.3;
    /// Milliseconds that it must take longer by: short runs vary by themselves.
    static constexpr double kLeastMore = 250;
    static constexpr size_t kMostKeys = 256;

    struct Slower {
        double milliseconds = 0;
        double lastMilliseconds = 0;
    };

    /// Takes the time; reports when it is over kSlower times the last one, and kLeastMore more.
    std::optional<Slower> take(const std::string& key, double milliseconds);

private:
    struct Last {
        std::string key;
        double milliseconds = 0;
    };

    std::deque<Last> last_;  ///< the newest at the end
};

/// A node that executed: what the plan predicted next to what was measured.
struct MeasuredNode {
    std::string node;
    double seconds = 0;
    std::optional<double> plannedSeconds;
    Bytes peak = 0;
    std::optional<Bytes> plannedPeak;  ///< on the device where it computed
    Bytes moved = 0;
    Bytes plannedMoved = 0;
    std::optional<double> copySeconds;  ///< that the copy queue worked; empty: there is none
    double waitSeconds = 0;             ///< that compute waited for copies
};

/// The last repetition of a run.
struct MeasuredView {
    std::vector<MeasuredNode> nodes;
    std::vector<std::string> cached;
    Bytes peak = 0;  ///< on the run's device
    Bytes plannedPeak = 0;
    bool isEstimated = true;   ///< the predicted times
    bool isRehearsal = false;  ///< they are those of the GPU that it simulates
    int collections = 0;
    Bytes saved = 0;  ///< by them
};

/// Of a report; empty when nothing executed.
[[nodiscard]] std::optional<MeasuredView> measuredViewOf(const Json& report);

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
