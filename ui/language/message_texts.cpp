#include "ui/language/message_texts.hpp"

#include <utility>
#include <vector>

namespace lowtide::ui {

namespace {

using WordOf = std::function<QString(const QString&)>;

bool isWide(QChar letter) {
    return isChinese(letter) || letter == u'“' || letter == u'”';
}

/// Which arguments are names: those in quotes, "{}".
std::vector<bool> namesIn(const MessageParts& parts) {
    std::vector<bool> names(parts.arguments.size());
    const std::vector<FormatPiece> pieces = piecesOf(parts.format);
    for (size_t i = 1; i + 1 < pieces.size(); ++i) {
        if (pieces[i].argument) {
            names.at(*pieces[i].argument) =
                pieces[i - 1].text.ends_with('"') && pieces[i + 1].text.starts_with('"');
        }
    }
    return names;
}

}  // namespace

bool isChinese(QChar letter) {
    return letter.unicode() > 0x2e80;
}

void appendWords(QString& sentence, const QString& words) {
    const auto last = sentence.size() - 1;
    if (last > 0 && sentence[last] == u' ' && isWide(sentence[last - 1]) && !words.isEmpty() &&
        isWide(words.front())) {
        sentence.chop(1);
    }
    const bool isGap = words.size() > 1 && words.front() == u' ' && isWide(words[1]) &&
                       !sentence.isEmpty() && isWide(sentence.back());
    sentence += isGap ? words.mid(1) : words;
}

QString inChineseQuotes(const QString& text) {
    const bool isName =
        text.size() > 1 && text.startsWith(u'"') && text.endsWith(u'"') && text.count(u'"') == 2;
    return isName ? u'“' + text.mid(1, text.size() - 2) + u'”' : text;
}

MessageTexts::MessageTexts(QByteArray compiled) : compiled_(std::move(compiled)) {
    static_cast<void>(translator_.load(reinterpret_cast<const uchar*>(compiled_.constData()),
                                       static_cast<int>(compiled_.size())));
}

std::optional<QString> MessageTexts::text(const Message& message, const WordOf& wordOf) const {
    const MessageParts* parts = message.parts();
    if (!parts) {
        return std::nullopt;
    }
    const auto textOfArgument = [&](const Argument& argument, bool isName) {
        const QString english = QString::fromStdString(textOf(argument));
        if (const auto* clause = std::get_if<Message>(&argument)) {
            return text(*clause, wordOf).value_or(english);
        }
        return isName || !std::holds_alternative<std::string>(argument)
                   ? english
                   : inChineseQuotes(wordOf(english));
    };
    QString sentence;
    if (!parts->separator.empty()) {
        const QString known = translator_.translate("", parts->separator.c_str());
        const QString separator =
            known.isEmpty() ? QString::fromStdString(parts->separator) : known;
        for (const Argument& argument : parts->arguments) {
            appendWords(sentence, sentence.isEmpty() ? QString() : separator);
            appendWords(sentence, textOfArgument(argument, false));
        }
        return sentence;
    }
    const int count = parts->plural.empty() ? -1 : static_cast<int>(parts->count);
    const QString format = translator_.translate("", parts->format.c_str(), nullptr, count);
    if (format.isEmpty()) {
        return std::nullopt;
    }
    const std::vector<bool> names = namesIn(*parts);
    for (const FormatPiece& piece : piecesOf(format.toStdString())) {
        // A translation with a placeholder too many is refused by check_translations.py.
        appendWords(sentence,
                    !piece.argument ? QString::fromStdString(piece.text)
                    : *piece.argument < names.size()
                        ? textOfArgument(parts->arguments[*piece.argument], names[*piece.argument])
                        : QString());
    }
    return sentence;
}

}  // namespace lowtide::ui
