#pragma once

#include "plugin/base/units.hpp"

#include <QWidget>

#include <optional>

class QLabel;
class QLineEdit;
class QSlider;

namespace lowtide::ui {

/// Chooses the most bytes that a run may hold on its device: a slider in steps that grow with the
/// figure, without a bound at its right end, and a field for an exact one.
class BudgetSlider : public QWidget {
    Q_OBJECT

public:
    explicit BudgetSlider(QWidget* parent = nullptr);

    /// `largest`: what the device has; below `least` no run of this graph fits (0: unknown).
    void setRange(Bytes largest, Bytes least);
    /// Shows the budget without telling; empty: without a bound. What is being typed stays.
    void setBudget(std::optional<Bytes> budget);
    /// What is typed was meant for another graph.
    void forgetTyped();

    [[nodiscard]] std::optional<Bytes> budget() const { return budget_; }

Q_SIGNALS:
    /// Empty: without a bound. `isFinal` ends the gesture.
    void edited(std::optional<lowtide::Bytes> budget, bool isFinal);

protected:
    /// Escape: what was typed gives way to the value before it.
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] std::optional<Bytes> budgetAt(int step) const;
    [[nodiscard]] int stepOf(std::optional<Bytes> budget) const;
    void takeSlider(int step);
    /// False: it is no size.
    bool takeText();
    void showBudget();

    QSlider* slider_;
    QLineEdit* field_;
    QLabel* note_;
    Bytes largest_ = 8 * kGiB;
    Bytes least_ = 0;
    std::optional<Bytes> budget_;
    QString problem_;  ///< why what is typed is no budget
};

}  // namespace lowtide::ui
