#pragma once

#include "plugin/base/json.hpp"
#include "ui/editors/param_editor.hpp"

namespace lowtide::ui {

/// What all editors share: the value, which keeps what does not fit, and the mark with its reason.
class ValueEditor : public ParamEditor {
    Q_OBJECT

public:
    ValueEditor(const ParamDesc& param, QWidget* parent);

    void setValue(const Json& value) override;

    [[nodiscard]] Json value() const override { return value_; }

    void setProblem(const QString& problem) override;

protected:
    [[nodiscard]] const ParamDesc& param() const { return param_; }

    /// Paints or writes the value; emits nothing.
    virtual void showValue() = 0;

    /// The value is another: assistive technology is told.
    virtual void valueTold() {}

    /// The widget with the frame that is marked.
    [[nodiscard]] virtual QWidget* markedWidget() { return this; }

    /// Takes the value and tells it; a value that is refused is only marked. Returns whether it was
    /// taken.
    bool propose(const Json& value, bool isFinal);
    /// Ends a gesture with the value as it is, if something was told since the last end.
    void finish();
    /// Marks what was typed, which is not the value.
    void refuse(const QString& problem);
    /// Takes back refuse(): what is shown is the value again.
    void forgetTyping();
    /// The parameter's default as JSON.
    [[nodiscard]] Json defaultValue() const;

private:
    void mark();

    ParamDesc param_;
    Json value_;
    QString typingProblem_;
    QString outerProblem_;
    bool isUnfinished_ = false;
};

/// Marks a widget as wrong: the style paints its frame so. Empty: fine; `tooltip` is shown then.
void markProblem(QWidget& widget, const QString& problem, const QString& tooltip);

}  // namespace lowtide::ui
