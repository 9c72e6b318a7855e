#pragma once

#include "plugin/base/units.hpp"
#include "ui/bridge/engine.hpp"
#include "ui/bridge/memory_feed.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/bridge/run_queue.hpp"
#include "ui/document/graph_model.hpp"

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
    Engine& engine;
};

/// Memory of the run: the plan before it, what is held while it lasts, predicted beside measured
/// after it; device, budget and what lies on devices. It tells the feed when a run lasts and when
/// somebody watches.
class MemoryPanel : public QWidget {
    Q_OBJECT

public:
    explicit MemoryPanel(const MemoryPanelParts& parts, QWidget* parent = nullptr);
    ~MemoryPanel() override;

    /// "needs 3.1 GiB of 4.0 GiB, streams 60 %, about 40 s", or why it does not fit: for the form
    /// and the status bar.
    [[nodiscard]] QString summary() const;

Q_SIGNALS:
    /// A stage was clicked.
    void nodeActivated(const std::string& node);
    void summaryChanged(const QString& summary);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

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
    void release(const std::string& component, bool isUnload);
    [[nodiscard]] std::string device() const;
    [[nodiscard]] Bytes budget() const;

    MemoryPanelParts parts_;
    std::unique_ptr<Widgets> widgets_;
};

}  // namespace lowtide::ui
