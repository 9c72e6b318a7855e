#pragma once

#include "plugin/memory/policy.hpp"

#include <QWidget>

#include <functional>
#include <string>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace lowtide::ui {

class ChoiceBox;

/// The fields of one policy. What it cannot have is grey and says why.
class PolicyRows : public QWidget {
    Q_OBJECT

public:
    PolicyRows(const std::vector<std::string>& devices, QWidget* parent);

    void setPolicy(const memory::Policy& policy);

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

}  // namespace lowtide::ui
