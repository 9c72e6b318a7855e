#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"

#include <QComboBox>
#include <QString>
#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QSlider;

namespace lowtide::ui {

/// As documents have it: "6GiB", "1536MiB", "4097".
[[nodiscard]] std::string budgetText(Bytes bytes);
/// Why a text is not a budget, in a sentence; empty where it is one, or where the text is empty.
[[nodiscard]] QString budgetProblem(const QString& text);
/// What a document states for `text` that has no problem; empty: nothing.
[[nodiscard]] std::optional<std::string> statedBudget(const QString& text);
/// What is stated of the run's device; empty: nothing, or it cannot be read.
[[nodiscard]] std::optional<Bytes> budgetOf(const std::string& stated, const std::string& device);
/// `stated` with another size of one device, of which `bound` was stated by name or, of the run's
/// own, without one; what it states of others is kept.
[[nodiscard]] std::string withBudget(const std::string& stated,
                                     const std::string& device,
                                     Bytes bound,
                                     Bytes size);
/// The next figure above that a user would write: steps of a sixteenth of its power of two.
[[nodiscard]] Bytes roundedUp(Bytes bytes);

/// Chooses the most bytes that a run may hold on its devices: a slider for the run's own in steps
/// that grow with the figure, without a bound at its right end, and a field for exact sizes of any
/// ("cuda:0=20GiB,cpu=8GiB").
class BudgetSlider : public QWidget {
    Q_OBJECT

public:
    explicit BudgetSlider(QWidget* parent = nullptr);

    /// `largest`: what the device has; below `least` no run of this graph fits (0: unknown).
    void setRange(Bytes largest, Bytes least);
    /// Shows the budget without a signal, as documents have it; empty: without a bound.
    /// `device`: id of the run's own. What is being typed is kept.
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

/// The device of the run: those of this machine, and cards of five sizes to rehearse on, which are
/// simulated in host memory. Apart from them, cards that need not be there, to plan for and not to
/// run on.
class DeviceChooser : public QComboBox {
    Q_OBJECT

public:
    explicit DeviceChooser(QWidget* parent = nullptr);

    /// List of Runner::devices.
    void setDevices(const Json& devices);
    /// "cards" of Runner::devices.
    void setCards(const Json& cards);
    /// The card that is planned for; empty: none, the device shows.
    void setCard(const std::string& name);
    /// As the graph has it: "cpu", "fake:8GiB"; empty: not stated. One that is not offered is
    /// added.
    void setDevice(const std::optional<std::string>& device);

Q_SIGNALS:
    /// Empty: the module's own choice, the CPU.
    void chosen(const std::optional<std::string>& device);
    /// A card to plan for; empty: none any more, before chosen().
    void cardChosen(const std::string& name);

private:
    struct Offered {
        std::string id;
        QString name;
        Bytes capacity = 0;

        bool operator==(const Offered&) const = default;
    };

    void fill();
    void add(const QString& label, const std::string& device);

    void take(int index);

    std::vector<Offered> offered_;
    std::vector<Offered> cards_;  ///< by name
    std::optional<std::string> device_;
    std::string card_;
};

}  // namespace lowtide::ui
