#include "ui/editors/memory_rows.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/combinations.hpp"
#include "plugin/memory/planner.hpp"
#include "plugin/memory/policy.hpp"
#include "ui/editors/choice_editor.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/editors/rows.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QCheckBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QString>

#include <set>

namespace lowtide::ui {

namespace {

// What a policy cannot be, with the sentence that a user sees: memory::judge asked about choices
// that were not made yet.

/// Asks about the policy with nothing else that could be refused.
memory::Policy bare(const memory::Policy& policy) {
    memory::Policy bare;
    bare.name = policy.name;
    return bare;
}

QString refusalOf(const memory::Policy& policy) {
    const memory::Judgement judgement = memory::judge({.policy = policy});
    if (judgement.verdict != memory::Verdict::Refused) {
        return {};
    }
    return joinedSentences(
        moduleSentence(judgement.reasons.front()), moduleSentence(judgement.hint), "; ");
}

/// Why the policy cannot stream, take a budget, or keep its component; empty: it can.
QString streamRefusal(memory::Policy policy) {
    policy = bare(policy);
    policy.stream = true;
    return refusalOf(policy);
}

QString budgetRefusal(memory::Policy policy) {
    policy = bare(policy);
    policy.budget = kGiB;
    return refusalOf(policy);
}

QString keepRefusal(memory::Policy policy) {
    policy = bare(policy);
    policy.after = memory::After::Keep;
    return refusalOf(policy);
}

/// The policy without the choices that its name refuses.
memory::Policy withoutRefused(memory::Policy policy) {
    policy.stream = policy.stream && streamRefusal(policy).isEmpty();
    if (!budgetRefusal(policy).isEmpty()) {
        policy.budget.reset();
    }
    if (policy.after == memory::After::Keep && !keepRefusal(policy).isEmpty()) {
        policy.after = memory::After::Evict;
    }
    if (policy.name != "block") {
        policy.blocksPerGroup = 1;
    }
    return policy;
}

constexpr const char* kFile = "file";

QString shownName(const std::optional<DType>& type) {
    return type ? QString::fromStdString(memory::shortNameOf(*type)) : QString();
}

std::optional<DType> typeOf(const QString& name) {
    for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::F8E4M3}) {
        if (name == shownName(type)) {
            return type;
        }
    }
    return std::nullopt;
}

void addType(ChoiceBox& box, DType type) {
    box.addItem(shownName(type), shownName(type));
}

QString labelOf(memory::NumericSwitch each) {
    QString label = QString::fromUtf8(memory::nameOf(each).data(),
                                      static_cast<qsizetype>(memory::nameOf(each).size()));
    return moduleWord(label.replace(QLatin1Char('_'), QLatin1Char(' ')));
}

QString priceOf(memory::NumericSwitch each) {
    return moduleSentence(memory::costOf(each));
}

}  // namespace

PolicyRows::PolicyRows(const std::vector<std::string>& devices, QWidget* parent)
    : QWidget(parent),
      devices_(devices),
      name_(named("policy", new ChoiceBox(this))),
      summary_(makeNote(QString(), "text.muted", this)),
      stream_(named("stream", new QCheckBox(tr("Copy the next group ahead"), this))),
      blocks_(named("blocks", new QSpinBox(this))),
      budget_(named("budget", new QLineEdit(this))),
      after_(named("after", new ChoiceBox(this))),
      pin_(named("pin", new QLineEdit(this))),
      device_(named("device", new ChoiceBox(this))) {
    for (const memory::PlannerType& type : memory::planners()) {
        name_->addItem(QString::fromStdString(type.name), QString::fromStdString(type.name));
        name_->setItemData(name_->count() - 1, moduleSentence(type.summary), Qt::ToolTipRole);
    }
    after_->addItem(tr("off the device"), static_cast<int>(memory::After::Evict));
    after_->addItem(tr("unload, also from RAM"), static_cast<int>(memory::After::Drop));
    after_->addItem(tr("keep for the next run"), static_cast<int>(memory::After::Keep));
    stream_->setMinimumHeight(Theme::current().size("control"));
    blocks_->setRange(1, 1000);
    blocks_->setFocusPolicy(Qt::StrongFocus);
    budget_->setPlaceholderText(tr("none of its own"));
    pin_->setPlaceholderText(tr("no limit stated"));
    fillDevices();
    addFields();
    setValue(memory::Policy());
}

