#pragma once

#include "ui/editors/value_editor.hpp"

class QLineEdit;

namespace lowtide::ui {

/// One line of text.
class LineEditor : public ValueEditor {
    Q_OBJECT

public:
    LineEditor(const ParamDesc& param, QWidget* parent);

    void begin() override;

protected:
    void showValue() override;
    [[nodiscard]] QWidget* markedWidget() override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QLineEdit* line_;
};

/// The text of a value that should be one; other values as JSON.
[[nodiscard]] QString plainText(const Json& value);

}  // namespace lowtide::ui
