#include "ui/editors/rows.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/component_parts.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/editors/memory_editor.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QApplication>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace lowtide::ui {

namespace {

constexpr int kLabelWidth = 92;
constexpr QLatin1String kComponent("component.");

}  // namespace

QFormLayout* makeForm(QWidget* owner) {
    auto* form = new QFormLayout(owner);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(Theme::space(2));
    form->setVerticalSpacing(Theme::space(1));
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    return form;
}

void addRow(QFormLayout* form, const QString& label, QWidget* field) {
    auto* name = new QLabel(label);
    name->setMinimumWidth(kLabelWidth);
    name->setMinimumHeight(Theme::current().size("control"));
    name->setBuddy(field);
    field->setAccessibleName(label);
    form->addRow(name, field);
}

QLabel* makeNote(const QString& text, const char* colourToken, QWidget* parent) {
    return makeText(text, "", parent, "small", colourToken);
}

void setRefused(QWidget& widget, const QString& reason, const QString& tooltip) {
    widget.setEnabled(reason.isEmpty());
    widget.setToolTip(reason.isEmpty() ? tooltip : reason);
}

QWidget* makeComponentPart(const QString& role,
                           const QString& summary,
                           QWidget* rows,
                           const std::function<void(bool hasOwn)>& onToggled,
                           QWidget* parent) {
    auto* part = named(kComponent + role, new QWidget(parent));
    QLabel* name = makeFieldLabel(role, nullptr, part);
    QLabel* note = named("summary", makeNote(summary, "text.muted", part));
    note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    const bool hasOwn = rows != nullptr;
    QToolButton* own = makeIconButton(hasOwn ? "close" : "plus",
                                      hasOwn ? QLabel::tr("Treat %1 like the others").arg(role)
                                             : QLabel::tr("Treat %1 separately").arg(role),
                                      "own",
                                      part);
    QObject::connect(own, &QToolButton::clicked, part, [onToggled, hasOwn] { onToggled(!hasOwn); });
    columnIn(part, 1, {rowOf(1, {name, {note, 1}, own}), rows});
    return part;
}

void setSummary(const QWidget& owner, const QString& role, const QString& summary) {
    if (const auto* part = owner.findChild<QWidget*>(kComponent + role)) {
        part->findChild<QLabel*>("summary")->setText(summary);
    }
}

KeptFocus::KeptFocus(const QWidget* body) {
    const QWidget* focused = QApplication::focusWidget();
    if (!body || !focused || !body->isAncestorOf(focused)) {
        return;
    }
    name_ = focused->objectName();
    for (const QWidget* each = focused; each != body; each = each->parentWidget()) {
        if (each->objectName().startsWith(kComponent)) {
            component_ = each->objectName();
        }
    }
    const auto* line = qobject_cast<const QLineEdit*>(focused);
    if (!line) {
        return;
    }
    selected_ = static_cast<int>(line->selectedText().size());
    selectedFrom_ = selected_ > 0 ? line->selectionStart() : line->cursorPosition();
    if (line->isModified()) {
        typed_ = line->text();
    }
}

void KeptFocus::restoreIn(QWidget& body) const {
    const auto* owner = component_.isEmpty() ? &body : body.findChild<QWidget*>(component_);
    auto* field = owner && !name_.isEmpty() ? owner->findChild<QWidget*>(name_) : nullptr;
    if (!field) {
        return;
    }
    field->setFocus(Qt::OtherFocusReason);
    auto* line = qobject_cast<QLineEdit*>(field);
    if (line && typed_) {
        line->setText(*typed_);
        line->setModified(true);
    }
    if (line && selected_ > 0) {
        line->setSelection(selectedFrom_, selected_);
    } else if (line) {
        line->setCursorPosition(selectedFrom_);
    }
}

TextAndFields::TextAndFields(QWidget& editor, const QString& accessibleName, const QString& tip)
    : editor_(editor), tip_(tip), line_(named("text", new QLineEdit(&editor))) {
    line_->setFont(Theme::current().font("mono"));
    line_->setAccessibleName(accessibleName);
    columnIn(&editor, 2, {line_});
}

bool TextAndFields::areUsable() const {
    return fields_ && fields_->isEnabled();
}

void TextAndFields::rebuild(int spacing, const std::function<void(QVBoxLayout*)>& fill) {
    const KeptFocus focus(fields_);
    if (fields_) {
        EditSession::forgetIn(*fields_);
        fields_->hide();
        fields_->deleteLater();
    }
    fields_ = named("body", new QWidget(&editor_));
    auto* column = new QVBoxLayout(fields_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    fill(column);
    editor_.layout()->addWidget(fields_);
    focus.restoreIn(*fields_);
}

void TextAndFields::showText(const std::string& text) {
    EditSession::showUnlessTyped(*line_, QString::fromStdString(text));
    if (line_->text().toStdString() == text) {  // else what is typed keeps its mark
        markProblem(*line_, {}, tip_);
    }
}

void TextAndFields::showUnreadable(const QString& text, const QString& problem) {
    line_->setText(text);
    markProblem(*line_, problem, {});
    fields_->setEnabled(false);
}

bool areSame(const NodeFacts& one, const NodeFacts& other) {
    return one.desc == other.desc && one.devices == other.devices &&
           one.stepCache == other.stepCache && one.plannedPrecision == other.plannedPrecision;
}

std::vector<std::string> rolesAmong(const NodeFacts& facts, std::vector<std::string> named) {
    if (facts.plannedPrecision.is_object()) {
        for (const auto& [role, precision] : facts.plannedPrecision.items()) {
            named.push_back(role);
        }
    }
    std::ranges::sort(named);
    named.erase(std::unique(named.begin(), named.end()), named.end());
    std::vector<std::string> roles;
    for (const std::string& pattern :
         facts.desc ? facts.desc->components : std::vector<std::string>()) {
        if (!memory::isOpenPattern(pattern)) {
            roles.push_back(pattern);
            continue;
        }
        std::copy_if(
            named.begin(), named.end(), std::back_inserter(roles), [&](const std::string& role) {
                return memory::matchesRole(pattern, role);
            });
    }
    return roles;
}

QString wordsOf(const Error& error) {
    return errorSentences(error, "; ");
}

}  // namespace lowtide::ui
