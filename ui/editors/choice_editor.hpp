#pragma once

#include "ui/editors/value_editor.hpp"

namespace lowtide::ui {

class ChoiceBox;

/// One of a list, searchable where the list is long.
class ChoiceEditor : public ValueEditor {
    Q_OBJECT

public:
    ChoiceEditor(const ParamDesc& param, QWidget* parent);

    void begin() override;

protected:
    void showValue() override;
    [[nodiscard]] QWidget* markedWidget() override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    ChoiceBox* box_;
};

}  // namespace lowtide::ui
