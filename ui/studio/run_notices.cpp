#include "ui/studio/run_notices.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/studio/error_dialog.hpp"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

/// The first of the warnings, and how many follow it; empty: there is none.
QString warningsIn(const Issues& issues) {
    QString first;
    int more = 0;
    for (const Issue& issue : issues) {
        if (issue.severity != Severity::Warning) {
            continue;
        }
        if (first.isEmpty()) {
            first = asSentence(QString::fromStdString(issue.message.str()));
        } else {
            ++more;
        }
    }
    return more == 0 ? first : RunNotices::tr("%1 (and %n more)", nullptr, more).arg(first);
}

}  // namespace

RunNotices::RunNotices(const GraphModel& model,
                       RunControl& run,
                       const RunQueue& queue,
                       NoticeBar& bar,
                       QObject* parent)
    : QObject(parent), run_(run), queue_(queue), bar_(bar) {
    connect(&run_, &RunControl::upToDate, this, [this] {
        tell(NoticeKind::Info,
             tr("Nothing to do: everything is up to date."),
             tr("Run anew"),
             [this] { run_.run(RunHow::Anew); });
    });
    connect(&model, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.reset) {
            takeBack();
        }
    });
    connect(&run_, &RunControl::busyChanged, this, [this](bool isBusy) {
        // Not by a run that waited already: nobody would see what became of the one before.
        if (isBusy && queue_.running()->id > lastAsked_) {
            takeBack();
        }
    });
    connect(&run_, &RunControl::failed, this, &RunNotices::tellFailure);
    connect(&run_, &RunControl::finished, this, &RunNotices::tellPictures);
}

void RunNotices::tellFailure(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    const Issue* error = firstErrorIn(run->issues);
    QString text = error ? asSentence(QString::fromStdString(error->message.str()))
                         : tr("The run failed without saying why.");
    if (error && !error->hint.empty()) {
        text += QLatin1Char(' ') + asSentence(QString::fromStdString(error->hint.str()));
    }
    tell(NoticeKind::Error, text, tr("Show"), [this] { Q_EMIT issuesAsked(); });
}

void RunNotices::tellPictures(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    const QString warnings = warningsIn(run->issues);
    if (run->files.isEmpty()) {
        if (warnings.isEmpty()) {
            takeBack();
        } else {
            tell(NoticeKind::Warning, warnings, tr("Show"), [this] { Q_EMIT issuesAsked(); });
        }
        return;
    }
    const QString file = run->files.back();
    const QString name = QFileInfo(file).fileName();
    const QString folder = QDir::toNativeSeparators(QFileInfo(file).absolutePath());
    const int count = static_cast<int>(run->files.size());
    const QString text =
        count == 1
            ? tr("Saved %1 in %2.").arg(name, folder)
            : tr("Saved %n pictures in %1, the last one is %2.", nullptr, count).arg(folder, name);
    if (warnings.isEmpty()) {
        tell(NoticeKind::Success, text, tr("View"), [this, file] { Q_EMIT pictureAsked(file); });
    } else {
        tell(NoticeKind::Warning, text + QLatin1Char(' ') + warnings, tr("Show"), [this] {
            Q_EMIT issuesAsked();
        });
    }
}

void RunNotices::tell(NoticeKind kind,
                      const QString& text,
                      const QString& button,
                      std::function<void()> act) {
    for (const QueuedRun& run : queue_.runs()) {
        lastAsked_ = std::max(lastAsked_, run.id);
    }
    takeBack();
    told_ = bar_.show(kind, text, button, std::move(act));
}

/// What others tell stays.
void RunNotices::takeBack() {
    bar_.withdraw(std::exchange(told_, 0));
}

}  // namespace lowtide::ui
