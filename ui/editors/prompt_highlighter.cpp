#include "ui/editors/prompt_highlighter.hpp"

#include "ui/prompts/prompt_choices.hpp"
#include "ui/theme/theme.hpp"

#include <QCoreApplication>
#include <QTextBlock>
#include <QTextDocument>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace lowtide::ui {

namespace {

class PieceWords {
    Q_DECLARE_TR_FUNCTIONS(Prompts)
};

constexpr size_t kDeepestPieces = 64;
constexpr qsizetype kLongestPieceName = 200;

using Kind = PromptPiece::Kind;

bool isWordLetter(QChar letter) {
    return letter.isLetterOrNumber() || letter == QLatin1Char('_');
}

bool isDigit(QChar letter) {
    return letter >= QLatin1Char('0') && letter <= QLatin1Char('9');
}

class PieceFinder {
public:
    PieceFinder(QStringView text, const PromptSyntax& syntax) : text_(text), syntax_(syntax) {}

    std::vector<PromptPiece> find() {
        while (at_ < text_.size()) {
            at_ += takeNext();
        }
        for (const Open& open : syntax_.weights ? round_ : OpenList()) {
            emitOpen(open);
        }
        for (const Open& open : isA1111() ? square_ : OpenList()) {
            emitOpen(open);
        }
        for (const Open& open : braces_) {
            if (!open.bars.empty()) {
                add(open.at,
                    1,
                    Kind::Problem,
                    PieceWords::tr("No } closes these alternatives: they are read as text."));
            }
        }
        std::ranges::sort(pieces_, [](const auto& a, const auto& b) { return a.begin < b.begin; });
        return std::move(pieces_);
    }

private:
    /// A bracket that nothing closed so far.
    struct Open {
        qsizetype at = 0;
        std::vector<qsizetype> bars{};
        qsizetype colon = -1;  ///< the last one in it
    };

    using OpenList = std::vector<Open>;

    [[nodiscard]] bool isA1111() const { return syntax_.weights == WeightSyntax::A1111; }

    /// Whether (word:1.2) is a weight.
    [[nodiscard]] bool readsNumbers() const {
        return isA1111() || syntax_.weights == WeightSyntax::ComfyUi;
    }

    [[nodiscard]] bool isCompel() const { return syntax_.weights == WeightSyntax::Compel; }

    void add(qsizetype begin, qsizetype length, Kind kind, const QString& problem = {}) {
        pieces_.push_back({.begin = static_cast<int>(begin),
                           .length = static_cast<int>(length),
                           .kind = kind,
                           .problem = problem});
    }

    /// Who reads a text as ComfyUI wants ComfyUI's image: other weights are no remedy.
    void addUnread(qsizetype begin, qsizetype length, const QString& problem) {
        add(begin, length, Kind::Problem, problem);
        pieces_.back().isReadByA1111 = syntax_.weights != WeightSyntax::ComfyUi;
    }

    void emitOpen(const Open& open) {
        add(open.at,
            1,
            Kind::Problem,
            isA1111() ? PieceWords::tr("Nothing closes this bracket: it lasts to the end of the "
                                       "text. A backslash before it makes it text.")
                      : PieceWords::tr("Nothing closes this bracket: it is read as text."));
    }

    qsizetype addUnopened() {
        add(at_,
            1,
            Kind::Problem,
            PieceWords::tr("No bracket is open here: this one is read as text. "
                           "A backslash before it says so."));
        return 1;
    }

    /// Handles what stands at the current position and returns how long that is.
    qsizetype takeNext() {
        switch (text_[at_].unicode()) {
            case u'\\':
                return 2;
            case u'(':
                return opened(round_);
            case u'[':
                return opened(square_);
            case u')':
                return closeRound();
            case u']':
                return closeSquare();
            case u':':
                return takeColon();
            case u'{':
                if (braces_.size() < kDeepestPieces) {
                    braces_.push_back({.at = at_});
                }
                return 1;
            case u'|':
                return takeBar();
            case u'}':
                return closeBraces();
            case u'<':
                return takeTag();
            case u'_':
                return takeWildcard();
            default:
                return takeWord();
        }
    }

    qsizetype opened(OpenList& list) {
        // Those without a meaning are followed too, to find (word:1.2) and [a|b] in them.
        if (list.size() < kDeepestPieces) {
            list.push_back({.at = at_});
        }
        return 1;
    }

    /// "1.3" at a position, spaces before it left out; 0: there is no number.
    [[nodiscard]] qsizetype numberLength(qsizetype at) const {
        qsizetype end = at;
        if (end < text_.size() &&
            (text_[end] == QLatin1Char('-') || text_[end] == QLatin1Char('+'))) {
            ++end;
        }
        const qsizetype digits = end;
        while (end < text_.size() && (isDigit(text_[end]) || text_[end] == QLatin1Char('.'))) {
            ++end;
        }
        bool isNumber = false;
        if (end > digits) {
            static_cast<void>(text_.mid(at, end - at).toDouble(&isNumber));
        }
        return isNumber ? end - at : 0;
    }

