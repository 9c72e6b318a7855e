#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/memory/precision.hpp"

#include <QWidget>

#include <map>

class QFormLayout;

namespace lowtide::ui {

class ChoiceBox;

/// The types in which weights are stored and computed with; what is not stated is as the preset
/// has it.
class TypeRows : public QWidget {
    Q_OBJECT

public:
    explicit TypeRows(QWidget* parent);

    void setTypes(const memory::PrecisionTypes& types);

Q_SIGNALS:
    void edited(const lowtide::memory::PrecisionTypes& types);

private:
    memory::PrecisionTypes types_;
    ChoiceBox* storage_;
    ChoiceBox* compute_;
};

/// Each numeric switch with what it costs: as the preset has it, on or off. `planned` is
/// NodeFacts::plannedPrecision: what the plan made of each, by component.
class SwitchRows : public QWidget {
    Q_OBJECT

public:
    SwitchRows(const std::map<memory::NumericSwitch, bool>& switches,
               const Json& planned,
               QWidget* parent);

Q_SIGNALS:
    void edited(const std::map<lowtide::memory::NumericSwitch, bool>& switches);

private:
    void addSwitch(memory::NumericSwitch each, const Json& planned);

    std::map<memory::NumericSwitch, bool> switches_;
};

/// What the plan made of a switch: "on", "off", "not applicable here", or each component's state
/// where they differ; empty: not planned.
[[nodiscard]] QString plannedState(memory::NumericSwitch each, const Json& planned);

}  // namespace lowtide::ui
