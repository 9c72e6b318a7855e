#include "ui/editors/memory_editor.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/combinations.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/editors/policy_rows.hpp"
#include "ui/editors/rows.hpp"
#include "ui/editors/text_editors.hpp"
#include "ui/editors/value_editor.hpp"
#include "ui/language/module_texts.hpp"
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
    TextAndFields frame;

    void build();
    void fill(QVBoxLayout* column);
    void addComponents(QVBoxLayout* column);
    bool takeText();
    void change(memory::Policy next);
};

MemoryEditor::MemoryEditor(QWidget* parent)
    : QWidget(parent),
      parts_(new Parts{.editor = *this,
                       .frame = {*this,
                                 tr("Memory policy as text"),
                                 tr("The policy as the command and graphs write it")}}) {
    EditSession::watch(parts_->frame.line(), [this] { return parts_->takeText(); });
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
    const bool isShown = parts_->frame.areUsable() && problem.isEmpty();
    if (isShown && policy == parts_->policy && areSame(facts, parts_->facts)) {
        return;  // what is being typed stays
    }
    parts_->facts = facts;
    parts_->policy = policy;
    parts_->build();
    if (!problem.isEmpty()) {
        parts_->frame.showUnreadable(plainText(memory), problem);
    }
}

void MemoryEditor::Parts::build() {
    frame.rebuild(Theme::space(3), [this](QVBoxLayout* column) { fill(column); });
    frame.showText(memory::toText(policy));
}

void MemoryEditor::Parts::fill(QVBoxLayout* column) {
    QWidget* body = frame.fields();
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
        for (const Message& reason : judgement.reasons) {
            column->addWidget(makeNote(moduleSentence(reason), "lossy", body));
        }
    }
    addComponents(column);
}

void MemoryEditor::Parts::addComponents(QVBoxLayout* column) {
    QWidget* body = frame.fields();
    for (const std::string& role : rolesOf(facts, policy.components)) {
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
        column->addWidget(makeComponentPart(
            moduleWord(QString::fromStdString(role)), summary, rows, toggle, body));
    }
}

bool MemoryEditor::Parts::takeText() {
    const std::string typed = frame.line().text().trimmed().toStdString();
    if (typed == memory::toText(policy) && frame.areUsable()) {
        return true;
    }
    try {
        const memory::Policy next = readPolicy(typed, policy);
        const bool isNew = next != policy || !frame.areUsable();
        policy = next;
        build();
        if (isNew) {
            Q_EMIT editor.edited(policy == memory::Policy() ? Json() : memory::toJson(policy));
        }
    } catch (const Error& error) {
        markProblem(frame.line(), wordsOf(error), {});
        return false;
    }
    return true;
}

void MemoryEditor::Parts::change(memory::Policy next) {
    policy = std::move(next);
    frame.showText(memory::toText(policy));
    for (const auto& [role, own] : policy.components) {
        setSummary(*frame.fields(),
                   QString::fromStdString(role),
                   QString::fromStdString(memory::toText(own)));
    }
    Q_EMIT editor.edited(policy == memory::Policy() ? Json() : memory::toJson(policy));
}

}  // namespace lowtide::ui
