#include "ui/language/sentences.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

/// Clauses of a text that are looked at, whatever a file makes a message say.
constexpr int kPatience = 64;
constexpr qsizetype kLongest = 2000;
/// A pattern that is shorter says too little to take any words into its places.
constexpr qsizetype kShort = 6;
constexpr QLatin1String kSemicolon("; ");
constexpr QLatin1String kColon(": ");

const QRegularExpression& placePattern() {
    static const QRegularExpression kPlace(QStringLiteral("\\{(\\d)\\}"));
    return kPlace;
}

}  // namespace

void Sentences::add(const QString& english, const QString& text) {
    if (!placePattern().match(english).hasMatch()) {
        whole_.emplace(english, text);
        return;
    }
    Pattern pattern;
    pattern.text = text;
    std::vector<QString> pieces;
    qsizetype from = 0;
    for (auto found = placePattern().globalMatch(english); found.hasNext();) {
        const QRegularExpressionMatch place = found.next();
        pieces.push_back(english.mid(from, place.capturedStart() - from));
        from = place.capturedEnd();
        pattern.places.push_back(
            {.number = place.captured(1).toInt(),
             .isQuoted = pieces.back().endsWith(u'"') && english.mid(from).startsWith(u'"')});
    }
    pieces.push_back(english.mid(from));
    for (const QString& piece : pieces) {
        pattern.length += piece.size();
        pattern.hasClauses = pattern.hasClauses || piece.contains(kSemicolon);
        if (piece.size() > pattern.longest.size()) {
            pattern.longest = piece;
        }
    }
    const char* place = pattern.length < kShort ? "(\\S*?)" : "(.*?)";
    QString expression;
    for (size_t i = 0; i < pieces.size(); ++i) {
        expression += (i == 0 ? QString() : QString::fromLatin1(place)) +
                      QRegularExpression::escape(pieces[i]);
    }
    pattern.english = QRegularExpression(QRegularExpression::anchoredPattern(expression),
                                         QRegularExpression::DotMatchesEverythingOption);
    const auto behind = std::upper_bound(
        patterns_.begin(), patterns_.end(), pattern, [](const Pattern& a, const Pattern& b) {
            return a.length > b.length;
        });
    patterns_.insert(behind, std::move(pattern));
}

std::optional<QString> Sentences::say(const QString& english) const {
    int patience = kPatience;
    return english.size() > kLongest ? std::nullopt : say(english, patience);
}

std::optional<QString> Sentences::say(const QString& english, int& patience) const {
    if (english.isEmpty() || --patience < 0) {
        return std::nullopt;
    }
    if (const auto found = whole_.find(english); found != whole_.end()) {
        return found->second;
    }
    // "it is full; choose another" is one pattern, and two where none has both.
    if (auto text = byPattern(english, true, patience)) {
        return text;
    }
    if (auto text = byClauses(english, patience)) {
        return text;
    }
    if (auto text = byPattern(english, false, patience)) {
        return text;
    }
    return bySubject(english, patience);
}

QString Sentences::sayOrKeep(const QString& english, int& patience) const {
    return say(english, patience).value_or(english);
}

std::optional<QString> Sentences::byPattern(const QString& english,
                                            bool hasClauses,
                                            int& patience) const {
    for (const Pattern& pattern : patterns_) {
        if (pattern.hasClauses != hasClauses || !english.contains(pattern.longest)) {
            continue;
        }
        const QRegularExpressionMatch match = pattern.english.match(english);
        if (!match.hasMatch()) {
            continue;
        }
        QString said;
        qsizetype from = 0;
        for (auto places = placePattern().globalMatch(pattern.text); places.hasNext();) {
            const QRegularExpressionMatch place = places.next();
            appendWords(said, pattern.text.mid(from, place.capturedStart() - from));
            from = place.capturedEnd();
            for (size_t i = 0; i < pattern.places.size(); ++i) {
                const auto [number, isQuoted] = pattern.places[i];
                if (number == place.captured(1).toInt()) {
                    const QString value = match.captured(static_cast<int>(i) + 1);
                    appendWords(said,
                                isQuoted ? value : inChineseQuotes(sayOrKeep(value, patience)));
                }
            }
        }
        appendWords(said, pattern.text.mid(from));
        return said;
    }
    return std::nullopt;
}

std::optional<QString> Sentences::byClauses(const QString& english, int& patience) const {
    for (qsizetype at = english.indexOf(kSemicolon); at > 0;
         at = english.indexOf(kSemicolon, at + 1)) {
        const auto before = say(english.left(at), patience);
        if (const auto behind =
                before ? say(english.mid(at + kSemicolon.size()), patience) : std::nullopt) {
            return *before + u'；' + *behind;
        }
    }
    return std::nullopt;
}

std::optional<QString> Sentences::bySubject(const QString& english, int& patience) const {
    for (qsizetype at = english.indexOf(kColon); at > 0; at = english.indexOf(kColon, at + 1)) {
        if (const auto behind = say(english.mid(at + kColon.size()), patience)) {
            return inChineseQuotes(sayOrKeep(english.left(at), patience)) + u'：' + *behind;
        }
    }
    return std::nullopt;
}

}  // namespace lowtide::ui