    [[nodiscard]] qsizetype pastSpaces(qsizetype at) const {
        while (at < text_.size() && text_[at].isSpace()) {
            ++at;
        }
        return at;
    }

    qsizetype takeColon() {
        if (!square_.empty()) {
            square_.back().colon = at_;
        }
        const qsizetype number = pastSpaces(at_ + 1);
        const qsizetype length = numberLength(number);
        const qsizetype end = pastSpaces(number + length);
        const bool isWeight =
            !round_.empty() && length > 0 && end < text_.size() && text_[end] == QLatin1Char(')');
        if (!isWeight) {
            return 1;
        }
        if (!readsNumbers()) {
            addUnread(at_,
                      end - at_,
                      PieceWords::tr("(word:1.2) is read as words here: it belongs to the weights "
                                     "A1111."));
            return end - at_;
        }
        add(round_.back().at, 1, Kind::Bracket);
        add(at_, 1, Kind::Bracket);
        add(number, length, Kind::Number);
        add(end, 1, Kind::Bracket);
        round_.pop_back();
        return end + 1 - at_;
    }

    qsizetype closeRound() {
        if (!syntax_.weights) {
            if (!round_.empty()) {
                round_.pop_back();
            }
            return 1;
        }
        if (round_.empty()) {
            return addUnopened();
        }
        add(round_.back().at, 1, Kind::Bracket);
        add(at_, 1, Kind::Bracket);
        round_.pop_back();
        return 1 + (isCompel() ? takeOperator(at_ + 1) : 0);
    }

    /// "+++" or "--" at a position; 0: there is no sign.
    [[nodiscard]] qsizetype signsLength(qsizetype at) const {
        qsizetype end = at;
        while (end < text_.size() && text_[end] == text_[at] &&
               (text_[at] == QLatin1Char('+') || text_[at] == QLatin1Char('-'))) {
            ++end;
        }
        return end - at;
    }

    /// Signs or a number behind what Compel weighs.
    qsizetype takeOperator(qsizetype at) {
        const qsizetype signs = std::min(signsLength(at), kLongestPieceName);
        const qsizetype length = signs > 0 ? signs : numberLength(at);
        if (length > 0) {
            add(at, length, Kind::Number);
        }
        return length;
    }

    qsizetype closeSquare() {
        if (square_.empty()) {
            return isA1111() ? addUnopened() : 1;
        }
        const Open open = square_.back();
        square_.pop_back();
        const qsizetype number = open.colon < 0 ? at_ : pastSpaces(open.colon + 1);
        const bool hasTime = open.colon >= 0 && numberLength(number) > 0 &&
                             pastSpaces(number + numberLength(number)) == at_;
        if (hasTime || !open.bars.empty()) {
            emitEditing(open.at);
        } else if (isA1111()) {
            add(open.at, 1, Kind::Bracket);
            add(at_, 1, Kind::Bracket);
        }
        return 1;
    }

    void emitEditing(qsizetype from) {
        const QString problem = PieceWords::tr(
            "Prompt editing is read as words here. Encode the texts apart, and join them by the "
            "nodes Time range and Combine; {a|b} draws one of both for each run.");
        add(from, 1, Kind::Problem, problem);
        add(at_, 1, Kind::Problem, problem);
    }

    qsizetype takeBar() {
        if (!square_.empty()) {
            square_.back().bars.push_back(at_);
        }
        if (!braces_.empty()) {
            braces_.back().bars.push_back(at_);
        }
        return 1;
    }

    qsizetype closeBraces() {
        if (braces_.empty()) {
            return 1;
        }
        const Open open = std::move(braces_.back());
        braces_.pop_back();
        if (open.bars.empty()) {
            return 1;
        }
        addChoiceMark(open.at);
        for (const qsizetype bar : open.bars) {
            addChoiceMark(bar);
        }
        add(at_, 1, Kind::Choice);
        return 1;
    }

    /// A brace or a bar, and the weight behind it.
    void addChoiceMark(qsizetype at) {
        add(at, 1, Kind::Choice);
        const qsizetype number = pastSpaces(at + 1);
        const qsizetype length = numberLength(number);
        if (length > 0 && text_.mid(number + length).startsWith(u"::")) {
            add(number, length + 2, Kind::Number);
        }
    }

