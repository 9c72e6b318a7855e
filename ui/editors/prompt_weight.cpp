#include "ui/editors/prompt_weight.hpp"

#include "plugin/base/json.hpp"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kMostWeight = 10;

bool isWordPart(QChar letter) {
    return letter.isLetterOrNumber() || letter == QLatin1Char('_') || letter == QLatin1Char('-') ||
           letter == QLatin1Char('\'') || letter.isSurrogate() || letter.isMark();
}

/// The selection without spaces at its ends, or the word at the cursor.
void selectWord(SelectedText& prompt) {
    if (prompt.from == prompt.to) {
        while (prompt.from > 0 && isWordPart(prompt.text[prompt.from - 1])) {
            --prompt.from;
        }
        while (prompt.to < prompt.text.size() && isWordPart(prompt.text[prompt.to])) {
            ++prompt.to;
        }
    }
    while (prompt.from < prompt.to && prompt.text[prompt.from].isSpace()) {
        ++prompt.from;
    }
    while (prompt.to > prompt.from && prompt.text[prompt.to - 1].isSpace()) {
        --prompt.to;
    }
}

/// "(inside:weight)" or "(inside)weight" around what is selected.
struct Weighted {
    int from = 0;
    int to = 0;
    QString inside;
    double weight = 1;
};

/// What stands behind the words of a weight: their end alone, and the whole of it.
struct WeightPatterns {
    QRegularExpression tail;
    QRegularExpression whole;
};

const WeightPatterns& patternsOf(WeightSyntax syntax) {
    static const WeightPatterns kA1111{
        QRegularExpression(QStringLiteral("\\G:\\s*([0-9]*\\.?[0-9]+)\\s*\\)")),
        QRegularExpression(QStringLiteral("^\\((.*):\\s*([0-9]*\\.?[0-9]+)\\s*\\)$"),
                           QRegularExpression::DotMatchesEverythingOption)};
    static const WeightPatterns kCompel{
        QRegularExpression(QStringLiteral("\\G\\)([0-9]*\\.?[0-9]+)")),
        QRegularExpression(QStringLiteral("^\\((.*)\\)([0-9]*\\.?[0-9]+)$"),
                           QRegularExpression::DotMatchesEverythingOption)};
    return syntax == WeightSyntax::Compel ? kCompel : kA1111;
}

Weighted weightedAround(const SelectedText& prompt, WeightSyntax syntax) {
    const WeightPatterns& patterns = patternsOf(syntax);
    const QString selected = prompt.text.mid(prompt.from, prompt.to - prompt.from);
    if (const auto whole = patterns.whole.match(selected); whole.hasMatch()) {
        return {prompt.from, prompt.to, whole.captured(1), whole.captured(2).toDouble()};
    }
    const bool isOpened = prompt.from > 0 && prompt.text[prompt.from - 1] == QLatin1Char('(');
    const auto tail = patterns.tail.match(prompt.text, prompt.to);
    if (isOpened && tail.hasMatch()) {
        return {prompt.from - 1,
                static_cast<int>(tail.capturedEnd()),
                selected,
                tail.captured(1).toDouble()};
    }
    return {prompt.from, prompt.to, selected, 1};
}

}  // namespace

std::optional<WeightSyntax> weightSyntaxNamed(const Json& weights) {
    if (weights == "a1111") {
        return WeightSyntax::A1111;
    }
    if (weights == "comfyui") {
        return WeightSyntax::ComfyUi;
    }
    if (weights == "compel") {
        return WeightSyntax::Compel;
    }
    return std::nullopt;
}

SelectedText changedWeight(SelectedText prompt, double change, WeightSyntax syntax) {
    const SelectedText before = prompt;
    selectWord(prompt);
    if (prompt.from == prompt.to) {
        return before;
    }
    const Weighted found = weightedAround(prompt, syntax);
    const double weight =
        std::clamp(std::round((found.weight + change) * 100) / 100, 0.0, kMostWeight);
    const bool isPlain = weight == 1;
    const QString number = QString::number(weight, 'g', 4);
    const QString weighted =
        syntax == WeightSyntax::Compel ? QStringLiteral("(%1)%2") : QStringLiteral("(%1:%2)");
    const QString text = isPlain ? found.inside : weighted.arg(found.inside, number);
    const int from = found.from + (isPlain ? 0 : 1);
    prompt.text.replace(found.from, found.to - found.from, text);
    return {prompt.text, from, from + static_cast<int>(found.inside.size())};
}

}  // namespace lowtide::ui
