#pragma once

#include "ui/bridge/run_control.hpp"
#include "ui/bridge/run_queue.hpp"
#include "ui/panels/queue_words.hpp"
#include "ui/studio/actions.hpp"

#include <QLabel>
#include <QProgressBar>
#include <QSpinBox>
#include <QToolBar>
#include <QToolButton>
#include <QWidget>

#include <vector>

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
    /// Of each letter.
    [[nodiscard]] std::vector<int> widthsOf(const QString& text) const;
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
    QString whole_;  ///< what the text is cut from
};

/// Run, how often, cancel and how far the run is on the left, the zoom on the right.
class StudioToolBar : public QToolBar {
    Q_OBJECT

public:
    explicit StudioToolBar(const Actions& actions, QWidget* parent = nullptr);

    /// How many runs one press of Run queues.
    [[nodiscard]] int times() const { return times_->value(); }

    void setTimes(int times) { times_->setValue(times); }

    void setBusy(bool isBusy);
    /// The run at work, and how far the queue is; nullptr: none.
    void setRun(const QueuedRun* run, const QueueProgress& progress);
    /// In percent.
    void setZoom(double percent);

private:
    void addRun();

    const Actions& actions_;
    QSpinBox* times_;
    QToolButton* cancel_;
    RunStrip* strip_;
    QToolButton* zoom_;
};

}  // namespace lowtide::ui
