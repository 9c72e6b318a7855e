#pragma once

#include "plugin/base/units.hpp"

#include <QWidget>

#include <optional>
#include <string>

class QLabel;
class QLineEdit;
class QSlider;

namespace lowtide::ui {

/// Chooses the most bytes that a run may hold on its devices: a slider for the run's own in steps
/// that grow with the figure, without a bound at its right end, and a field for exact sizes of any
/// ("cuda:0=20GiB,cpu=8GiB").
class BudgetSlider : public QWidget {
    Q_OBJECT

public:
    explicit BudgetSlider(QWidget* parent = nullptr);

    /// `largest`: what the device has; below `least` no run of this graph fits (0: unknown).
    void setRange(Bytes largest, Bytes least);
    /// Shows the budget without telling, as documents have it; empty: without a bound. `device`: id
    /// of the run's own. What is being typed stays.
    void setBudget(std::optional<std::string> stated, const std::string& device);
    /// What is typed was meant for another graph.
    void forgetTyped();

    [[nodiscard]] const std::optional<std::string>& stated() const { return stated_; }

    /// Of the run's own device.
    [[nodiscard]] std::optional<Bytes> budget() const;

Q_SIGNALS:
    /// Empty: without a bound. `isFinal` ends the gesture.
    void edited(const std::optional<std::string>& stated, bool isFinal);

protected:
    /// Escape: what was typed gives way to the value before it.
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] std::optional<Bytes> budgetAt(int step) const;
    [[nodiscard]] int stepOf(std::optional<Bytes> budget) const;
    void takeSlider(int step);
    /// False: it is not a budget.
    bool takeText();
    void showBudget();

    QSlider* slider_;
    QLineEdit* field_;
    QLabel* note_;
    Bytes largest_ = 8 * kGiB;
    Bytes least_ = 0;
    std::optional<std::string> stated_;
    std::string device_ = "cpu";
    QString problem_;  ///< why what is typed is not a budget
};

}  // namespace lowtide::ui
