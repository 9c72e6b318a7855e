#include "ui/editors/memory_editor.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/combinations.hpp"
#include "plugin/memory/precision.hpp"
#include "ui/editors/choice_editor.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/editors/memory_rows.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/editors/rows.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>

#include <map>
#include <optional>

namespace lowtide::ui {

namespace {

/// The text form, which states nothing about components, or the JSON form.
memory::Policy readPolicy(const std::string& text, const memory::Policy& before) {
    if (text.starts_with('{')) {
        return memory::policyFromJson(parseJson(text, "memory"), "memory");
    }
    memory::Policy policy = text.empty() ? memory::Policy() : memory::parsePolicy(text);
    policy.components = before.components;
    return policy;
}

/// What the plan states about each component under "lossy" or "notes", each sentence once.
std::vector<Message> sentencesIn(const Json& planned, const char* key) {
    std::map<std::string, Message> sentences;
    for (const Json& precision : planned.is_object() ? planned : Json::object()) {
        for (Message& sentence : messagesIn(precision, key)) {
            sentences.emplace(sentence.str(), std::move(sentence));
        }
    }
    std::vector<Message> sorted;
    for (auto& [text, sentence] : sentences) {
        sorted.push_back(std::move(sentence));
    }
    return sorted;
}

/// The text form, which states nothing about components, or the JSON form.
memory::PrecisionChoice readChoice(const std::string& text, const memory::PrecisionChoice& before) {
    if (text.starts_with('{')) {
        return memory::precisionFromJson(parseJson(text, "precision"), "precision");
    }
    memory::PrecisionChoice choice =
        text.empty() ? memory::PrecisionChoice() : memory::parsePrecision(text);
    choice.components = before.components;
    return choice;
}

QString summaryOf(const memory::PrecisionTypes& types) {
    memory::PrecisionChoice choice;
    choice.types = types;
    // "balanced,storage=f16": what follows the preset is the component's own.
    return QString::fromStdString(memory::toText(choice)).section(QLatin1Char(','), 1);
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
        return;  // what is being typed is kept
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
    auto* rows = named("all", new PolicyRows(facts.devices, body));
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

struct PrecisionEditor::Parts {
    PrecisionEditor& editor;
    NodeFacts facts{};
    memory::PrecisionChoice choice{};
    TextAndFields frame;
    bool showsSwitches = false;

    void build();
    void fill(QVBoxLayout* column);
    void addPreset(QVBoxLayout* column);
    void addKept(QVBoxLayout* column);
    void addSwitches(QVBoxLayout* column);
    void addComponents(QVBoxLayout* column);
    bool takeText();
    void change(memory::PrecisionChoice next);
};

PrecisionEditor::PrecisionEditor(QWidget* parent)
    : QWidget(parent),
      parts_(new Parts{.editor = *this,
                       .frame = {*this,
                                 tr("Precision as text"),
                                 tr("The precision as the command and graphs write it")}}) {
    EditSession::watch(parts_->frame.line(), [this] { return parts_->takeText(); });
}

PrecisionEditor::~PrecisionEditor() = default;

void PrecisionEditor::setNode(const NodeFacts& facts, const Json& precision) {
    memory::PrecisionChoice choice;
    QString problem;
    try {
        choice = memory::precisionFromJson(precision, "precision");
    } catch (const Error& error) {
        problem = wordsOf(error);
    }
    const bool isShown = parts_->frame.areUsable() && problem.isEmpty();
    if (isShown && choice == parts_->choice && areSame(facts, parts_->facts)) {
        return;  // what is being typed is kept
    }
    parts_->facts = facts;
    parts_->choice = choice;
    parts_->build();
    if (!problem.isEmpty()) {
        parts_->frame.showUnreadable(plainText(precision), problem);
    }
}

void PrecisionEditor::Parts::build() {
    frame.rebuild(Theme::space(1), [this](QVBoxLayout* column) { fill(column); });
    frame.showText(memory::toText(choice));
}

void PrecisionEditor::Parts::fill(QVBoxLayout* column) {
    QWidget* body = frame.fields();
    addPreset(column);
    auto* types = named("all", new TypeRows(body));
    types->setTypes(choice.types);
    connect(types, &TypeRows::edited, &editor, [this](const memory::PrecisionTypes& edited) {
        memory::PrecisionChoice next = choice;
        next.types = edited;
        change(next);
    });
    column->addWidget(types);
    addKept(column);
    for (const Message& loss : sentencesIn(facts.plannedPrecision, "lossy")) {
        column->addWidget(makeNote(moduleSentence(loss), "lossy", body));
    }
    for (const Message& note : sentencesIn(facts.plannedPrecision, "notes")) {
        column->addWidget(makeNote(moduleSentence(note), "text.muted", body));
    }
    column->addSpacing(Theme::space(1));
    addComponents(column);
    addSwitches(column);
}

void PrecisionEditor::Parts::addPreset(QVBoxLayout* column) {
    QWidget* body = frame.fields();
    auto* owner = new QWidget(body);
    auto* box = named("preset", new ChoiceBox(owner));
    for (const std::string_view preset : memory::kPrecisionPresets) {
        const QString name =
            QString::fromUtf8(preset.data(), static_cast<qsizetype>(preset.size()));
        box->addItem(name, name);
    }
    box->showItem(QString::fromStdString(choice.preset), QString::fromStdString(choice.preset));
    addRow(makeForm(owner), PrecisionEditor::tr("Preset"), box);
    column->addWidget(owner);
    connect(box, &QComboBox::activated, &editor, [this, box](int index) {
        memory::PrecisionChoice next = choice;
        next.preset = box->itemData(index).toString().toStdString();
        change(next);
    });
}

void PrecisionEditor::Parts::addKept(QVBoxLayout* column) {
    QWidget* body = frame.fields();
    auto* owner = new QWidget(body);
    auto* names = named("kept", new QLineEdit(owner));
    names->setPlaceholderText(PrecisionEditor::tr("parts of layer names"));
    names->setToolTip(PrecisionEditor::tr(
        "Layers whose names hold one of these are computed in f32; separate them by spaces."));
    QStringList kept;
    for (const std::string& name : choice.keptF32) {
        kept << QString::fromStdString(name);
    }
    names->setText(kept.join(QLatin1Char(' ')));
    addRow(makeForm(owner), PrecisionEditor::tr("Keep in f32"), names);
    column->addWidget(owner);
    EditSession::watch(*names, [this, names] {
        static const QRegularExpression kBetween(QStringLiteral("[\\s,+]+"));
        memory::PrecisionChoice next = choice;
        next.keptF32.clear();
        for (const QString& name : names->text().split(kBetween, Qt::SkipEmptyParts)) {
            next.keptF32.push_back(name.toStdString());
        }
        change(next);
        return true;
    });
}

void PrecisionEditor::Parts::addComponents(QVBoxLayout* column) {
    QWidget* body = frame.fields();
    for (const std::string& role : rolesOf(facts, choice.components)) {
        const auto own = choice.components.find(role);
        TypeRows* rows = nullptr;
        if (own != choice.components.end()) {
            rows = new TypeRows(body);
            rows->setTypes(own->second);
            const auto take = [this, role](const memory::PrecisionTypes& edited) {
                memory::PrecisionChoice next = choice;
                next.components[role] = edited;
                change(next);
            };
            connect(rows, &TypeRows::edited, &editor, take);
        }
        const auto toggle = [this, role](bool hasOwn) {
            memory::PrecisionChoice next = choice;
            next.components.erase(role);
            if (hasOwn) {
                next.components[role] = choice.types;
            }
            change(next);
            QMetaObject::invokeMethod(
                &editor, [this] { build(); }, Qt::QueuedConnection);
        };
        const QString summary =
            rows ? summaryOf(own->second) : PrecisionEditor::tr("like the others");
        column->addWidget(makeComponentPart(
            moduleWord(QString::fromStdString(role)), summary, rows, toggle, body));
    }
}

void PrecisionEditor::Parts::addSwitches(QVBoxLayout* column) {
    QWidget* body = frame.fields();
    auto* open = named("switches", new QToolButton(body));
    open->setAutoRaise(true);
    open->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    open->setText(PrecisionEditor::tr("Switches"));
    auto* rows = new SwitchRows(choice.switches, facts.plannedPrecision, body);
    const auto show = [this, open, rows] {
        rows->setVisible(showsSwitches);
        open->setIcon(Theme::current().icon(showsSwitches ? "chevron-down" : "chevron-right"));
    };
    show();
    column->addWidget(open, 0, Qt::AlignLeft);
    column->addWidget(rows);
    connect(open, &QToolButton::clicked, rows, [this, show] {
        showsSwitches = !showsSwitches;
        show();
    });
    connect(rows, &SwitchRows::edited, &editor, [this](const auto& edited) {
        memory::PrecisionChoice next = choice;
        next.switches = edited;
        change(next);
    });
}

bool PrecisionEditor::Parts::takeText() {
    const std::string typed = frame.line().text().trimmed().toStdString();
    if (typed == memory::toText(choice) && frame.areUsable()) {
        return true;
    }
    try {
        const memory::PrecisionChoice next = readChoice(typed, choice);
        const bool isNew = next != choice || !frame.areUsable();
        choice = next;
        build();
        if (isNew) {
            Q_EMIT editor.edited(memory::toJson(choice));
        }
    } catch (const Error& error) {
        markProblem(frame.line(), wordsOf(error), {});
        return false;
    }
    return true;
}

void PrecisionEditor::Parts::change(memory::PrecisionChoice next) {
    if (next == choice) {
        return;
    }
    choice = std::move(next);
    frame.showText(memory::toText(choice));
    for (const auto& [role, own] : choice.components) {
        setSummary(*frame.fields(), QString::fromStdString(role), summaryOf(own));
    }
    Q_EMIT editor.edited(memory::toJson(choice));
}

}  // namespace lowtide::ui
