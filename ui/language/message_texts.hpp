#pragma once

#include "plugin/base/message.hpp"

#include <QByteArray>
#include <QString>
#include <QTranslator>

#include <functional>
#include <optional>

namespace lowtide::ui {

/// A letter or punctuation of Chinese, which is as wide as high.
[[nodiscard]] bool isChinese(QChar letter);
/// Appends to a sentence: a space stands between Latin and Chinese letters, not between Chinese
/// ones.
void appendWords(QString& sentence, const QString& words);
/// A name in double quotes, in those of Chinese; another text as it is.
[[nodiscard]] QString inChineseQuotes(const QString& text);

/// Messages of the module in another language, by their formats: those of messages_CODE.po.
class MessageTexts {
public:
    /// What lrelease makes of the .po file; nothing is known where it is damaged.
    explicit MessageTexts(QByteArray compiled);

    /// Clauses too; one whose format this language lacks remains English. Texts that are arguments
    /// are given to `wordOf`, unless they stand in quotes: those are names. Nothing: this language
    /// lacks the format of the message, or it is a text. Any thread.
    [[nodiscard]] std::optional<QString> text(
        const Message& message, const std::function<QString(const QString&)>& wordOf) const;

private:
    QByteArray compiled_;
    QTranslator translator_;
};

}  // namespace lowtide::ui
