#pragma once

#include "ui/editors/prompt_weight.hpp"
#include "ui/editors/value_editor.hpp"

class QLineEdit;
class QPlainTextEdit;

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

/// Several lines, a prompt mostly: Ctrl+Up and Ctrl+Down change the weight of the selection, as the
/// node reads weights; where it reads none, they say so.
class PromptEditor : public ValueEditor {
    Q_OBJECT

public:
    PromptEditor(const NodeDesc& node, const ParamDesc& param, QWidget* parent);

    void begin() override;
    void setBeside(std::function<Json()> params) override;

protected:
    void showValue() override;
    [[nodiscard]] QWidget* markedWidget() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void changeWeight(double change);
    void tellNoWeights();

    QPlainTextEdit* prompt_;
    std::optional<ParamDesc> weights_;  ///< of the node; nothing: its texts have no weights
    std::function<Json()> beside_;
};

/// The text of a value that should be one; other values as JSON.
[[nodiscard]] QString plainText(const Json& value);

}  // namespace lowtide::ui
