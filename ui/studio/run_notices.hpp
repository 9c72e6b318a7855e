#pragma once

#include "ui/bridge/run_control.hpp"
#include "ui/studio/notice_bar.hpp"

#include <QObject>

namespace lowtide::ui {

/// Says above the canvas how a run ended, of what it warned, and what can be done next.
class RunNotices : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    RunNotices(const GraphModel& model,
               RunControl& run,
               const RunQueue& queue,
               NoticeBar& bar,
               QObject* parent = nullptr);

    /// What it said last no longer holds.
    void takeBack();

Q_SIGNALS:
    /// The person wants to see what is wrong.
    void issuesAsked();
    /// The person wants to see the picture of the run.
    void pictureAsked(const QString& file);

private:
    void tellFailure(quint64 id);
    void tellPictures(quint64 id);
    void tell(NoticeKind kind,
              const QString& text,
              const QString& button,
              std::function<void()> act);

    RunControl& run_;
    const RunQueue& queue_;
    NoticeBar& bar_;
    quint64 told_ = 0;       ///< what it showed last
    quint64 lastAsked_ = 0;  ///< the newest run when it did
};

}  // namespace lowtide::ui
