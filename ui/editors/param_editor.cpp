#include "ui/editors/param_editor.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/editors/choice_editor.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/editors/file_editor.hpp"
#include "ui/editors/number_field.hpp"
#include "ui/editors/number_text.hpp"
#include "ui/editors/prompt_editor.hpp"
#include "ui/editors/seed_editor.hpp"
#include "ui/editors/switch_editor.hpp"
#include "ui/editors/text_editors.hpp"

namespace lowtide::ui {

namespace {

QString choiceText(const ParamDesc& param, const std::string& id) {
    for (const ChoiceDesc& choice : param.choices) {
        if (choice.id == id) {
            return QString::fromStdString(choice.label);
        }
    }
    return QString::fromStdString(id);
}

/// The name of the file, or the last folder.
QString fileText(const QString& path) {
    const QString plain = path.endsWith(QLatin1Char('/')) ? path.chopped(1) : path;
    return plain.section(QLatin1Char('/'), -1);
}

ParamEditor* newEditor(const NodeDesc& node,
                       const ParamDesc& param,
                       const OfferedFiles* offered,
                       QWidget* parent) {
    switch (param.kind) {
        case ParamKind::Bool:
            return new SwitchEditor(param, parent);
        case ParamKind::Int:
        case ParamKind::Float:
            return new NumberField(param, parent);
        case ParamKind::Seed:
            return new SeedEditor(param, parent);
        case ParamKind::Choice:
            return new ChoiceEditor(param, parent);
        case ParamKind::File:
        case ParamKind::Folder:
            return new FileEditor(node, param, offered, parent);
        case ParamKind::Text:
            break;
    }
    if (param.multiline) {
        return new PromptEditor(node, param, offered ? offered->prompts() : nullptr, parent);
    }
    return new LineEditor(param, parent);
}

}  // namespace

ParamEditor::~ParamEditor() {
    EditSession::forgetIn(*this);
}

ParamEditor* makeParamEditor(const NodeDesc& node,
                             const ParamDesc& param,
                             const OfferedFiles* offered,
                             QWidget* parent) {
    ParamEditor* editor = newEditor(node, param, offered, parent);
    editor->setValue(graph::toJson(param.defaultValue));
    return editor;
}

QString valueText(const ParamDesc& param, const Json& value) {
    if (value.is_null()) {
        return param.kind == ParamKind::Seed ? ParamEditor::tr("random")
                                             : ParamEditor::tr("not set");
    }
    if (value.is_boolean()) {
        return value.get<bool>() ? ParamEditor::tr("on") : ParamEditor::tr("off");
    }
    if (value.is_number()) {
        const QString number = numberText(param, value);
        const QString unit = unitText(param, value);
        return unit.isEmpty() ? number : QStringLiteral("%1 %2").arg(number, unit);
    }
    if (!value.is_string()) {
        return plainText(value);
    }
    if (param.kind == ParamKind::Choice) {
        return choiceText(param, value.get<std::string>());
    }
    const QString text = plainText(value).simplified();
    const bool isPath = param.kind == ParamKind::File || param.kind == ParamKind::Folder;
    return text.isEmpty() ? ParamEditor::tr("empty") : isPath ? fileText(text) : text;
}

}  // namespace lowtide::ui
