#pragma once

#include "ui/access/spoken.hpp"
#include "ui/editors/param_editor.hpp"

namespace lowtide::ui {

/// On or off, painted: the position of the knob and a check mark show it, not the colour alone.
class SwitchEditor : public ParamEditor, public Spoken {
    Q_OBJECT

public:
    SwitchEditor(const ParamDesc& param, QWidget* parent);

    void begin() override;
    [[nodiscard]] QSize sizeHint() const override;

    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

    [[nodiscard]] QAccessible::Role spokenRole() const override { return QAccessible::CheckBox; }

    [[nodiscard]] QString spokenText() const override { return {}; }

    void addSpokenState(QAccessible::State& state) const override;
    [[nodiscard]] QStringList spokenActions() const override;
    void act(const QString& action) override;

protected:
    void showValue() override { update(); }

    void valueReported() override;

    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

    void mousePressEvent(QMouseEvent*) override {}  // taken, so that the release comes here

    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] bool isOn() const { return value().is_boolean() && value().get<bool>(); }

    void toggle();
};

}  // namespace lowtide::ui
