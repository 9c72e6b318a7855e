#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTranslator>

#include <memory>
#include <vector>

class QDate;
class QDateTime;

namespace lowtide::ui {

/// A language that this build speaks, by the name that its speakers call it.
struct LanguageName {
    QString code;  ///< "en", "zh_CN"
    QString name;  ///< "English", "简体中文"
};

/// English first.
[[nodiscard]] std::vector<LanguageName> languages();
/// The code of `choice`: "system" and what is unknown are the first of the desktop's languages that
/// this build speaks, else English.
[[nodiscard]] QString languageFor(const QString& choice, const QStringList& systemLanguages);

/// Parts of one text, with the punctuation of the language for ", ", "; " or ": ".
[[nodiscard]] QString listed(const QStringList& parts, const char* between = ", ");
/// "Title: text".
[[nodiscard]] QString titled(const QString& title, const QString& text);
/// Short, as QLocale() writes it, with all digits of the year: "11/28/2026", "28.11.2026 14:05".
[[nodiscard]] QString dateText(const QDate& date);
[[nodiscard]] QString dateTimeText(const QDateTime& time);

/// The language of the program: translators of ours and of Qt's own dialogs, the module's texts,
/// and how dates are written. At its end the program speaks English again.
class Language : public QObject {
    Q_OBJECT

public:
    explicit Language(QObject* parent = nullptr);
    ~Language() override;

    /// "system" or a code. Texts that are shown already are left as they are: who shows them builds
    /// them again.
    void use(const QString& choice);
    /// Our own texts alone, with their plural forms: dates, and Qt's dialogs, are those of the host
    /// whose program it is.
    void useIn(const QString& code);

    /// Reads the module's texts of a language, which takes a while, on any thread. use() finds them
    /// then; they are kept.
    static void prepare(const QString& code);
    [[nodiscard]] static bool isPrepared(const QString& code);

    /// Of the program at this moment.
    [[nodiscard]] static const QString& code();
    /// A sentence for a user who chose a language whose letters no font here has; else empty.
    [[nodiscard]] static QString missingFont();

private:
    void remove();
    void install(const QString& file, const QString& folder);
    void speak(const QString& code);

    std::vector<std::unique_ptr<QTranslator>> translators_;
    bool isOfProgram_ = false;
};

}  // namespace lowtide::ui
