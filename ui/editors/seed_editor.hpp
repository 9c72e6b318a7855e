#pragma once

#include "ui/editors/value_editor.hpp"

namespace lowtide::ui {

class NumberField;

/// A 64-bit seed, whole, and a die that throws another one. Whether a run throws it is a fact of
/// the node (seedModeOf), which the inspector shows.
class SeedEditor : public ValueEditor {
    Q_OBJECT

public:
    SeedEditor(const ParamDesc& param, QWidget* parent);

    void begin() override;
    void setProblem(const QString& problem) override;

protected:
    void showValue() override;

private:
    void throwDie();

    NumberField* number_;
};

}  // namespace lowtide::ui
