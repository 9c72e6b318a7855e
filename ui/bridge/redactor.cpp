#include "ui/bridge/redactor.hpp"

#include "plugin/base/hash.hpp"

#include <QDir>
#include <QFileInfo>
#include <QSysInfo>
#include <QUrl>

#include <algorithm>
#include <array>

namespace lowtide::ui {

namespace {

constexpr size_t kNameDigits = 8;
constexpr qsizetype kShortestSecret = 2;
constexpr QLatin1String kPath("<path>");
constexpr QLatin1String kKnownFolder("/folder");

/// Files of weights are named in public; of others the name may reveal what is in them.
bool isWeightsName(const QString& name) {
    constexpr std::array kEndings = {
        ".safetensors", ".gguf", ".ckpt", ".pth", ".pt", ".bin", ".so", ".json.index"};
    const QString lower = name.toLower();
    return std::any_of(kEndings.begin(), kEndings.end(), [&](const char* each) {
        return lower.endsWith(QLatin1String(each));
    });
}

/// Where a path begins: a URL of a file, \\host\share, C:\, C:/, ~/, /, ./, ../ - not within a
/// word.
const QRegularExpression& rootPattern() {
    static const QRegularExpression pattern(
        QStringLiteral(
            R"((?<![\w<>/\\])(?:file:/*|\\\\|//|[A-Za-z]:[\\/]|~[\w.-]*[\\/]|\.{1,2}[\\/]|/(?=[^\s/])))"),
        QRegularExpression::CaseInsensitiveOption);
    return pattern;
}

/// How far a path goes that begins at `begin`: folders may have spaces. To the quote that closes
/// it, a line's end, or what ends a clause; within that to the last ending of a file, if any.
qsizetype endOfPath(const QString& text, qsizetype begin) {
    // The last thing that looks like a file with an ending, which begins with a letter.
    static const QRegularExpression ending(
        QStringLiteral(R"(\.[A-Za-z][A-Za-z0-9]{0,15}(?![\w.\\/]|\.\w))"));
    static const QRegularExpression stop(
        QStringLiteral(R"(["`\n\r\t<>|]|(?<!\w)'|'(?!\w)|[:;,](?=\s|$)|\)(?=\s|$|[.,;:]))"));
    const QRegularExpressionMatch root = rootPattern().match(text, begin);
    const qsizetype from = root.capturedEnd();
    const QRegularExpressionMatch stopped = stop.match(text, from);
    qsizetype end = stopped.hasMatch() ? stopped.capturedStart() : text.size();
    const QRegularExpressionMatch other = rootPattern().match(text, from);
    if (other.hasMatch() && other.capturedStart() < end) {
        end = other.capturedStart();
    }
    const QString part = text.mid(from, end - from);
    const qsizetype slash =
        std::max(part.lastIndexOf(QLatin1Char('/')), part.lastIndexOf(QLatin1Char('\\')));
    qsizetype named = -1;
    for (auto it = ending.globalMatch(part, std::max<qsizetype>(slash, 0)); it.hasNext();) {
        named = it.next().capturedEnd();
    }
    if (named >= 0) {
        return from + named;
    }
    while (end > from && text.at(end - 1).isSpace()) {
        --end;
    }
    return end;
}

QString withoutRootedPaths(const QString& text) {
    QString result;
    qsizetype at = 0;
    for (;;) {
        const QRegularExpressionMatch root = rootPattern().match(text, at);
        if (!root.hasMatch()) {
            return result + text.mid(at);
        }
        const qsizetype begin = root.capturedStart();
        const qsizetype end = endOfPath(text, begin);
        result += text.mid(at, begin - at) + redactedPath(text.mid(begin, end - begin));
        at = std::max(end, root.capturedEnd());
    }
}

/// Every path that the pattern finds loses its folders, unless it is none by `isKept`.
QString withoutPaths(const QString& text,
                     const QRegularExpression& pattern,
                     bool (*isKept)(const QString&)) {
    QString result;
    qsizetype at = 0;
    for (auto it = pattern.globalMatch(text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        const QString path = match.captured();
        result +=
            text.mid(at, match.capturedStart() - at) + (isKept(path) ? path : redactedPath(path));
        at = match.capturedEnd();
    }
    return result + text.mid(at);
}

/// Letters around a slash. "and/or" is taken too; numbers ("3/4"), "3.2 it/s" and "GiB/s" are not.
QString withoutRelativePaths(const QString& text) {
    static const QRegularExpression pattern(
        QStringLiteral(
            R"((?<![\w<>/\\.-])(?=[^\s"'`]*[^\W\d])[\w.@%+~\[\]()-]+(?:[\\/]+[\w.@%+~\[\]()-]+)+[\\/]?)"),
        QRegularExpression::UseUnicodePropertiesOption);
    static const QRegularExpression rate(
        QStringLiteral("^(?:it|[KMGT]?i?B|FLOP|steps?|tokens?|frames?)/s$"));
    return withoutPaths(
        text, pattern, [](const QString& path) { return rate.match(path).hasMatch(); });
}