    qsizetype takeTag() {
        const QStringView rest = text_.mid(at_);
        const std::array<QStringView, 3> kinds = {u"<lora:", u"<lyco:", u"<hypernet:"};
        const bool isTag =
            std::ranges::any_of(kinds, [&](QStringView kind) { return rest.startsWith(kind); });
        const qsizetype end = isTag ? rest.left(kLongestPieceName).indexOf(u'>') : -1;
        if (!isTag) {
            return 1;
        }
        if (end < 0) {
            add(at_, 1, Kind::Problem, PieceWords::tr("No > ends this tag: it is read as text."));
            return 1;
        }
        if (syntax_.readsTags && !rest.startsWith(kinds[2])) {
            add(at_, end + 1, Kind::Name);
        } else {
            add(at_,
                end + 1,
                Kind::Problem,
                syntax_.readsTags
                    ? PieceWords::tr("Hypernetworks are not built: the tag is left out.")
                    : PieceWords::tr("The tag is read as words. Turn on LoRAs of the prompt, and "
                                     "write it into the prompt."));
        }
        return end + 1;
    }

    qsizetype takeWildcard() {
        const QStringView rest = text_.mid(at_);
        if (!rest.startsWith(u"__")) {
            return 1;
        }
        const qsizetype end = rest.left(kLongestPieceName).indexOf(u"__", 2);
        const QString name = end < 0 ? QString() : rest.mid(2, end - 2).toString();
        if (end < 0 || !isWildcardName(name.toStdString())) {
            return 1;
        }
        const bool isMissing = syntax_.wildcards && !syntax_.wildcards->contains(name);
        add(at_,
            end + 2,
            isMissing ? Kind::Problem : Kind::Wildcard,
            isMissing ? PieceWords::tr("There is no wildcard “%1”: the run would be refused. A "
                                       "backslash before __ makes it text.")
                            .arg(name)
                      : QString());
        return end + 2;
    }

    qsizetype takeWord() {
        qsizetype end = at_;
        while (end < text_.size() && isWordLetter(text_[end]) &&
               !text_.mid(end).startsWith(u"__")) {
            ++end;
        }
        if (end == at_) {
            return 1;
        }
        const QStringView word = text_.mid(at_, end - at_);
        if (word == u"embedding" && end < text_.size() && text_[end] == QLatin1Char(':')) {
            return takeEmbedding(end + 1);
        }
        const bool isLone = (at_ == 0 || !isWordLetter(text_[at_ - 1]));
        if (isLone && word == u"BREAK") {
            isA1111()
                ? add(at_, word.size(), Kind::Keyword)
                : addUnread(at_,
                            word.size(),
                            PieceWords::tr("BREAK is read as a word. The weights A1111 begin a "
                                           "new chunk with it."));
        } else if (isLone && word == u"AND" && isBetweenSpaces(at_, end)) {
            add(at_,
                word.size(),
                Kind::Problem,
                PieceWords::tr("AND is read as a word. Encode the prompts apart, and join them by "
                               "the node Combine."));
        } else if (isCompel()) {
            return end - at_ + takeSigns(end);
        }
        return end - at_;
    }

    /// Signs behind a word, not those within one.
    qsizetype takeSigns(qsizetype at) {
        const qsizetype length = signsLength(at);
        const bool isWithin = at + length < text_.size() && isWordLetter(text_[at + length]);
        if (length > 0 && !isWithin) {
            add(at, length, Kind::Number);
        }
        return length;
    }

    [[nodiscard]] bool isBetweenSpaces(qsizetype begin, qsizetype end) const {
        return (begin == 0 || text_[begin - 1].isSpace()) &&
               (end == text_.size() || text_[end].isSpace());
    }

    qsizetype takeEmbedding(qsizetype name) {
        qsizetype end = name;
        while (end < text_.size() &&
               (isWordLetter(text_[end]) || QStringView(u"-./").contains(text_[end]))) {
            ++end;
        }
        while (end > name && text_[end - 1] == QLatin1Char('.')) {
            --end;
        }
        if (end > name) {
            add(at_, end - at_, Kind::Name);
        }
        return end - at_;
    }

    QStringView text_;
    const PromptSyntax& syntax_;
    qsizetype at_ = 0;
    OpenList round_;
    OpenList square_;
    OpenList braces_;
    std::vector<PromptPiece> pieces_;
};

/// Longer texts are no prompts: they have no colours, so that typing remains quick.
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

/// The first piece that ends behind a position.
auto firstBehind(const std::vector<PromptPiece>& pieces, int index) {
    return std::ranges::partition_point(
        pieces, [&](const PromptPiece& piece) { return piece.begin + piece.length <= index; });
}

}  // namespace

std::vector<PromptPiece> promptPieces(QStringView text, const PromptSyntax& syntax) {
    return PieceFinder(text, syntax).find();
}

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

QString PromptHighlighter::problemAt(int index) const {
    const auto piece = firstBehind(pieces_, index);
    if (piece != pieces_.end() && piece->begin <= index && !piece->problem.isEmpty()) {
        return piece->problem;
    }
    return cutFrom_ >= 0 && index >= cutFrom_ ? cutReason_ : QString();
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
