#pragma once

#include "ui/language/message_texts.hpp"

#include <QRegularExpression>
#include <QString>

#include <map>
#include <optional>
#include <vector>

namespace lowtide::ui {

/// Sentences of the module in another language. "node {0} needs {1}" is a sentence with places:
/// what stands there in the English, a name, a figure or a clause that is a sentence itself, is put
/// into the same places of the translation.
class Sentences {
public:
    /// Before the first `say`.
    void add(const QString& english, const QString& text);

    /// What `english` is in this language: as it stands, by the pattern that says most of it, or
    /// part by part where it is "subject: sentence" or "sentence; sentence". Nothing where no part
    /// of it is known.
    [[nodiscard]] std::optional<QString> say(const QString& english) const;

private:
    struct Place {
        int number = 0;
        bool isQuoted = false;  ///< "{0}": a name, which is the same in every language
    };

    struct Pattern {
        QString longest;             ///< the longest piece between places
        QRegularExpression english;  ///< captures what stands in the places
        QString text;
        std::vector<Place> places;  ///< in the order of the English
        qsizetype length = 0;       ///< outside of places
        bool hasClauses = false;    ///< apart by a semicolon
    };

    [[nodiscard]] std::optional<QString> say(const QString& english, int& patience) const;
    [[nodiscard]] std::optional<QString> byPattern(const QString& english,
                                                   bool hasClauses,
                                                   int& patience) const;
    [[nodiscard]] std::optional<QString> byClauses(const QString& english, int& patience) const;
    [[nodiscard]] std::optional<QString> bySubject(const QString& english, int& patience) const;
    [[nodiscard]] QString sayOrKeep(const QString& english, int& patience) const;

    std::map<QString, QString> whole_;
    std::vector<Pattern> patterns_;  ///< the longest first
};

}  // namespace lowtide::ui
