#include "ui/panels/queue_words.hpp"

#include "ui/theme/figures.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <cmath>

namespace lowtide::ui {

namespace {

class QueueTexts {
    Q_DECLARE_TR_FUNCTIONS(QueueWords)
};

QString percentText(const QueueProgress& progress) {
    return QueueTexts::tr("%1 %").arg(std::lround(progress.fraction * 100));
}

QString shortCount(const QueueProgress& progress) {
    return QueueTexts::tr("%1/%2").arg(progress.number).arg(progress.total);
}

}  // namespace

QueueWords queueWords(const QueueProgress& progress) {
    QueueWords words;
    if (progress.number == 0) {
        return words;
    }
    if (progress.total > 1) {
        words.count = QueueTexts::tr("%1 of %2").arg(progress.number).arg(progress.total);
    }
    words.phase = progress.phase.isEmpty() ? percentText(progress) : progress.phase;
    if (progress.secondsLeft && std::isfinite(*progress.secondsLeft) && *progress.secondsLeft > 0) {
        words.left = QueueTexts::tr("%1 left").arg(clockText(*progress.secondsLeft));
    }
    return words;
}

QString joined(const QueueWords& words) {
    QStringList parts = {words.count, words.phase, words.left};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

QString queueTabText(const QueueProgress& progress) {
    const bool areSeveral = progress.number > 0 && progress.total > 1;
    return progress.total == 0 ? QueueTexts::tr("Queue")
           : areSeveral        ? QueueTexts::tr("Queue (%1)").arg(shortCount(progress))
                               : QueueTexts::tr("Queue (%1)").arg(progress.total);
}

QString titleWith(const QueueProgress& progress, const QString& title) {
    if (progress.number == 0) {
        return title;
    }
    return progress.total > 1 ? QueueTexts::tr("(%1, %2) %3")
                                    .arg(shortCount(progress), percentText(progress), title)
                              : QueueTexts::tr("(%1) %2").arg(percentText(progress), title);
}

}  // namespace lowtide::ui