void PolicyRows::fillDevices() {
    device_->addItem(tr("the run's device"), QString());
    for (const std::string& device : devices_) {
        device_->addItem(deviceText(device), QString::fromStdString(device));
    }
    device_->setToolTip(tr("Another kind of device may change pixels."));
}

void PolicyRows::addFields() {
    QFormLayout* form = makeForm(this);
    addRow(form, tr("Policy"), name_);
    form->addRow(summary_);
    addRow(form, tr("Stream"), stream_);
    addRow(form, tr("Blocks a group"), blocks_);
    addRow(form, tr("Budget"), budget_);
    addRow(form, tr("After last use"), after_);
    addRow(form, tr("Pinned RAM"), pin_);
    addRow(form, tr("Device"), device_);
    connect(name_, &QComboBox::activated, this, [this](int index) {
        const std::string name = name_->itemData(index).toString().toStdString();
        change([&](memory::Policy& policy) {
            policy.name = name;
            policy = withoutRefused(policy);
        });
    });
    connect(stream_, &QCheckBox::clicked, this, [this](bool isOn) {
        change([&](memory::Policy& policy) { policy.stream = isOn; });
    });
    connect(blocks_, &QSpinBox::valueChanged, this, [this](int count) {
        change([&](memory::Policy& policy) { policy.blocksPerGroup = count; });
    });
    EditSession::watch(*budget_, [this] { return takeSize(*budget_, &memory::Policy::budget, 1); });
    EditSession::watch(*pin_, [this] { return takeSize(*pin_, &memory::Policy::pinCap, 0); });
    connect(after_, &QComboBox::activated, this, [this](int index) {
        const auto after = static_cast<memory::After>(after_->itemData(index).toInt());
        change([&](memory::Policy& policy) { policy.after = after; });
    });
    connect(device_, &QComboBox::activated, this, [this](int index) {
        const std::string device = device_->itemData(index).toString().toStdString();
        change([&](memory::Policy& policy) {
            policy.device =
                device.empty() ? std::nullopt : std::optional(memory::parseDeviceSpec(device));
        });
    });
}

bool PolicyRows::takeSize(QLineEdit& field,
                          std::optional<Bytes> memory::Policy::*size,
                          Bytes least) {
    const QString text = field.text().trimmed();
    const std::optional<Bytes> typed = parseBytes(text.toStdString());
    if (!text.isEmpty() && (!typed || *typed < least)) {
        // What was typed is kept, so that it can be fixed.
        markProblem(field,
                    tr("\"%1\" is no size; write 6 GiB, 512 MiB or a number of bytes.").arg(text),
                    {});
        return false;
    }
    markProblem(field, {}, {});
    change([&](memory::Policy& policy) { policy.*size = text.isEmpty() ? std::nullopt : typed; });
    return true;
}

void PolicyRows::change(const std::function<void(memory::Policy&)>& edit) {
    memory::Policy next = policy_;
    edit(next);
    if (next == policy_) {
        return;
    }
    policy_ = next;
    showPolicy();
    Q_EMIT edited(policy_);
}

void PolicyRows::setValue(const memory::Policy& policy) {
    policy_ = policy;
    markProblem(*budget_, {}, {});
    markProblem(*pin_, {}, {});
    showPolicy();
}

void PolicyRows::showPolicy() {
    const QString name = QString::fromStdString(policy_.name);
    name_->showItem(name, name);
    const memory::PlannerType* type = memory::findPlanner(policy_.name);
    summary_->setText(type ? moduleSentence(type->summary) : QString());
    stream_->setChecked(policy_.stream);
    setRefused(
        *stream_, streamRefusal(policy_), tr("The next group is copied while this one computes."));
    const QSignalBlocker silent(blocks_);
    EditSession::showUnlessTyped(*blocks_, policy_.blocksPerGroup);
    setRefused(
        *blocks_,
        policy_.name == "block" ? QString() : tr("Only the policy \"block\" has groups of blocks."),
        tr("How many blocks move together."));
    EditSession::showUnlessTyped(*budget_,
                                 policy_.budget ? wholeBytesText(*policy_.budget) : QString());
    setRefused(*budget_,
               budgetRefusal(policy_),
               tr("Device memory that this node may fill with resident weights, such as 6 GiB."));
    EditSession::showUnlessTyped(*pin_,
                                 policy_.pinCap ? wholeBytesText(*policy_.pinCap) : QString());
    pin_->setToolTip(tr("The most pinned RAM for copies to the device, such as 2 GiB."));
    after_->setRefusal(2, keepRefusal(policy_));
    after_->showItem(static_cast<int>(policy_.after), QString());
    const QString device =
        policy_.device ? QString::fromStdString(memory::toText(*policy_.device)) : QString();
    device_->showItem(device, deviceText(device.toStdString()));
}

