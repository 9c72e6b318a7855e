#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/memory/precision.hpp"

#include <QWidget>

#include <functional>
#include <map>
#include <string>
#include <vector>

class QCheckBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace lowtide::ui {

class ChoiceBox;

/// The fields of one policy. What it cannot have is grey and states why.
class PolicyRows : public QWidget {
    Q_OBJECT

public:
    PolicyRows(const std::vector<std::string>& devices, QWidget* parent);

    void setValue(const memory::Policy& policy);

Q_SIGNALS:
    void edited(const lowtide::memory::Policy& policy);

private:
    void change(const std::function<void(memory::Policy&)>& edit);
    void addFields();
    void fillDevices();
    /// False: it is no size.
    bool takeSize(QLineEdit& field, std::optional<Bytes> memory::Policy::*size, Bytes least);
    void showPolicy();

    memory::Policy policy_;
    std::vector<std::string> devices_;
    ChoiceBox* name_;
    QLabel* summary_;
    QCheckBox* stream_;
    QSpinBox* blocks_;
    QLineEdit* budget_;
    ChoiceBox* after_;
    QLineEdit* pin_;
    ChoiceBox* device_;
};

/// The types in which weights are stored and computed with; what is not stated is as the preset
/// has it.
class TypeRows : public QWidget {
    Q_OBJECT

public:
    explicit TypeRows(QWidget* parent);

    void setValue(const memory::PrecisionTypes& types);

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
