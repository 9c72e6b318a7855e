#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"
#include "ui/panels/chart_parts.hpp"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// What one stage of a plan holds on one device. `streamed` is the part of `weights` through which
/// groups stream.
struct StageBar {
    std::string node;
    Bytes weights = 0;
    Bytes streamed = 0;
    Bytes activations = 0;
    Bytes wires = 0;
    Bytes caches = 0;
    Bytes staging = 0;
    Bytes moved = 0;           ///< in the whole stage
    Bytes movedInForward = 0;  ///< what one pass streams
    double seconds = 0;

    [[nodiscard]] Bytes total() const { return weights + activations + wires + caches + staging; }
};

/// A plan as the memory panel shows it: the device of the run, bar by bar.
struct PlanView {
    std::string device;
    Bytes budget = 0;  ///< 0: without a bound
    Bytes peak = 0;
    Bytes minimum = 0;
    bool isEstimated = false;
    bool isRehearsal = false;  ///< times are those of the GPU that it simulates
    QString measuredOn;
    std::vector<StageBar> stages;        ///< those that hold something there
    std::vector<std::string> elsewhere;  ///< nodes that compute on another device
};

/// Of Runner::plan's "plan"; empty when it is none.
[[nodiscard]] std::optional<PlanView> planViewOf(const Json& plan);
/// Percent of the networks' bytes on the device that each pass copies instead of keeping them.
[[nodiscard]] int streamedPercent(const Json& plan, const std::string& device);

/// A bar for each stage of the plan against the budget: weights, what streams, activations, wires,
/// caches. A stage that does not fit is marked.
class PlanBars : public Chart {
    Q_OBJECT

public:
    explicit PlanBars(QWidget* parent = nullptr);

    /// `budget`: what the user allows, where that is not the plan's own (it did not fit).
    void setPlan(const PlanView& plan, Bytes budget);
    /// Marks the stage that runs now; empty: none.
    void setRunning(const std::string& node);
    /// The plan is being worked out again.
    void setFresh(bool isFresh);
    /// Where the bar of a stage is painted; for tests and pointers.
    [[nodiscard]] QRectF barOf(size_t stage) const;
    [[nodiscard]] qreal budgetX() const;

    [[nodiscard]] QString spokenText() const override;
    [[nodiscard]] QStringList spokenActions() const override;
    void act(const QString& action) override;

Q_SIGNALS:
    void nodeActivated(const std::string& node);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    [[nodiscard]] int heightNeeded() const override;
    [[nodiscard]] QString tipAt(QPointF point) const override;

private:
    /// Where the first row's bars lie, and how many bytes fill that width.
    struct Scale {
        QRectF track;
        Bytes most = 0;

        [[nodiscard]] qreal lengthOf(Bytes bytes) const;
    };

    [[nodiscard]] std::vector<LegendEntry> legend() const;
    [[nodiscard]] Scale scale() const;
    [[nodiscard]] bool isFarBeyond() const;
    [[nodiscard]] QString textOf(const StageBar& stage) const;
    [[nodiscard]] const StageBar* stageAt(QPointF point) const;
    [[nodiscard]] QString tipOf(const StageBar& stage) const;
    void moveTo(size_t stage);
    [[nodiscard]] qreal rowTop(size_t stage) const;
    void paintStage(QPainter& painter, size_t index, const Scale& scale) const;
    void paintBudget(QPainter& painter, const Scale& scale) const;

    PlanView plan_;
    Bytes budget_ = 0;
    std::string running_;
    bool isFresh_ = true;
    size_t current_ = 0;  ///< the stage that keys are for
};

}  // namespace lowtide::ui
