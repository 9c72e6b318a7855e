#include "ui/studio/run_notices.hpp"

#include "ui/studio/error_dialog.hpp"

#include <QFileInfo>

namespace lowtide::ui {

RunNotices::RunNotices(RunControl& run, const RunQueue& queue, NoticeBar& bar, QObject* parent)
    : QObject(parent), run_(run), queue_(queue), bar_(bar) {
    connect(&run_, &RunControl::upToDate, this, [this] {
        bar_.show(NoticeKind::Info,
                  tr("Nothing to do: everything is up to date."),
                  tr("Run anew"),
                  [this] { run_.run(RunHow::Anew); });
    });
    connect(&run_, &RunControl::failed, this, &RunNotices::tellFailure);
    connect(&run_, &RunControl::finished, this, &RunNotices::tellPictures);
}

void RunNotices::tellFailure(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    const Issue* error = nullptr;
    for (const Issue& issue : run->issues) {
        if (!error && issue.severity == Severity::Error) {
            error = &issue;
        }
    }
    QString text = error ? asSentence(QString::fromStdString(error->message))
                         : tr("The run failed; the module said no more.");
    if (error && !error->hint.empty()) {
        text += QLatin1Char(' ') + asSentence(QString::fromStdString(error->hint));
    }
    bar_.show(NoticeKind::Error, text, tr("Show"), [this] { Q_EMIT issuesAsked(); });
}

void RunNotices::tellPictures(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    if (run->files.isEmpty()) {
        bar_.dismiss();
        return;
    }
    const QString file = run->files.back();
    const QString text = run->files.size() == 1 ? tr("Saved %1.").arg(QFileInfo(file).fileName())
                                                : tr("Saved %1 pictures, the last one is %2.")
                                                      .arg(run->files.size())
                                                      .arg(QFileInfo(file).fileName());
    bar_.show(NoticeKind::Success, text, tr("View"), [this, file] { Q_EMIT pictureAsked(file); });
}

}  // namespace lowtide::ui
