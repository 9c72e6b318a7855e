#include "ui/language/language.hpp"

#include "ui/language/module_texts.hpp"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QFont>
#include <QFontDatabase>
#include <QLibraryInfo>
#include <QLocale>

#include <algorithm>
#include <map>
#include <mutex>

#ifdef LOWTIDE_TRANSLATED
/// Q_INIT_RESOURCE works outside of namespaces only.
static void initTranslations() {
    Q_INIT_RESOURCE(translations);
}
#else
static void initTranslations() {}
#endif

namespace lowtide::ui {

namespace {

constexpr const char* kEnglish = "en";
constexpr const char* kFolder = ":/lowtide/translations";

/// Those of resources/fonts.
constexpr const char* kBundledFonts[] = {"Inter", "JetBrains Mono"};

struct KnownLanguage {
    const char* code;
    const char* name;
    const char* speaks;  ///< the part of a desktop's language that is enough to choose it
    QFontDatabase::WritingSystem letters;
    const char* font;  ///< for letters that the bundled fonts lack; nullptr: they lack none
};

constexpr KnownLanguage kKnown[] = {
    {kEnglish, "English", "en", QFontDatabase::Latin, nullptr},
    {"zh_CN", "简体中文", "zh", QFontDatabase::SimplifiedChinese, "Noto Sans CJK SC"},
    // Of tests alone, which register its texts: longer than any language, with accents.
    {"pseudo", "Pseudo", "pseudo", QFontDatabase::SimplifiedChinese, "Noto Sans CJK SC"},
};

class Punctuation {
    Q_DECLARE_TR_FUNCTIONS(Punctuation)

    [[maybe_unused]] static constexpr const char* kMarks[] = {
        QT_TR_NOOP(", "), QT_TR_NOOP("; "), QT_TR_NOOP(": ")};
};

QString withWholeYear(QString format) {
    return format.contains(QLatin1String("yyyy"))
               ? format
               : format.replace(QLatin1String("yy"), QLatin1String("yyyy"));
}

/// Words of Qt's own widgets, whose Chinese reads "up direction", "press file link" and "volume".
[[maybe_unused]] constexpr const char* kWordsOfQt[] = {
    QT_TRANSLATE_NOOP("QShortcut", "Up"),
    QT_TRANSLATE_NOOP("QShortcut", "Down"),
    QT_TRANSLATE_NOOP("QShortcut", "Left"),
    QT_TRANSLATE_NOOP("QShortcut", "Right"),
    QT_TRANSLATE_NOOP("QKeySequenceEdit", "Press shortcut"),
    QT_TRANSLATE_NOOP("QFileSystemModel", "Size"),
};

QString& currentCode() {
    static QString code = QString::fromLatin1(kEnglish);
    return code;
}

const KnownLanguage& knownBy(const QString& code) {
    const auto* found = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const auto& each) {
        return code == QLatin1String(each.code);
    });
    return found == std::end(kKnown) ? kKnown[0] : *found;
}

QString fileOf(const char* kind, const QString& code, const char* ending) {
    return QStringLiteral("%1/%2_%3.%4")
        .arg(QLatin1String(kFolder), QLatin1String(kind), code, QLatin1String(ending));
}

/// The module's texts of languages, once they were read.
struct ReadTexts {
    std::mutex mutex;
    std::map<QString, std::shared_ptr<const ModuleTexts>> byCode;
};

ReadTexts& readTexts() {
    static ReadTexts texts;
    return texts;
}

std::shared_ptr<const ModuleTexts> textsOf(const QString& code) {
    ReadTexts& read = readTexts();
    const std::scoped_lock lock(read.mutex);
    std::shared_ptr<const ModuleTexts>& texts = read.byCode[code];
    if (!texts) {
        QFile file(fileOf("module", code, "json"));
        QFile messages(fileOf("messages", code, "qm"));
        const QByteArray compiled =
            messages.open(QIODevice::ReadOnly) ? messages.readAll() : QByteArray();
        texts = file.open(QIODevice::ReadOnly)
                    ? std::make_shared<const KeyedTexts>(file.readAll(), compiled)
                    : std::make_shared<const ModuleTexts>();
    }
    return texts;
}

