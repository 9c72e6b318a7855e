#pragma once

#include "ui/bridge/planning.hpp"
#include "ui/bridge/run_queue.hpp"
#include "ui/panels/memory_line.hpp"
#include "ui/panels/queue_words.hpp"
#include "ui/studio/actions.hpp"

#include <QLabel>
#include <QProgressBar>
#include <QToolBar>
#include <QToolButton>
#include <QWidget>

namespace lowtide::ui {

/// A line of text in which all digits are equally wide: what counts moves nothing next to it.
class CountingLabel : public QLabel {
public:
    explicit CountingLabel(QWidget* parent = nullptr) : QLabel(parent) {}

    /// Pixels that the text takes in it.
    [[nodiscard]] int widthOf(const QString& text) const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] int widthOf(QChar letter) const;
};

/// How far the queue is, in the tool bar: which run of how many, what it does, and for how long the
/// queue still works; below it a bar for the run. It is always as wide.
class RunStrip : public QWidget {
    Q_OBJECT

public:
    explicit RunStrip(QWidget* parent = nullptr);

    void setRun(const QueuedRun& run, const QueueProgress& progress);

private:
    QProgressBar* bar_;
    CountingLabel* text_;
};

/// Run, cancel and how far the run is on the left, what the next one needs in the middle, the zoom
/// on the right.
class StudioToolBar : public QToolBar {
    Q_OBJECT

public:
    explicit StudioToolBar(const Actions& actions, QWidget* parent = nullptr);

    void setBusy(bool isBusy);
    /// The run at work, and how far the queue is; nullptr: none.
    void setRun(const QueuedRun* run, const QueueProgress& progress);
    void setPlanned(const Planned& planned, const NodeNames& names = {});
    /// In percent.
    void setZoom(double percent);

Q_SIGNALS:
    /// The summary of device and budget was clicked.
    void memoryAsked();

private:
    void showNeed();

    const Actions& actions_;
    MemoryLine need_;
    bool isBusy_ = false;
    QToolButton* cancel_;
    RunStrip* strip_;
    QToolButton* memory_;
    QToolButton* zoom_;
};

}  // namespace lowtide::ui
