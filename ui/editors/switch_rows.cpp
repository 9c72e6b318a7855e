#include "ui/editors/switch_rows.hpp"

#include "ui/editors/choice_box.hpp"
#include "ui/editors/rows.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <set>

namespace lowtide::ui {

namespace {

QString labelOf(memory::NumericSwitch each) {
    QString label = QString::fromUtf8(memory::nameOf(each).data(),
                                      static_cast<qsizetype>(memory::nameOf(each).size()));
    return moduleWord(label.replace(QLatin1Char('_'), QLatin1Char(' ')));
}

QString priceOf(memory::NumericSwitch each) {
    return moduleSentence(memory::costOf(each));
}

}  // namespace

QString plannedState(memory::NumericSwitch each, const Json& planned) {
    if (!planned.is_object()) {
        return {};
    }
    const std::string name(memory::nameOf(each));
    QStringList byRole;
    std::set<std::string> states;
    for (const auto& [role, precision] : planned.items()) {
        const auto switches = precision.is_object() ? precision.find("switches") : precision.end();
        if (!precision.is_object() || switches == precision.end() || !switches->is_object()) {
            continue;
        }
        const auto state = switches->find(name);
        if (state != switches->end() && state->is_string()) {
            states.insert(state->get<std::string>());
            byRole << titled(moduleWord(QString::fromStdString(role)),
                             moduleSentence(state->get<std::string>()));
        }
    }
    return states.size() == 1 ? moduleSentence(*states.begin()) : listed(byRole);
}

SwitchRows::SwitchRows(const std::map<memory::NumericSwitch, bool>& switches,
                       const Json& planned,
                       QWidget* parent)
    : QWidget(parent), switches_(switches) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(2));
    for (size_t i = 0; i < memory::kNumericSwitchCount; ++i) {
        addSwitch(static_cast<memory::NumericSwitch>(i), planned);
    }
}

void SwitchRows::addSwitch(memory::NumericSwitch each, const Json& planned) {
    const QString state = plannedState(each, planned);
    auto* part = new QWidget(this);
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
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
    row->addWidget(name);
    row->addStretch();
    row->addWidget(box);
    column->addLayout(row);
    const QString cost =
        state.isEmpty() ? priceOf(each) : tr("%1 (now: %2)").arg(priceOf(each), state);
    QLabel* note = makeNote(cost, "text.muted", part);
    note->setObjectName(QString::fromStdString("state." + std::string(memory::nameOf(each))));
    column->addWidget(note);
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
