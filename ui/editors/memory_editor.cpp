#include "ui/editors/memory_editor.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/combinations.hpp"
#include "ui/editors/policy_rows.hpp"
#include "ui/editors/rows.hpp"
#include "ui/editors/text_editors.hpp"
#include "ui/editors/value_editor.hpp"
#include "ui/theme/theme.hpp"

#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include <optional>

namespace lowtide::ui {

namespace {

/// The text form, which says nothing of components, or the JSON form.
memory::Policy readPolicy(const std::string& text, const memory::Policy& before) {
    if (text.starts_with('{')) {
        return memory::policyFromJson(parseJson(text, "memory"), "memory");
    }
    memory::Policy policy = text.empty() ? memory::Policy() : memory::parsePolicy(text);
    policy.components = before.components;
    return policy;
}

}  // namespace

struct MemoryEditor::Parts {
    MemoryEditor& editor;
    NodeFacts facts{};
    memory::Policy policy{};
    QLineEdit* text = nullptr;
    QWidget* body = nullptr;

    void build();
    void showText();
    void addComponents(QVBoxLayout* column);
    void takeText();
    void change(memory::Policy next);
};

MemoryEditor::MemoryEditor(QWidget* parent) : QWidget(parent), parts_(new Parts{*this}) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(2));
    parts_->text = new QLineEdit(this);
    parts_->text->setObjectName("text");
    parts_->text->setFont(Theme::current().font("mono"));
    parts_->text->setAccessibleName(tr("Memory policy as text"));
    column->addWidget(parts_->text);
    connect(parts_->text, &QLineEdit::editingFinished, this, [this] { parts_->takeText(); });
}

MemoryEditor::~MemoryEditor() = default;

void MemoryEditor::setNode(const NodeFacts& facts, const Json& memory) {
    memory::Policy policy;
    QString problem;
    if (!memory.is_null()) {
        try {
            policy = memory::policyFromJson(memory, "memory");
        } catch (const Error& error) {
            problem = wordsOf(error);
        }
    }
    const bool isShown = parts_->body && parts_->body->isEnabled() && problem.isEmpty();
    if (isShown && policy == parts_->policy && areSame(facts, parts_->facts)) {
        return;  // what is being typed stays
    }
    parts_->facts = facts;
    parts_->policy = policy;
    parts_->build();
    if (!problem.isEmpty()) {
        // It stays in the graph as it is until the person writes another one.
        parts_->text->setText(plainText(memory));
        markProblem(*parts_->text, problem, {});
        parts_->body->setEnabled(false);
    }
}

void MemoryEditor::Parts::showText() {
    text->setText(QString::fromStdString(memory::toText(policy)));
    markProblem(*text, {}, tr("The policy as the command and graphs write it"));
}

void MemoryEditor::Parts::build() {
    const KeptFocus focus(body);
    if (body) {
        body->hide();
        body->deleteLater();
    }
    body = new QWidget(&editor);
    body->setObjectName("body");
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(3));
    auto* rows = new PolicyRows(facts.devices, body);
    rows->setObjectName("all");
    rows->setPolicy(policy);
    connect(rows, &PolicyRows::edited, &editor, [this](const memory::Policy& edited) {
        memory::Policy next = edited;
        next.components = policy.components;
        change(next);
    });
    column->addWidget(rows);
    const memory::Judgement judgement =
        memory::judge({.policy = policy, .cache = {.label = facts.stepCache}});
    if (judgement.verdict == memory::Verdict::Lossy) {
        for (const std::string& reason : judgement.reasons) {
            column->addWidget(makeNote(QString::fromStdString(reason), "lossy", body));
        }
    }
    addComponents(column);
    editor.layout()->addWidget(body);
    showText();
    focus.restoreIn(*body);
}

void MemoryEditor::Parts::addComponents(QVBoxLayout* column) {
    for (const std::string& role : rolesOf(facts)) {
        const auto own = policy.components.find(role);
        PolicyRows* rows = nullptr;
        if (own != policy.components.end()) {
            rows = new PolicyRows(facts.devices, body);
            rows->setPolicy(own->second);
            connect(rows, &PolicyRows::edited, &editor, [this, role](const memory::Policy& edited) {
                memory::Policy next = policy;
                next.components[role] = edited;
                change(next);
            });
        }
        const auto toggle = [this, role](bool hasOwn) {
            memory::Policy next = policy;
            next.components.erase(role);
            if (hasOwn) {
                next.components[role] = policy.forComponent(role);
            }
            change(next);
            // The button that was pressed goes with the part: not before its signal ends.
            QMetaObject::invokeMethod(
                &editor, [this] { build(); }, Qt::QueuedConnection);
        };
        const QString summary = rows ? QString::fromStdString(memory::toText(own->second))
                                     : MemoryEditor::tr("like the others");
        column->addWidget(
            makeComponentPart(QString::fromStdString(role), summary, rows, toggle, body));
    }
}

void MemoryEditor::Parts::takeText() {
    const std::string typed = text->text().trimmed().toStdString();
    if (typed == memory::toText(policy) && body->isEnabled()) {
        return;
    }
    try {
        const memory::Policy next = readPolicy(typed, policy);
        const bool isNew = next != policy || !body->isEnabled();
        policy = next;
        build();
        if (isNew) {
            Q_EMIT editor.edited(policy == memory::Policy() ? Json() : memory::toJson(policy));
        }
    } catch (const Error& error) {
        markProblem(*text, wordsOf(error), {});
    }
}

void MemoryEditor::Parts::change(memory::Policy next) {
    policy = std::move(next);
    showText();
    for (const auto& [role, own] : policy.components) {
        setSummary(
            *body, QString::fromStdString(role), QString::fromStdString(memory::toText(own)));
    }
    Q_EMIT editor.edited(policy == memory::Policy() ? Json() : memory::toJson(policy));
}

}  // namespace lowtide::ui
