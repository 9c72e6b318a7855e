#pragma once

#include "plugin/base/units.hpp"
#include "ui/bridge/device_memory.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/bridge/run_queue.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/models/model_kind.hpp"

#include <QWidget>

#include <memory>
#include <string>

namespace lowtide::ui {

/// What the panel shows and changes; all outlive it.
struct MemoryPanelParts {
    GraphModel& model;
    Planning& planning;
    RunQueue& queue;
    MemoryFeed& feed;
    MaintenanceJob& maintenance;
};

/// Memory of the run: the plan before it, what is held while it lasts, predicted next to measured
/// after it; device, budget and what lies on devices. It notifies the feed when a run lasts and
/// when somebody watches.
class MemoryPanel : public QWidget {
    Q_OBJECT

public:
    explicit MemoryPanel(const MemoryPanelParts& parts, QWidget* parent = nullptr);
    ~MemoryPanel() override;

    /// Offers to write a model again that does not fit (convertAsked).
    void offerConversion();

Q_SIGNALS:
    /// A stage was clicked.
    void nodeActivated(const std::string& node);
    /// Write the model that the graph names again, smaller.
    void convertAsked(const lowtide::ui::NamedModel& model);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Widgets;
    void connectControls();
    void connectRuns();
    void showSettings();
    void showPlan();
    void showRefusal(const Planned& planned);
    void showHeld();
    void beginRun(quint64 id);
    void takeEvent(const Json& event);
    void endRun(quint64 id);
    void showTimeline();
    void showDetails(bool hasTimeline, bool isMeasured, const QString& note);
    void showMeasuring(bool isEstimated);
    void beginTask(const MaintenanceTask& task);
    void endTask(const MaintenanceTask& task, const QString& problem);
    [[nodiscard]] std::string deviceSpec() const;  ///< as stated: "fake:4GiB"
    [[nodiscard]] std::string device() const;
    [[nodiscard]] Bytes budget() const;

    MemoryPanelParts parts_;
    std::unique_ptr<Widgets> widgets_;
    bool canConvert_ = false;
};

}  // namespace lowtide::ui
