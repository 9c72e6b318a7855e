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

QString summaryOf(const memory::PrecisionTypes& types) {
    memory::PrecisionChoice choice;
    choice.types = types;
    // "balanced,storage=f16": what follows the preset is the component's own.
    return QString::fromStdString(memory::toText(choice)).section(QLatin1Char(','), 1);
}

}  // namespace

/// What a policy is to NodeValueParts.
struct PolicyKind {
    using Editor = MemoryEditor;
    using Value = memory::Policy;
    using Component = memory::Policy;
    using Rows = PolicyRows;
    static constexpr const char* kName = "memory";
    static constexpr int kSpacing = Theme::space(3);

    static Value read(const Json& json) {
        return json.is_null() ? Value() : memory::policyFromJson(json, kName);
    }

    static Value read(const std::string& text) { return memory::parsePolicy(text); }

    static Json written(const Value& value) {
        return value == Value() ? Json() : memory::toJson(value);
    }

    static QString summary(const Component& own) {
        return QString::fromStdString(memory::toText(own));
    }

    static Component ofComponent(const Value& value, const std::string& role) {
        return value.forComponent(role);
    }

    static Rows* makeRows(const NodeFacts& facts, QWidget* parent) {
        return new Rows(facts.devices, parent);
    }
};

/// What a precision is to NodeValueParts.
struct PrecisionKind {
    using Editor = PrecisionEditor;
    using Value = memory::PrecisionChoice;
    using Component = memory::PrecisionTypes;
    using Rows = TypeRows;
    static constexpr const char* kName = "precision";
    static constexpr int kSpacing = Theme::space(1);

    static Value read(const Json& json) { return memory::precisionFromJson(json, kName); }

    static Value read(const std::string& text) { return memory::parsePrecision(text); }

    static Json written(const Value& value) { return memory::toJson(value); }

    static QString summary(const Component& own) { return summaryOf(own); }

    static Component ofComponent(const Value& value, const std::string&) { return value.types; }

    static Rows* makeRows(const NodeFacts&, QWidget* parent) { return new Rows(parent); }
};

/// A value of a node that its components may have of their own, as text and in fields. A template:
/// policy and precision are types of their own that are edited alike.
template <class Kind>
struct NodeValueParts {
    using Value = typename Kind::Value;
    using Component = typename Kind::Component;
    using Rows = typename Kind::Rows;

    typename Kind::Editor& editor;
    TextAndFields frame;
    NodeFacts facts{};
    Value value{};

    NodeValueParts(typename Kind::Editor& owner, const QString& name, const QString& tip)
        : editor(owner), frame(owner, name, tip) {
        EditSession::watch(frame.line(), [this] { return takeText(); });
    }

    virtual ~NodeValueParts() = default;

    virtual void fill(QVBoxLayout* column) = 0;

    void setNode(const NodeFacts& now, const Json& json) {
        Value read;
        QString problem;
        try {
            read = Kind::read(json);
        } catch (const Error& error) {
            problem = wordsOf(error);
        }
        const bool isShown = frame.areUsable() && problem.isEmpty();
        if (isShown && read == value && areSame(now, facts)) {
            return;  // what is being typed is kept
        }
        facts = now;
        value = read;
        build();
        if (!problem.isEmpty()) {
            frame.showUnreadable(plainText(json), problem);
        }
    }

    void build() {
        frame.rebuild(Kind::kSpacing, [this](QVBoxLayout* column) { fill(column); });
        frame.showText(memory::toText(value));
    }

    void report() { Q_EMIT editor.edited(Kind::written(value)); }

    template <class Edit>
    void change(Edit edit) {
        Value next = value;
        edit(next);
        if (next == value) {
            return;
        }
        value = std::move(next);
        frame.showText(memory::toText(value));
        for (const auto& [role, own] : value.components) {
            setSummary(*frame.fields(), QString::fromStdString(role), Kind::summary(own));
        }
        report();
    }

    /// Fields of a part of the value; `put` writes what is edited there.
    template <class Put>
    Rows* makeRows(const Component& shown, Put put) {
        Rows* rows = Kind::makeRows(facts, frame.fields());
        rows->setValue(shown);
        QObject::connect(rows, &Rows::edited, &editor, [this, put](const Component& edited) {
            change([&](Value& next) { put(next, edited); });
        });
        return rows;
    }

    void addComponents(QVBoxLayout* column) {
        for (const std::string& role : rolesOf(facts, value.components)) {
            const auto own = value.components.find(role);
            const bool isOwn = own != value.components.end();
            const auto put = [role](Value& next, const Component& edited) {
                next.components[role] = edited;
            };
            const auto toggle = [this, role](bool hasOwn) {
                change([&](Value& next) {
                    next.components.erase(role);
                    if (hasOwn) {
                        next.components[role] = Kind::ofComponent(value, role);
                    }
                });
                // The button that was pressed goes with the part: not before its signal ends.
                QMetaObject::invokeMethod(
                    &editor, [this] { build(); }, Qt::QueuedConnection);
            };
            column->addWidget(makeComponentPart(
                moduleWord(QString::fromStdString(role)),
                isOwn ? Kind::summary(own->second) : MemoryEditor::tr("like the others"),
                isOwn ? makeRows(own->second, put) : nullptr,
                toggle,
                frame.fields()));
        }
    }

