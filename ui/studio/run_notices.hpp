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
    void takeBack();

    RunControl& run_;
    const RunQueue& queue_;
    NoticeBar& bar_;
    QString told_;  ///< what it showed last
};

}  // namespace lowtide::ui
