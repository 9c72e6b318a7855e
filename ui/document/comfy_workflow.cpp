#include "ui/document/comfy_workflow.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/json_members.hpp"

#include <QByteArray>
#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <set>

namespace lowtide::ui {

namespace {

struct Comfy {
    Q_DECLARE_TR_FUNCTIONS(Comfy)
};

constexpr qsizetype kMostNames = 6;
constexpr qsizetype kMostLetters = 40;

/// The types of the entries, whose name for a type is `key`; nothing when one has none.
std::optional<ComfyWorkflow> workflowOf(const Json& nodes, const char* key) {
    std::set<std::string> types;
    for (const Json& node : nodes) {
        const std::string type = textIn(node, key);
        if (type.empty()) {
            return std::nullopt;
        }
        types.insert(type);
    }
    return nodes.empty() ? std::nullopt
                         : std::optional(ComfyWorkflow{nodes.size(), {types.begin(), types.end()}});
}

/// The part of the HTML that its canvas fills, as text. Source: ComfyUI_frontend, useCopy.ts.
std::string textWithin(std::string_view html) {
    static constexpr QLatin1String kPattern(R"(data-(?:comfy-)?metadata="([A-Za-z0-9+/=]+)\")");
    const QRegularExpressionMatch match = QRegularExpression(kPattern).match(
        QString::fromUtf8(html.data(), static_cast<qsizetype>(html.size())));
    return QByteArray::fromBase64(match.captured(1).toLatin1()).toStdString();
}

QString listed(QStringList names) {
    const qsizetype more = names.size() - kMostNames;
    for (QString& name : names) {
        name.truncate(kMostLetters);
    }
    const QString shown = names.mid(0, kMostNames).join(QStringLiteral(", "));
    return more > 0 ? Comfy::tr("%1 and %2 more").arg(shown, QString::number(more)) : shown;
}

}  // namespace

std::optional<ComfyWorkflow> comfyWorkflow(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos || (text[begin] != '{' && text[begin] != '<')) {
        return std::nullopt;
    }
    constexpr JsonLimits kLimits = {.readPythonNumbers = true};
    try {
        const Json json = text[begin] == '<' ? parseJson(textWithin(text), "html", kLimits)
                                             : parseJson(text, "text", kLimits);
        if (memberIn(json, "nodes").is_array()) {
            return memberIn(json, "links").is_array() ? workflowOf(json["nodes"], "type")
                                                      : std::nullopt;
        }
        return json.is_object() ? workflowOf(json, "class_type") : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;  // no JSON
    }
}

std::optional<ComfyWorkflow> comfyWorkflow(const std::vector<image::ImageText>& carried) {
    for (const std::string_view key : {"workflow", "prompt"}) {
        const auto text = std::ranges::find(carried, key, &image::ImageText::key);
        if (std::optional<ComfyWorkflow> found =
                text == carried.end() ? std::nullopt : comfyWorkflow(text->text)) {
            return found;
        }
    }
    return std::nullopt;
}

QString comfyRefusal(const ComfyWorkflow& workflow) {
    return Comfy::tr("This is a ComfyUI workflow with %n nodes; this version does not read it.",
                     nullptr,
                     static_cast<int>(workflow.nodes));
}

QString comfyCounterparts(const ComfyWorkflow& workflow, const graph::Catalog& catalog) {
    QStringList known, unknown;
    for (const std::string& type : workflow.types) {
        (catalog.find(type) != nullptr ? known : unknown) << QString::fromStdString(type);
    }
    QStringList sentences;
    if (!known.isEmpty()) {
        sentences << Comfy::tr("The node search finds the counterparts of %1.").arg(listed(known));
    }
    if (!unknown.isEmpty()) {
        sentences << Comfy::tr("There is no counterpart of %1.").arg(listed(unknown));
    }
    return sentences.join(u' ');
}

}  // namespace lowtide::ui