    /// The text form, which states nothing about components, or the JSON form.
    [[nodiscard]] Value readText(const std::string& text) const {
        if (text.starts_with('{')) {
            return Kind::read(parseJson(text, Kind::kName));
        }
        Value read = text.empty() ? Value() : Kind::read(text);
        read.components = value.components;
        return read;
    }

    bool takeText() {
        const std::string typed = frame.line().text().trimmed().toStdString();
        if (typed == memory::toText(value) && frame.areUsable()) {
            return true;
        }
        try {
            const Value next = readText(typed);
            const bool isNew = next != value || !frame.areUsable();
            value = next;
            build();
            if (isNew) {
                report();
            }
        } catch (const Error& error) {
            markProblem(frame.line(), wordsOf(error), {});
            return false;
        }
        return true;
    }
};

struct MemoryEditor::Parts : NodeValueParts<PolicyKind> {
    using NodeValueParts::NodeValueParts;

    void fill(QVBoxLayout* column) override;
};

MemoryEditor::MemoryEditor(QWidget* parent)
    : QWidget(parent),
      parts_(std::make_unique<Parts>(*this,
                                     tr("Memory policy as text"),
                                     tr("The policy as the command and graphs write it"))) {}

MemoryEditor::~MemoryEditor() = default;

void MemoryEditor::setNode(const NodeFacts& facts, const Json& memory) {
    parts_->setNode(facts, memory);
}

void MemoryEditor::Parts::fill(QVBoxLayout* column) {
    auto* rows = makeRows(value, [](memory::Policy& next, const memory::Policy& edited) {
        auto components = std::move(next.components);
        next = edited;
        next.components = std::move(components);
    });
    rows->setObjectName("all");
    column->addWidget(rows);
    const memory::Judgement judgement =
        memory::judge({.policy = value, .cache = {.label = facts.stepCache}});
    if (judgement.verdict == memory::Verdict::Lossy) {
        for (const Message& reason : judgement.reasons) {
            column->addWidget(makeNote(moduleSentence(reason), "lossy", frame.fields()));
        }
    }
    addComponents(column);
}

struct PrecisionEditor::Parts : NodeValueParts<PrecisionKind> {
    using NodeValueParts::NodeValueParts;

    bool showsSwitches = false;

    void fill(QVBoxLayout* column) override;
    void addPreset(QVBoxLayout* column);
    void addKept(QVBoxLayout* column);
    void addSwitches(QVBoxLayout* column);
};

PrecisionEditor::PrecisionEditor(QWidget* parent)
    : QWidget(parent),
      parts_(std::make_unique<Parts>(
          *this, tr("Precision as text"), tr("The precision as the command and graphs write it"))) {
}

PrecisionEditor::~PrecisionEditor() = default;

void PrecisionEditor::setNode(const NodeFacts& facts, const Json& precision) {
    parts_->setNode(facts, precision);
}

void PrecisionEditor::Parts::fill(QVBoxLayout* column) {
    QWidget* body = frame.fields();
    addPreset(column);
    auto* types =
        makeRows(value.types, [](auto& next, const auto& edited) { next.types = edited; });
    types->setObjectName("all");
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
    auto* owner = new QWidget(frame.fields());
    auto* box = named("preset", new ChoiceBox(owner));
    for (const std::string_view preset : memory::kPrecisionPresets) {
        const QString name =
            QString::fromUtf8(preset.data(), static_cast<qsizetype>(preset.size()));
        box->addItem(name, name);
    }
    box->showItem(QString::fromStdString(value.preset), QString::fromStdString(value.preset));
    addRow(makeForm(owner), PrecisionEditor::tr("Preset"), box);
    column->addWidget(owner);
    connect(box, &QComboBox::activated, &editor, [this, box](int index) {
        change([&](auto& next) { next.preset = box->itemData(index).toString().toStdString(); });
    });
}

void PrecisionEditor::Parts::addKept(QVBoxLayout* column) {
    auto* owner = new QWidget(frame.fields());
    auto* names = named("kept", new QLineEdit(owner));
    names->setPlaceholderText(PrecisionEditor::tr("parts of layer names"));
    names->setToolTip(PrecisionEditor::tr(
        "Layers whose names hold one of these are computed in f32; separate them by spaces."));
    QStringList kept;
    for (const std::string& name : value.keptF32) {
        kept << QString::fromStdString(name);
    }
    names->setText(kept.join(QLatin1Char(' ')));
    addRow(makeForm(owner), PrecisionEditor::tr("Keep in f32"), names);
    column->addWidget(owner);
    EditSession::watch(*names, [this, names] {
        static const QRegularExpression kBetween(QStringLiteral("[\\s,+]+"));
        change([&](auto& next) {
            next.keptF32.clear();
            for (const QString& name : names->text().split(kBetween, Qt::SkipEmptyParts)) {
                next.keptF32.push_back(name.toStdString());
            }
        });
        return true;
    });
}

void PrecisionEditor::Parts::addSwitches(QVBoxLayout* column) {
    QWidget* body = frame.fields();
    auto* open = named("switches", new QToolButton(body));
    open->setAutoRaise(true);
    open->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    open->setText(PrecisionEditor::tr("Switches"));
    auto* rows = new SwitchRows(value.switches, facts.plannedPrecision, body);
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
        change([&](auto& next) { next.switches = edited; });
    });
}

}  // namespace lowtide::ui
