#include "ui/studio/run_speaker.hpp"

#include "ui/access/announce.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/theme/figures.hpp"

#include <QFileInfo>

#include <utility>

namespace lowtide::ui {

RunSpeaker::RunSpeaker(QWidget& window, const RunQueue& queue, QObject* parent)
    : QObject(parent), window_(window) {
    const auto say = [this, &queue](quint64 id) {
        if (const QueuedRun* run = queue.find(id)) {
            sayEnd(*run);
        }
    };
    connect(&queue, &RunQueue::ended, this, say);
    connect(&queue, &RunQueue::takenBack, this, [this, say](const std::vector<quint64>& ids) {
        if (ids.size() == 1) {
            say(ids.front());
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

void RunSpeaker::sayEnd(const QueuedRun& run) {
    announce(window_,
             endSentence(run),
             run.state == RunState::Failed ? Urgency::Urgent : Urgency::Polite);
}

void RunSpeaker::sayIssues(int errors, int warnings) {
    const bool areMore = errors > std::exchange(errors_, errors);
    const bool areMoreWarnings = warnings > std::exchange(warnings_, warnings);
    if (areMore || areMoreWarnings) {
        announce(window_,
                 listed({tr("Issues: %n error(s)", nullptr, errors),
                         tr("%n warning(s)", nullptr, warnings)}));
    }
}

}  // namespace lowtide::ui