/// Names of images and other files that stand alone: "holiday with ann.png" in quotes, or a word.
QString withoutFileNames(const QString& text) {
    static const QRegularExpression pattern(
        QStringLiteral(
            R"rx((?<=["'“])[^"'“”\n/\\<>]+\.(?:png|jpe?g|webp|gif|mp4|webm|json|txt|md|yaml|yml)(?=["'”])|[\w@%+~-][\w.@%+~-]*\.(?:png|jpe?g|webp|gif|mp4|webm|json|txt|md|yaml|yml)\b)rx"),
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::UseUnicodePropertiesOption);
    return withoutPaths(
        text, pattern, [](const QString& path) { return path.startsWith(QLatin1String("file-")); });
}

void addWord(Redactor::Known& known, const QString& word, const char* with) {
    if (word.size() >= kShortestSecret) {
        known.words.emplace_back(word, QLatin1String(with));
    }
}

}  // namespace

QString redactedPath(const QString& path) {
    QString plain = path;
    if (plain.startsWith(QLatin1String("file:"), Qt::CaseInsensitive)) {
        plain = QUrl::fromPercentEncoding(plain.toUtf8());
    }
    plain.replace(QLatin1Char('\\'), QLatin1Char('/'));
    const bool hasFolder = plain.contains(QLatin1Char('/'));
    const QString name = plain.section(QLatin1Char('/'), -1).trimmed();
    const QString before = hasFolder ? QString(kPath) + QLatin1Char('/') : QString();
    if (isWeightsName(name)) {
        return before + name;
    }
    const QString ending = QFileInfo(name).suffix();
    const bool isFile =
        !ending.isEmpty() && ending.size() < 8 && !ending.contains(QLatin1Char(' '));
    if (!isFile) {
        return hasFolder ? QString(kPath) : name;
    }
    return before +
           QStringLiteral("file-%1.%2")
               .arg(QString::fromStdString(sha256Hex(name.toStdString()).substr(0, kNameDigits)),
                    ending);
}

void Redactor::Known::addFolder(const QString& path) {
    if (path.size() > 1) {  // not the root itself
        wholeTexts.emplace_back(path, kKnownFolder);
    }
}

Redactor::Redactor(Known known) {
    const auto longestFirst = [](const auto& a, const auto& b) {
        return a.first.size() > b.first.size();
    };
    std::stable_sort(known.wholeTexts.begin(), known.wholeTexts.end(), longestFirst);
    std::stable_sort(known.words.begin(), known.words.end(), longestFirst);
    const auto options =
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::UseUnicodePropertiesOption;
    for (const auto& [text, with] : known.wholeTexts) {
        if (text.size() >= kShortestSecret) {
            texts_.push_back({QRegularExpression(QRegularExpression::escape(text), options), with});
        }
    }
    for (const auto& [word, with] : known.words) {
        if (word.size() >= kShortestSecret) {
            words_.push_back({QRegularExpression(QStringLiteral(R"((?<![^\W_])%1(?![^\W_]))")
                                                     .arg(QRegularExpression::escape(word)),
                                                 options),
                              with});
        }
    }
}

/// Words last: within paths they would hide where a path goes on.
QString Redactor::scrubbed(const QString& text) const {
    QString result = text;
    for (const Replacement& each : texts_) {
        result.replace(each.what, each.with);
    }
    result = withoutFileNames(withoutRelativePaths(withoutRootedPaths(result)));
    for (const Replacement& each : words_) {
        result.replace(each.what, each.with);
    }
    return result;
}

Json Redactor::scrubbed(const Json& json) const {
    std::map<std::string, std::string> done;  // plans repeat the same names again and again
    return scrubbed(json, done);
}

Json Redactor::scrubbed(const Json& json, std::map<std::string, std::string>& done) const {
    const auto once = [&](const std::string& text) {
        const auto [found, isNew] = done.try_emplace(text);
        if (isNew) {
            found->second = scrubbed(QString::fromStdString(text)).toStdString();
        }
        return found->second;
    };
    if (json.is_string()) {
        return once(json.get_ref<const std::string&>());
    }
    if (json.is_array()) {
        Json list = Json::array();
        for (const Json& each : json) {
            list.push_back(scrubbed(each, done));
        }
        return list;
    }
    if (json.is_object()) {
        Json object = Json::object();
        for (const auto& [key, value] : json.items()) {
            object[once(key)] = scrubbed(value, done);
        }
        return object;
    }
    return json;
}

Redactor::Known knownOfThisMachine() {
    Redactor::Known known;
    known.addFolder(QDir::homePath());
    addWord(known, QSysInfo::machineHostName(), "<host>");
    addWord(known, QSysInfo::machineHostName().section(QLatin1Char('.'), 0, 0), "<host>");
    for (const char* name : {"USER", "LOGNAME", "USERNAME"}) {
        addWord(known, qEnvironmentVariable(name), "<user>");
    }
    addWord(known, QDir::home().dirName(), "<user>");
    return known;
}

}  // namespace lowtide::ui
