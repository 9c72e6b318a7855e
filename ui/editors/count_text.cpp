#include "ui/editors/count_text.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <numeric>

namespace lowtide::ui {

namespace {

class CountWords {
    Q_DECLARE_TR_FUNCTIONS(Prompts)
};

constexpr size_t kMostListed = 4;  ///< chunks

int64_t sumOf(const EncoderCount& count) {
    return std::accumulate(count.chunks.begin(), count.chunks.end(), int64_t{0});
}

/// "75 + 12 / 75"
QString figuresOf(const EncoderCount& count) {
    if (count.chunks.size() > kMostListed) {
        return CountWords::tr("%1 in %2 × %3")
            .arg(sumOf(count))
            .arg(count.chunks.size())
            .arg(count.room);
    }
    QStringList chunks;
    for (const int64_t tokens : count.chunks) {
        chunks << QString::number(tokens);
    }
    return CountWords::tr("%1 / %2").arg(chunks.join(QStringLiteral(" + "))).arg(count.room);
}

QString sentenceOf(const EncoderCount& count) {
    const int chunks = static_cast<int>(count.chunks.size());
    const QString read = CountWords::tr("%1: %2 tokens in %n chunks of %3.", nullptr, chunks)
                             .arg(count.encoder)
                             .arg(sumOf(count))
                             .arg(count.room);
    return count.cut == 0
               ? read
               : read + QLatin1Char(' ') +
                     CountWords::tr("%n more are left out.", nullptr, static_cast<int>(count.cut));
}

/// Whether all say the same.
bool areAlike(const TextCounts& counts) {
    return std::all_of(
        counts.encoders.begin(), counts.encoders.end(), [&](const EncoderCount& each) {
            const EncoderCount& first = counts.encoders.front();
            return each.chunks == first.chunks && each.room == first.room && each.cut == first.cut;
        });
}

}  // namespace

CountText countText(const TextCounts& counts) {
    if (counts.encoders.empty()) {
        return counts.isConnected
                   ? CountText{.text = {},
                               .tooltip = CountWords::tr("Tokens are counted as soon as the "
                                                         "graph can be checked: see Issues.")}
                   : CountText{.text = CountWords::tr("No checkpoint connected"),
                               .tooltip = CountWords::tr("Connect a model to see how many tokens "
                                                         "its text encoder reads.")};
    }
    CountText shown;
    QStringList parts;
    QStringList sentences;
    const bool isOne = areAlike(counts);
    for (const EncoderCount& count : counts.encoders) {
        shown.isCut = shown.isCut || count.cut > 0;
        sentences << sentenceOf(count);
        QString part =
            isOne ? figuresOf(count) : CountWords::tr("%1 %2").arg(count.encoder, figuresOf(count));
        if (count.cut > 0) {
            part = CountWords::tr("%1, %2 cut").arg(part).arg(count.cut);
        }
        if (parts.isEmpty() || !isOne) {
            parts << part;
        }
    }
    if (counts.isDrawn) {
        sentences << CountWords::tr("Counted for the alternatives that the present seed draws.");
    }
    shown.text = (counts.isDrawn ? CountWords::tr("drawn: %1") : QStringLiteral("%1"))
                     .arg(parts.join(QStringLiteral(" · ")));
    shown.tooltip = sentences.join(QLatin1Char('\n'));
    return shown;
}

}  // namespace lowtide::ui
