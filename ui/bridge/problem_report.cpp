#include "ui/bridge/problem_report.hpp"

#include "plugin/base/hash.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/issues.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/document/edits.hpp"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QSysInfo>
#include <QUrl>

#include <algorithm>
#include <array>
#include <regex>

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

/// What stands for a path: its file name where it is one of weights, else "file-1a2b3c4d.png" with
/// a hash of the name; folders become "<path>". "/data/ann/models/xl.safetensors" becomes
/// "<path>/xl.safetensors".
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

/// Where a path begins: a URL of a file, \\host\share, C:\, C:/, ~/, /, ./, ../ - not within a
/// word.
const QRegularExpression& rootPattern() {
    static const QRegularExpression pattern(
        QStringLiteral(
            R"((?<![\w<>/\\])(?:file:/*|\\\\|//|[A-Za-z]:[\\/]|~[\w.-]*[\\/]|\.{1,2}[\\/]|/(?=[^\s/])))"),
        QRegularExpression::CaseInsensitiveOption);
    return pattern;
}

/// A relative path: letters around a slash. "and/or" is taken too, numbers ("3/4") are not.
const QRegularExpression& relativePattern() {
    static const QRegularExpression pattern(
        QStringLiteral(
            R"((?<![\w<>/\\.-])(?=[^\s"'`]*[^\W\d])[\w.@%+~\[\]()-]+(?:[\\/]+[\w.@%+~\[\]()-]+)+[\\/]?)"),
        QRegularExpression::UseUnicodePropertiesOption);
    return pattern;
}

/// "3.2 it/s" and "GiB/s" are no paths.
const QRegularExpression& ratePattern() {
    static const QRegularExpression pattern(
        QStringLiteral("^(?:it|[KMGT]?i?B|FLOP|steps?|tokens?|frames?)/s$"));
    return pattern;
}

/// The last thing that looks like a file with an ending, which begins with a letter.
const QRegularExpression& endingPattern() {
    static const QRegularExpression pattern(
        QStringLiteral(R"(\.[A-Za-z][A-Za-z0-9]{0,15}(?![\w.\\/]|\.\w))"));
    return pattern;
}

/// How far a path goes that begins at `begin`: folders may have spaces. To the quote that closes
/// it, a line's end, or what ends a clause; within that to the last ending of a file, if any.
qsizetype endOfPath(const QString& text, qsizetype begin) {
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
    for (auto it = endingPattern().globalMatch(part, std::max<qsizetype>(slash, 0));
         it.hasNext();) {
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

/// Redacts what the pattern matches, but for what `isKept`.
template <class IsKept>
QString withoutMatches(const QString& text,
                       const QRegularExpression& pattern,
                       const IsKept& isKept) {
    QString result;
    qsizetype at = 0;
    for (auto it = pattern.globalMatch(text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        const QString found = match.captured();
        result += text.mid(at, match.capturedStart() - at) +
                  (isKept(found) ? found : redactedPath(found));
        at = match.capturedEnd();
    }
    return result + text.mid(at);
}

QString withoutRelativePaths(const QString& text) {
    return withoutMatches(text, relativePattern(), [](const QString& found) {
        return ratePattern().match(found).hasMatch();
    });
}

/// Names of images and other files that stand alone: "holiday with ann.png" in quotes, or a word.
QString withoutFileNames(const QString& text) {
    static const QRegularExpression pattern(
        QStringLiteral(
            R"rx((?<=["'“])[^"'“”\n/\\<>]+\.(?:png|jpe?g|webp|gif|mp4|webm|json|txt|md|yaml|yml)(?=["'”])|[\w@%+~-][\w.@%+~-]*\.(?:png|jpe?g|webp|gif|mp4|webm|json|txt|md|yaml|yml)\b)rx"),
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::UseUnicodePropertiesOption);
    return withoutMatches(text, pattern, [](const QString& found) {
        return found.startsWith(QLatin1String("file-"));
    });
}

bool isFileKind(ParamKind kind) {
    return kind == ParamKind::File || kind == ParamKind::Folder;
}

Json hidden(const std::string& text) {
    const auto length = QString::fromStdString(text).size();
    return "<text, " + std::to_string(length) + (length == 1 ? " character>" : " characters>");
}

bool isWord(const std::string& text) {
    static const std::regex word("[A-Za-z0-9_+.:*%-]{1,40}");
    return std::regex_match(text, word);
}

/// What `change` gives for each text in the place of that; keys are kept.
template <class Change>
Json withTexts(Json json, const Change& change) {
    if (json.is_string()) {
        return change(json.get_ref<const std::string&>());
    }
    if (json.is_structured()) {
        for (Json& each : json) {
            each = withTexts(std::move(each), change);
        }
    }
    return json;
}

/// Numbers and single words of settings; other texts are hidden.
Json plainValue(const Json& value) {
    return withTexts(
        value, [](const std::string& text) { return isWord(text) ? Json(text) : hidden(text); });
}

Json withoutTextsIn(const Json& value) {
    if (value.is_string()) {
        return hidden(value.get_ref<const std::string&>());
    }
    return value.is_structured() ? Json("<value>") : value;
}

Json paramSummary(const ParamDesc* param, const Json& value, bool hasTexts) {
    if (!param || !value.is_string()) {
        return withoutTextsIn(value);
    }
    const auto& text = value.get_ref<const std::string&>();
    if (isFileKind(param->kind)) {
        return redactedPath(QString::fromStdString(text)).toStdString();
    }
    const bool isChoice = std::any_of(param->choices.begin(),
                                      param->choices.end(),
                                      [&](const ChoiceDesc& each) { return each.id == text; });
    const bool isOpen = param->kind == ParamKind::Text && hasTexts;
    return isChoice || isOpen ? value : hidden(text);
}

const NodeDesc* typeOf(const graph::DocumentNode& node, const KnownTypes& types) {
    const auto found = types.find(node.type);
    return found == types.end() ? nullptr : &found->second;
}

Json nodeSummary(const graph::DocumentNode& node, const NodeDesc* desc, bool hasTexts) {
    Json summary = {{"type", node.type}, {"v", node.version}};
    for (const auto& [key, value] : node.params.items()) {
        const ParamDesc* param = desc ? graph::findParam(*desc, key) : nullptr;
        summary["params"][key] = paramSummary(param, value, hasTexts);
    }
    if (!node.memory.is_null()) {
        summary["memory"] = plainValue(node.memory);
    }
    if (!node.precision.is_null()) {
        summary["precision"] = plainValue(node.precision);
    }
    if (node.mode != graph::NodeMode::Active) {
        summary["mode"] = node.mode == graph::NodeMode::Muted ? "muted" : "bypassed";
    }
    return summary;
}

QStringList valuesOf(const graph::Document& document,
                     const KnownTypes& types,
                     bool (*isWanted)(const ParamDesc*, const std::string& value)) {
    QStringList values;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = typeOf(node, types);
        for (const auto& [key, value] : node.params.items()) {
            const ParamDesc* param = desc ? graph::findParam(*desc, key) : nullptr;
            if (value.is_string() && isWanted(param, value.get<std::string>())) {
                values << QString::fromStdString(value.get<std::string>());
            }
        }
    }
    return values;
}

constexpr qsizetype kShortestText = 4;
constexpr qsizetype kShortestPiece = 8;
/// Long lists that state where bytes were at each moment; options that name what a user has.
constexpr std::array kLeftOut = {"timeline", "moves", "files"};
constexpr std::array kReportedOptions = {
    "device", "as", "memoryBudget", "lowMemory", "previews", "repeat", "forceExecution"};

/// Prompts, in one piece and by their parts: messages quote them.
void hideTexts(const QStringList& texts, Redactor::Known& known) {
    const QString with = QStringLiteral("<text>");
    for (const QString& text : texts) {
        if (text.size() >= kShortestText) {
            known.wholeTexts.emplace_back(text, with);
        }
        static const QRegularExpression ends(QStringLiteral("[,;.\\n()]"));
        for (const QString& part : text.split(ends, Qt::SkipEmptyParts)) {
            if (part.trimmed().size() >= kShortestPiece) {
                known.wholeTexts.emplace_back(part.trimmed(), with);
            }
        }
    }
}

/// As they stand in messages: with their folders, and the name alone.
void hideFiles(const QStringList& files, Redactor::Known& known) {
    for (const QString& file : files) {
        const QString name = QFileInfo(file).fileName();
        const QString plain = redactedPath(name);
        if (plain != name && name.size() >= kShortestText) {
            known.wholeTexts.emplace_back(name, plain);
        }
        if (file.contains(QLatin1Char('/')) || file.contains(QLatin1Char('\\'))) {
            known.wholeTexts.emplace_back(file, redactedPath(file));
        }
    }
}

QStringList reportedFiles(const Json& report) {
    QStringList files;
    const Json& list = memberIn(report, "files");
    for (const Json& file : list.is_array() ? list : Json::array()) {
        files << QString::fromStdString(textIn(file, "path"));
    }
    return files;
}

Json thinned(const Json& report) {
    Json thin = report;
    for (const char* key : kLeftOut) {
        if (thin.is_object()) {
            thin.erase(key);
        }
    }
    return thin;
}

Json reportedOptions(const Json& options) {
    Json reported = Json::object();
    for (const char* key : kReportedOptions) {
        if (options.is_object() && options.contains(key)) {
            reported[key] = options[key];
        }
    }
    return reported;
}

/// What engine and studio put in quotes may be a piece of a prompt that was cut.
Json withoutQuotes(const Json& json) {
    static const QRegularExpression quoted(
        QStringLiteral(R"rx("[^"\n]*[\s…][^"\n]*"|“[^”\n]*[\s…][^”\n]*”)rx"));
    return withTexts(json, [](const std::string& text) -> Json {
        return QString::fromStdString(text)
            .replace(quoted, QStringLiteral("\"<text>\""))
            .toStdString();
    });
}

Json linesOf(const std::vector<LogEntry>& log) {
    Json lines = Json::array();
    const size_t first = log.size() > kReportedLines ? log.size() - kReportedLines : 0;
    for (size_t i = first; i < log.size(); ++i) {
        lines.push_back(lineOf(log[i]).toStdString());
    }
    return lines;
}

/// Ids that reveal no more than the node's type: one that the studio made is kept ("denoise_2"),
/// one that somebody wrote becomes such a one. By the id in the document.
std::map<std::string, std::string> plainIds(const graph::Document& document,
                                            const KnownTypes& types) {
    graph::Document renamed;
    std::map<std::string, std::string> ids;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = typeOf(node, types);
        const std::string made = freshId({}, desc ? *desc : NodeDesc{});
        const std::string type = desc ? desc->id.substr(desc->id.find('.') + 1) : made;
        const auto isOf = [&](const std::string& base) {
            static const std::regex number("(_?[0-9]+)?");
            return id.starts_with(base) && std::regex_match(id.substr(base.size()), number);
        };
        const auto isPart = desc && desc->id.substr(0, desc->id.find('.')) == id;
        const bool isPlain = isOf(made) || isOf(type) || isPart;
        ids[id] = isPlain ? id : std::string();
        if (isPlain) {
            renamed.nodes[id];
        }
    }
    for (const auto& [id, node] : document.nodes) {
        if (ids[id].empty()) {
            const NodeDesc* desc = typeOf(node, types);
            ids[id] = freshId(renamed, desc ? *desc : NodeDesc{});
            renamed.nodes[ids[id]];
        }
    }
    return ids;
}

/// What a graph does without what it is about: nodes, wires, numbers and choices. Files by name;
/// texts by their length unless `hasTexts`; titles, notes and frames not at all.
Json summaryOf(const graph::Document& document,
               const KnownTypes& types,
               const std::map<std::string, std::string>& ids,
               bool hasTexts) {
    const auto idOf = [&](const std::string& id) {
        const auto found = ids.find(id);
        return found == ids.end() ? std::string("?") : found->second;
    };
    Json summary = {{"nodes", Json::object()}, {"links", Json::array()}};
    for (const auto& [id, node] : document.nodes) {
        summary["nodes"][idOf(id)] = nodeSummary(node, typeOf(node, types), hasTexts);
    }
    for (const graph::Link& link : document.links) {
        summary["links"].push_back(idOf(link.from.node) + "." + link.from.port + " -> " +
                                   idOf(link.to.node) + "." + link.to.port);
    }
    const auto put = [&](const char* key, const auto& value) {
        if (value) {
            summary[key] = plainValue(Json(*value));
        }
    };
    put("device", document.device);
    put("memory_budget", document.memoryBudget);
    put("low_memory", document.lowMemory);
    put("gc_threshold", document.collectionThreshold);
    put("exact", document.isExact);
    return summary;
}

/// Values of parameters that are texts, but for those that every new node has: prompts.
QStringList textsIn(const graph::Document& document, const KnownTypes& types) {
    return valuesOf(document, types, [](const ParamDesc* param, const std::string& value) {
        return !param || (param->kind == ParamKind::Text && param->defaultValue != Scalar(value));
    });
}

/// Values of parameters that name files and folders.
QStringList filesIn(const graph::Document& document, const KnownTypes& types) {
    return valuesOf(document, types, [](const ParamDesc* param, const std::string&) {
        return param && isFileKind(param->kind);
    });
}

void addWord(Redactor::Known& known, const QString& word, const char* with) {
    if (word.size() >= kShortestSecret) {
        known.words.emplace_back(word, QLatin1String(with));
    }
}

}  // namespace

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

Json problemReport(const ReportFacts& facts,
                   const ReportChoices& choices,
                   const Redactor::Known& machine) {
    Redactor::Known known = machine;
    for (const QString& folder : facts.folders) {
        known.addFolder(folder);
    }
    if (!choices.hasTexts) {
        hideTexts(textsIn(facts.document, facts.types), known);
    }
    hideFiles(filesIn(facts.document, facts.types) + reportedFiles(facts.report), known);
    const std::map<std::string, std::string> ids = plainIds(facts.document, facts.types);
    for (const auto& [id, plain] : ids) {
        if (id != plain) {
            known.words.emplace_back(QString::fromStdString(id), QString::fromStdString(plain));
        }
    }
    Json reported = Json::object();
    if (choices.hasPlan) {
        reported["plan"] = thinned(facts.plan);
        reported["issues"] = graph::toJson(facts.issues);
    }
    if (choices.hasRun && !facts.report.is_null()) {
        reported["last_run"] = thinned(facts.report);
        reported["options"] = reportedOptions(facts.options);
    }
    if (choices.hasLog) {
        reported["log"] = linesOf(facts.log);
    }
    reported = choices.hasTexts ? reported : withoutQuotes(reported);
    if (choices.hasGraph) {
        reported["graph"] = summaryOf(facts.document, facts.types, ids, choices.hasTexts);
    }
    const QString description = facts.description.trimmed();
    if (!description.isEmpty()) {
        reported["description"] = description.toStdString();
    }
    const Redactor redactor(known);
    Json report = {{"lowtide_report", 1},
                   {"made", QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()},
                   {"system", Redactor(machine).scrubbed(facts.system)}};
    for (const auto& [part, json] : reported.items()) {
        report[part] = redactor.scrubbed(json);
    }
    return report;
}

}  // namespace lowtide::ui