TypeRows::TypeRows(QWidget* parent)
    : QWidget(parent),
      storage_(named("storage", new ChoiceBox(this))),
      compute_(named("compute", new ChoiceBox(this))) {
    storage_->addItem(tr("as in the preset"), QString());
    storage_->addItem(tr("as in the file"), QString(kFile));
    for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::F8E4M3}) {
        addType(*storage_, type);
    }
    compute_->addItem(tr("as in the preset"), QString());
    for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
        addType(*compute_, type);
    }
    storage_->setToolTip(tr("The type of weights on the device"));
    compute_->setToolTip(tr("The type in which the network computes"));
    QFormLayout* form = makeForm(this);
    addRow(form, tr("Storage"), storage_);
    addRow(form, tr("Compute"), compute_);
    connect(storage_, &QComboBox::activated, this, [this](int index) {
        const QString chosen = storage_->itemData(index).toString();
        types_.storesAsInFile = chosen == kFile;
        types_.storage = types_.storesAsInFile ? std::nullopt : typeOf(chosen);
        Q_EMIT edited(types_);
    });
    connect(compute_, &QComboBox::activated, this, [this](int index) {
        types_.compute = typeOf(compute_->itemData(index).toString());
        Q_EMIT edited(types_);
    });
}

void TypeRows::setValue(const memory::PrecisionTypes& types) {
    types_ = types;
    const QString storage = types.storesAsInFile ? QString(kFile) : shownName(types.storage);
    storage_->showItem(storage, storage);
    compute_->showItem(shownName(types.compute), shownName(types.compute));
}

QString plannedState(memory::NumericSwitch each, const Json& planned) {
    if (!planned.is_object()) {
        return {};
    }
    const std::string name(memory::nameOf(each));
    QStringList byRole;
    std::set<QString> states;
    for (const auto& [role, precision] : planned.items()) {
        const auto switches = precision.is_object() ? precision.find("switches") : precision.end();
        if (!precision.is_object() || switches == precision.end() || !switches->is_object()) {
            continue;
        }
        const auto state = switches->find(name);
        if (state != switches->end() && state->is_string()) {
            const QString message = moduleWord(QString::fromStdString(state->get<std::string>()));
            states.insert(message);
            byRole << titled(moduleWord(QString::fromStdString(role)), message);
        }
    }
    return states.size() == 1 ? *states.begin() : listed(byRole);
}

SwitchRows::SwitchRows(const std::map<memory::NumericSwitch, bool>& switches,
                       const Json& planned,
                       QWidget* parent)
    : QWidget(parent), switches_(switches) {
    columnIn(this, 2, {});
    for (size_t i = 0; i < memory::kNumericSwitchCount; ++i) {
        addSwitch(static_cast<memory::NumericSwitch>(i), planned);
    }
}

void SwitchRows::addSwitch(memory::NumericSwitch each, const Json& planned) {
    const QString state = plannedState(each, planned);
    auto* part = new QWidget(this);
    auto* name = new QLabel(labelOf(each), part);
    auto* box = new ChoiceBox(part);
    box->setObjectName(QString::fromStdString("switch." + std::string(memory::nameOf(each))));
    box->addItem(tr("preset"), QString());
    box->addItem(tr("on"), true);
    box->addItem(tr("off"), false);
    box->setFixedWidth(Theme::space(22));
    box->setAccessibleName(labelOf(each));
    const auto own = switches_.find(each);
    box->setCurrentIndex(own == switches_.end() ? 0 : own->second ? 1 : 2);
    const QString cost =
        state.isEmpty() ? priceOf(each) : tr("%1 (now: %2)").arg(priceOf(each), state);
    QLabel* note = makeNote(cost, "text.muted", part);
    note->setObjectName(QString::fromStdString("state." + std::string(memory::nameOf(each))));
    columnIn(part, 0, {rowOf(0, {name, Cell::spring(0), box}), note});
    layout()->addWidget(part);
    connect(box, &QComboBox::activated, this, [this, each](int index) {
        switches_.erase(each);
        if (index > 0) {
            switches_[each] = index == 1;
        }
        Q_EMIT edited(switches_);
    });
}

}  // namespace lowtide::ui
