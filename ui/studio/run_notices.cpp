#include "ui/studio/run_notices.hpp"

#include "ui/access/announce.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/theme/figures.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMainWindow>

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

constexpr qint64 kMomentMilliseconds = 700;

/// A key comes to the window with the panels last, when nobody below has accepted it.
bool isLast(const QObject* watched) {
    const auto* widget = qobject_cast<const QWidget*>(watched);
    return widget && widget->isWindow() &&
           (qobject_cast<const QMainWindow*>(watched) || qobject_cast<const QDockWidget*>(watched));
}

}  // namespace

RunNotices::RunNotices(MainWindowWidgets& widgets, ViewerController& images)
    : widgets_(widgets),
      images_(images),
      run_(widgets.workspace.run),
      queue_(widgets.workspace.queue) {
    connect(&run_, &RunControl::upToDate, this, [this] {
        showMessage(NoticeKind::Info,
                    tr("Nothing to do: everything is up to date."),
                    tr("Run again"),
                    [this] { run_.run(RunHow::Again); });
    });
    connect(&widgets_.workspace.model, &GraphModel::changed, this, [this](const Delta& delta) {
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
    connect(&run_, &RunControl::failed, this, &RunNotices::reportFailure);
    connect(&run_, &RunControl::finished, this, &RunNotices::reportImages);
}

void RunNotices::reportFailure(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    const Issue* error = firstErrorIn(run->issues);
    QString text = error ? asSentence(QString::fromStdString(error->message.str()))
                         : tr("The run failed without saying why.");
    if (error && !error->hint.empty()) {
        text += QLatin1Char(' ') + asSentence(QString::fromStdString(error->hint.str()));
    }
    showMessage(NoticeKind::Error, text, tr("Show"), [this] { widgets_.panels.show("issues"); });
}

void RunNotices::reportImages(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    const QString warnings = warningsIn(run->issues);
    if (run->files.isEmpty()) {
        if (warnings.isEmpty()) {
            takeBack();
        } else {
            showMessage(NoticeKind::Warning, warnings, tr("Show"), [this] {
                widgets_.panels.show("issues");
            });
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
            : tr("Saved %n images in %1, the last one is %2.", nullptr, count).arg(folder, name);
    if (warnings.isEmpty()) {
        showMessage(NoticeKind::Success, text, tr("View"), [this, file] { images_.show(file); });
    } else {
        showMessage(NoticeKind::Warning, text + QLatin1Char(' ') + warnings, tr("Show"), [this] {
            widgets_.panels.show("issues");
        });
    }
}

void RunNotices::showMessage(NoticeKind kind,
                             const QString& text,
                             const QString& button,
                             std::function<void()> act) {
    for (const QueuedRun& run : queue_.runs()) {
        lastAsked_ = std::max(lastAsked_, run.id);
    }
    takeBack();
    notice_ = widgets_.notices.show(kind, text, button, std::move(act));
}

/// What others report is kept.
void RunNotices::takeBack() {
    widgets_.notices.withdraw(std::exchange(notice_, 0));
}

RunSpeaker::RunSpeaker(QWidget& window, const RunQueue& queue, QObject* parent)
    : QObject(parent), window_(window) {
    const auto report = [this, &queue](quint64 id) {
        if (const QueuedRun* run = queue.find(id)) {
            announceEnd(*run);
        }
    };
    connect(&queue, &RunQueue::ended, this, report);
    connect(&queue, &RunQueue::takenBack, this, [this, report](const std::vector<quint64>& ids) {
        if (ids.size() == 1) {
            report(ids.front());
        } else {
            announce(window_,
                     tr("%n runs were taken back.", nullptr, static_cast<int>(ids.size())));
        }
    });
}

QString endSentence(const QueuedRun& run) {
    const Issue* error = firstErrorIn(run.issues);
    if (run.state == RunState::Failed) {
        return joinedSentences(
            RunSpeaker::tr("The run “%1” failed.").arg(run.title),
            error ? asSentence(QString::fromStdString(error->message.str())) : QString(),
            " ");
    }
    if (run.state == RunState::Cancelled) {
        return RunSpeaker::tr("The run “%1” was cancelled.").arg(run.title);
    }
    const QString end = RunSpeaker::tr("The run “%1” finished in %2.")
                            .arg(run.title, secondsText(run.milliseconds / 1000));
    QStringList names;
    for (const QString& file : run.files) {
        names << QFileInfo(file).fileName();
    }
    return names.isEmpty()
               ? end
               : joinedSentences(end, RunSpeaker::tr("Saved %1.").arg(listed(names)), " ");
}

void RunSpeaker::announceEnd(const QueuedRun& run) {
    announce(window_,
             endSentence(run),
             run.state == RunState::Failed ? Urgency::Urgent : Urgency::Polite);
}

void RunSpeaker::announceIssues(int errors, int warnings) {
    const bool areMore = errors > std::exchange(errors_, errors);
    const bool areMoreWarnings = warnings > std::exchange(warnings_, warnings);
    if (areMore || areMoreWarnings) {
        announce(window_,
                 listed({tr("Issues: %n error(s)", nullptr, errors),
                         tr("%n warning(s)", nullptr, warnings)}));
    }
}

EscapeTwice::EscapeTwice(QObject* parent) : QObject(parent) {
    QCoreApplication::instance()->installEventFilter(this);
}

bool EscapeTwice::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) {
        return false;
    }
    const auto& key = static_cast<const QKeyEvent&>(*event);
    if (key.key() != Qt::Key_Escape) {
        since_.invalidate();
    } else if (!key.isAutoRepeat() && isLast(watched)) {
        count();
    }
    return false;
}

void EscapeTwice::count() {
    if (since_.isValid() && since_.elapsed() < kMomentMilliseconds) {
        since_.invalidate();
        Q_EMIT pressed();
    } else {
        since_.start();
    }
}

}  // namespace lowtide::ui