bool isSpoken(const QString& code) {
    initTranslations();
    return code == QLatin1String(kEnglish) || QFile::exists(fileOf("lowtide", code, "qm"));
}

}  // namespace

std::vector<LanguageName> languages() {
    std::vector<LanguageName> spoken;
    for (const KnownLanguage& known : kKnown) {
        if (const QString code = QString::fromLatin1(known.code); isSpoken(code)) {
            spoken.push_back({.code = code, .name = QString::fromUtf8(known.name)});
        }
    }
    return spoken;
}

QString languageFor(const QString& choice, const QStringList& systemLanguages) {
    const std::vector<LanguageName> spoken = languages();
    for (const LanguageName& each : spoken) {
        if (each.code == choice) {
            return choice;
        }
    }
    for (const QString& wanted : systemLanguages) {
        const QString word = wanted.section(QLatin1Char('-'), 0, 0).section(QLatin1Char('_'), 0, 0);
        for (const LanguageName& each : spoken) {
            if (word == QLatin1String(knownBy(each.code).speaks)) {
                return each.code;
            }
        }
    }
    return QString::fromLatin1(kEnglish);
}

QString listed(const QStringList& parts, const char* between) {
    return parts.join(Punctuation::tr(between));
}

QString titled(const QString& title, const QString& text) {
    return listed({title, text}, ": ");
}

QString dateText(const QDate& date) {
    return QLocale().toString(date, withWholeYear(QLocale().dateFormat(QLocale::ShortFormat)));
}

QString dateTimeText(const QDateTime& time) {
    return QLocale().toString(time, withWholeYear(QLocale().dateTimeFormat(QLocale::ShortFormat)));
}

Language::Language(QObject* parent) : QObject(parent) {}

Language::~Language() {
    remove();
    if (isOfProgram_) {
        QLocale::setDefault(QLocale::system());
    }
}

void Language::remove() {
    for (const auto& translator : translators_) {
        if (QCoreApplication::instance()) {  // a child of the application outlives it
            QCoreApplication::removeTranslator(translator.get());
        }
    }
    translators_.clear();
    for (const char* bundled : kBundledFonts) {
        QFont::removeSubstitutions(QString::fromLatin1(bundled));
    }
    ModuleTexts::setCurrent(std::make_shared<ModuleTexts>());
    currentCode() = QString::fromLatin1(kEnglish);
}

void Language::install(const QString& file, const QString& folder) {
    auto translator = std::make_unique<QTranslator>();
    if (translator->load(file, folder)) {
        QCoreApplication::installTranslator(translator.get());
        translators_.push_back(std::move(translator));
    }
}

void Language::speak(const QString& code) {
    currentCode() = code;
    if (const char* font = knownBy(code).font) {
        // Else the system may take the forms that another language gives to the same letters.
        for (const char* bundled : kBundledFonts) {
            QFont::insertSubstitution(QString::fromLatin1(bundled), QString::fromLatin1(font));
        }
    }
    install(QStringLiteral("lowtide_") + code, QString::fromLatin1(kFolder));
    ModuleTexts::setCurrent(textsOf(code));
}

void Language::useIn(const QString& code) {
    remove();
    speak(languageFor(code, {code}));
}

void Language::use(const QString& choice) {
    remove();
    isOfProgram_ = true;
    const QString code = languageFor(choice, QLocale::system().uiLanguages());
    QLocale::setDefault(choice == code ? QLocale(code) : QLocale::system());
    // Before ours, which win.
    install(QStringLiteral("qtbase_") + code, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    speak(code);
}

void Language::prepare(const QString& code) {
    static_cast<void>(textsOf(code));
}

bool Language::isPrepared(const QString& code) {
    ReadTexts& read = readTexts();
    const std::scoped_lock lock(read.mutex);
    return read.byCode.contains(code);
}

const QString& Language::code() {
    return currentCode();
}

QString Language::missingFont() {
    const KnownLanguage& known = knownBy(currentCode());
    if (!QFontDatabase::families(known.letters).isEmpty()) {
        return {};
    }
    // In English: the other letters cannot be read.
    return QStringLiteral("No font of this machine has the letters of %1; install fonts-noto-cjk.")
        .arg(QLocale::languageToString(QLocale(currentCode()).language()));
}

}  // namespace lowtide::ui
