#include "ui/language/module_texts.hpp"

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <QRegularExpression>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace lowtide::ui {

namespace {

struct Current {
    std::mutex mutex;
    std::shared_ptr<const ModuleTexts> texts = std::make_shared<ModuleTexts>();
};

Current& currentTexts() {
    static Current current;
    return current;
}

/// English of what was reworded, by key.
std::map<QString, std::string>& sources() {
    static std::map<QString, std::string> texts;
    return texts;
}

QString keyOf(const std::string& owner, const std::string& what) {
    return QString::fromStdString(owner + '/' + what);
}

/// Puts a text into the current language; its English is what it was first.
void put(std::string& text, const QString& key) {
    if (text.empty()) {
        return;
    }
    const std::string& english = sources().try_emplace(key, text).first->second;
    text = ModuleTexts::current()->text(key, QString::fromStdString(english)).toStdString();
}

void putPorts(std::vector<PortDesc>& ports, const std::string& owner) {
    for (PortDesc& port : ports) {
        put(port.label, keyOf(owner, port.id + "/label"));
        put(port.tooltip, keyOf(owner, port.id + "/tooltip"));
    }
}

std::string sourceOf(const QString& key, const std::string& shown) {
    const auto found = sources().find(key);
    return found == sources().end() ? shown : found->second;
}

constexpr QLatin1String kWord("word/");
constexpr QLatin1String kOpenEnd("{0}");

/// Facts that are numbers of bytes.
constexpr const char* kBytes[] = {"needed", "capacity", "minimum", "budget"};

QString factText(const Json& facts, const std::string& name) {
    const Json& fact = facts[name];
    if (fact.is_number() &&
        std::any_of(
            std::begin(kBytes), std::end(kBytes), [&](const char* each) { return name == each; })) {
        return QString::fromStdString(formatBytes(fact.get<Bytes>()));
    }
    return fact.is_string() ? moduleSentence(messageIn(facts, name))
                            : QString::fromStdString(fact.dump());
}

/// What an issue blames, as the node shows it; its id where the issue does not state the node type.
QString blamedLabel(const Issue& issue, const Json& facts) {
    const QString id = QString::fromStdString(issue.item);
    const auto type = facts.is_object() ? facts.find("type") : facts.end();
    if (!facts.is_object() || type == facts.end() || !type->is_string()) {
        return id;
    }
    for (const char* side : {"", "in/"}) {
        const QString key = keyOf(type->get<std::string>(), side + issue.item + "/label");
        if (const QString label = ModuleTexts::current()->text(key, {}); !label.isEmpty()) {
            return label;
        }
    }
    return id;
}

std::optional<QString> placeholderText(const std::string& name,
                                       const Issue& issue,
                                       const Json& facts) {
    if (facts.is_object() && facts.contains(name)) {
        return factText(facts, name);
    }
    return name == "label"     ? std::optional(blamedLabel(issue, facts))
           : name == "node"    ? std::optional(QString::fromStdString(issue.node))
           : name == "item"    ? std::optional(QString::fromStdString(issue.item))
           : name == "message" ? std::optional(QString::fromStdString(issue.message.str()))
                               : std::nullopt;
}

/// "Node {node} needs {label}" with what the issue states; nothing where it does not state all.
std::optional<QString> filledIn(const QString& pattern, const Issue& issue, const Json& facts) {
    static const QRegularExpression kPlaceholder(QStringLiteral("\\{(\\w+)\\}"));
    QString filled;
    qsizetype from = 0;
    for (auto matches = kPlaceholder.globalMatch(pattern); matches.hasNext();) {
        const QRegularExpressionMatch match = matches.next();
        const auto text = placeholderText(match.captured(1).toStdString(), issue, facts);
        if (!text) {
            return std::nullopt;
        }
        filled += pattern.mid(from, match.capturedStart() - from) + *text;
        from = match.capturedEnd();
    }
    return filled + pattern.mid(from);
}

/// The first of "one || another" that the issue can fill. One that holds the module's own sentence
/// states its code alone.
std::optional<QString> firstFilled(const QString& patterns,
                                   const Issue& issue,
                                   const Json& facts,
                                   bool withMessage) {
    for (const QString& pattern : patterns.split(QStringLiteral(" || "), Qt::SkipEmptyParts)) {
        if (pattern.contains(QStringLiteral("{message}")) != withMessage) {
            continue;
        }
        if (const auto filled = filledIn(pattern, issue, facts)) {
            return filled;
        }
    }
    return std::nullopt;
}

}  // namespace

QString ModuleTexts::text(const QString&, const QString& english) const {
    return english;
}

std::optional<QString> ModuleTexts::message(const Message&) const {
    return std::nullopt;
}

std::shared_ptr<const ModuleTexts> ModuleTexts::current() {
    Current& current = currentTexts();
    const std::scoped_lock lock(current.mutex);
    return current.texts;
}

void ModuleTexts::setCurrent(std::shared_ptr<const ModuleTexts> texts) {
    Current& current = currentTexts();
    const std::scoped_lock lock(current.mutex);
    current.texts = std::move(texts);
}

KeyedTexts::KeyedTexts(const QByteArray& json, QByteArray messages)
    : messages_(std::move(messages)) {
    const Json read = Json::parse(json.begin(), json.end(), nullptr, false);
    if (!read.is_object()) {
        return;
    }
    for (const auto& [key, entry] : read.items()) {
        const auto text = entry.is_object() ? entry.find("text") : entry.end();
        if (text == entry.end() || !text->is_string() || text->get<std::string>().empty()) {
            continue;
        }
        const QString name = QString::fromStdString(key);
        const QString translated = QString::fromStdString(text->get<std::string>());
        texts_.emplace(name, translated);
        if (name.startsWith(kWord) && name.endsWith(kOpenEnd) && translated.endsWith(kOpenEnd)) {
            beginnings_.emplace(name.mid(kWord.size()).chopped(kOpenEnd.size()),
                                translated.chopped(kOpenEnd.size()));
        }
    }
}

QString KeyedTexts::text(const QString& key, const QString& english) const {
    const auto found = texts_.find(key);
    return found == texts_.end() ? english : found->second;
}

QString KeyedTexts::wordOf(const QString& english) const {
    for (const auto& [beginning, translated] : beginnings_) {
        if (english.startsWith(beginning)) {
            return translated + english.mid(beginning.size());
        }
    }
    return text(kWord + english, english);
}

std::optional<QString> KeyedTexts::message(const Message& message) const {
    if (message.parts()) {
        return messages_.text(message, [this](const QString& english) { return wordOf(english); });
    }
    const QString english = QString::fromStdString(message.str());
    const QString word = wordOf(english);
    return word == english ? std::nullopt : std::optional(word);
}

void reword(NodeDesc& desc) {
    put(desc.label, keyOf(desc.id, "label"));
    put(desc.tooltip, keyOf(desc.id, "tooltip"));
    put(desc.category, keyOf(desc.id, "category"));
    putPorts(desc.inputs, desc.id + "/in");
    putPorts(desc.outputs, desc.id + "/out");
    for (ParamDesc& param : desc.params) {
        const std::string owner = desc.id + '/' + param.id;
        put(param.label, keyOf(owner, "label"));
        put(param.tooltip, keyOf(owner, "tooltip"));
        put(param.unit, keyOf(owner, "unit"));
        for (ChoiceDesc& choice : param.choices) {
            put(choice.label, keyOf(owner, "choice/" + choice.id));
        }
    }
}

std::string englishLabel(const NodeDesc& desc) {
    return sourceOf(keyOf(desc.id, "label"), desc.label);
}

std::string englishLabel(const NodeDesc& desc, const ParamDesc& param) {
    return sourceOf(keyOf(desc.id + '/' + param.id, "label"), param.label);
}

std::string englishCategory(const NodeDesc& desc) {
    return sourceOf(keyOf(desc.id, "category"), desc.category);
}

void reword(Issue& issue) {
    if (issue.code.empty()) {
        return;
    }
    const Json facts = Json::parse(issue.facts, nullptr, false);
    std::string owner = "issue/" + issue.code;
    // One code may stand for several messages.
    if (facts.is_object() && facts.contains("case") && facts["case"].is_string()) {
        owner += '/' + facts["case"].get<std::string>();
    }
    const std::pair<const char*, Message*> texts[] = {{"message", &issue.message},
                                                      {"hint", &issue.hint}};
    const Issue reported = issue;
    for (const auto& [what, text] : texts) {
        if (text->empty()) {
            continue;
        }
        const QString patterns = ModuleTexts::current()->text(keyOf(owner, what), {});
        const QString english = QString::fromStdString(text->str());
        std::optional<QString> translated = firstFilled(patterns, reported, facts, false);
        translated = translated ? translated : ModuleTexts::current()->message(*text);
        // Some errors of the studio speak the language already.
        translated = translated || isChinese(english.front())
                         ? translated
                         : firstFilled(patterns, reported, facts, true);
        *text = Message(translated.value_or(english).toStdString());
    }
}

Issues reworded(Issues issues) {
    for (Issue& issue : issues) {
        reword(issue);
    }
    return issues;
}

QString exposedLabel(const std::string& kept, const NodeDesc& desc, const ParamDesc& param) {
    if (kept.empty() || kept == englishLabel(desc, param)) {
        return QString::fromStdString(param.label);
    }
    const QString label = QString::fromStdString(kept);
    return ModuleTexts::current()->text(QStringLiteral("exposed/") + label, label);
}

QString presetText(const QString& id, const char* what, const QString& english) {
    return ModuleTexts::current()->text(QStringLiteral("preset/%1/%2").arg(id, QLatin1String(what)),
                                        english);
}

QString moduleWord(const QString& english) {
    return ModuleTexts::current()->text(kWord + english, english);
}

QString moduleSentence(const Message& message) {
    return ModuleTexts::current()->message(message).value_or(QString::fromStdString(message.str()));
}

QString errorText(const Error& error) {
    Issue issue{.code = std::string(codeOf(error.kind())), .message = error.message()};
    reword(issue);
    return QString::fromStdString(issue.message.str());
}

QString asSentence(const QString& text) {
    if (text.isEmpty()) {
        return text;
    }
    QString sentence = text;
    sentence[0] = sentence.at(0).toUpper();
    constexpr QStringView kEnds = u".?!。？！";
    return kEnds.contains(sentence.back()) ? sentence
                                           : sentence + (isChinese(sentence.back()) ? u'。' : u'.');
}

QString errorSentences(const Error& error, const char* between) {
    return joinedSentences(errorText(error), moduleSentence(error.hint()), between);
}

QString joinedSentences(const QString& first, const QString& second, const char* between) {
    if (first.isEmpty() || second.isEmpty()) {
        return first + second;
    }
    const QString chinese = first.endsWith(u'。') ? QString() : QStringLiteral("；");
    return first + (isChinese(second.front()) ? chinese : QString::fromLatin1(between)) + second;
}

QString tagText(const QString& tag) {
    return ModuleTexts::current()->text(QStringLiteral("tag/") + tag, tag);
}

}  // namespace lowtide::ui
