#include "ui/editors/prompt_highlighter.hpp"

#include "ui/theme/theme.hpp"

#include <QTextBlock>
#include <QTextDocument>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

/// Longer texts are no prompts: they have no colours, so that typing stays quick.
constexpr int kMostColoured = 100000;

const char* tokenOf(PromptPiece::Kind kind) {
    switch (kind) {
        case PromptPiece::Kind::Bracket:
            return "syntax.bracket";
        case PromptPiece::Kind::Number:
            return "syntax.number";
        case PromptPiece::Kind::Keyword:
            return "syntax.keyword";
        case PromptPiece::Kind::Name:
            return "syntax.name";
        case PromptPiece::Kind::Choice:
        case PromptPiece::Kind::Wildcard:
            return "syntax.choice";
        case PromptPiece::Kind::Problem:
            break;
    }
    return "warning";
}

/// The first piece that ends behind a place.
auto firstBehind(const std::vector<PromptPiece>& pieces, int place) {
    return std::partition_point(pieces.begin(), pieces.end(), [&](const PromptPiece& piece) {
        return piece.begin + piece.length <= place;
    });
}

}  // namespace

PromptHighlighter::PromptHighlighter(QTextDocument& document) : QSyntaxHighlighter(&document) {
    // A bracket changes what others far from it mean: blocks that were painted before it was typed.
    connect(&document, &QTextDocument::contentsChanged, this, &PromptHighlighter::readAgain);
    connect(&Themed::instance(), &Themed::changed, this, &QSyntaxHighlighter::rehighlight);
}

void PromptHighlighter::setSyntax(const PromptSyntax& syntax) {
    if (syntax != syntax_) {
        syntax_ = syntax;
        revision_ = -1;
        readAgain();
    }
}

void PromptHighlighter::setCut(int from, const QString& reason) {
    cutReason_ = reason;
    if (from != cutFrom_) {
        cutFrom_ = from;
        rehighlight();
    }
}

void PromptHighlighter::readAgain() {
    if (isPainting_ || revision_ == document()->revision()) {
        return;
    }
    revision_ = document()->revision();
    const bool isLong = document()->characterCount() > kMostColoured;
    std::vector<PromptPiece> pieces =
        isLong ? std::vector<PromptPiece>() : promptPieces(document()->toPlainText(), syntax_);
    const bool isOther = std::exchange(pieces_, std::move(pieces)) != pieces_;
    if (isOther) {
        isPainting_ = true;
        rehighlight();
        isPainting_ = false;
        Q_EMIT piecesChanged();
    }
}

QString PromptHighlighter::problemAt(int place) const {
    const auto piece = firstBehind(pieces_, place);
    if (piece != pieces_.end() && piece->begin <= place && !piece->problem.isEmpty()) {
        return piece->problem;
    }
    return cutFrom_ >= 0 && place >= cutFrom_ ? cutReason_ : QString();
}

QTextCharFormat PromptHighlighter::formatOf(const PromptPiece& piece) const {
    QTextCharFormat format;
    format.setForeground(Theme::current().colour(tokenOf(piece.kind)));
    if (piece.kind == PromptPiece::Kind::Keyword) {
        format.setFontWeight(QFont::DemiBold);
    }
    if (piece.kind == PromptPiece::Kind::Problem) {
        format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        format.setUnderlineColor(Theme::current().colour("warning"));
    }
    return format;
}

void PromptHighlighter::highlightBlock(const QString& text) {
    const int begin = currentBlock().position();
    const int end = begin + static_cast<int>(text.size());
    for (auto piece = firstBehind(pieces_, begin); piece != pieces_.end() && piece->begin < end;
         ++piece) {
        const int from = std::max(piece->begin, begin);
        const int to = std::min(piece->begin + piece->length, end);
        setFormat(from - begin, to - from, formatOf(*piece));
    }
    if (cutFrom_ >= 0 && cutFrom_ < end) {
        const int from = std::max(cutFrom_, begin);
        QTextCharFormat format;
        format.setForeground(Theme::current().colour("text.muted"));
        format.setFontStrikeOut(true);
        setFormat(from - begin, end - from, format);
    }
}

}  // namespace lowtide::ui
