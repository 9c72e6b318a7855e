#pragma once

#include "ui/bridge/sheet_plan.hpp"
#include "ui/panels/sheet_items.hpp"

#include <QDialog>
#include <QTimer>
#include <QWidget>

#include <optional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;

namespace lowtide::ui {

class ChoiceBox;

/// Asks what differs along one side of a sheet: of which node, and its values.
class AxisEditor : public QWidget {
    Q_OBJECT

public:
    /// All must outlive it; `offered` may be nullptr. `mayBeNone`: a sheet can do without it.
    AxisEditor(const graph::Document& document,
               const graph::Catalog& catalog,
               const std::vector<SheetItem>& items,
               const OfferedFiles* offered,
               bool mayBeNone,
               QWidget* parent = nullptr);

    /// -1: nothing. The values are those that were suggested for it, or that it had last.
    void choose(int item);
    [[nodiscard]] int chosen() const;
    /// What was typed and ticked, to be put into another editor; both must have been built alike.
    void swapWith(AxisEditor& other);

    /// nullopt: nothing is chosen, or problem() states why it cannot be.
    [[nodiscard]] std::optional<SheetAxis> axis() const;
    [[nodiscard]] QString problem() const;
    /// The field with the values.
    void focusValues();

Q_SIGNALS:
    void changed();

private:
    struct Typed {
        QString numbers;
        QString texts;
        bool areWords = false;
        std::vector<SheetChoice> choices;
        QString others;
        bool isFilled = false;
    };

    void build(bool mayBeNone);
    QWidget* makeNumbers();
    QWidget* makeTicks();
    QWidget* makeTexts();
    void fill();
    void keep();
    void showTyped(const Typed& typed);
    void addFiles();
    [[nodiscard]] std::vector<SheetValue> values() const;
    [[nodiscard]] std::vector<SheetValue> tickedValues() const;
    [[nodiscard]] std::vector<SheetValue> textValues() const;
    void emitChanged();

    const graph::Document& document_;
    const graph::Catalog& catalog_;
    const std::vector<SheetItem>& items_;
    const OfferedFiles* offered_;
    std::vector<Typed> typed_;  ///< by item
    int shown_ = -1;            ///< the item whose values are shown
    ChoiceBox* item_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QLineEdit* numbers_ = nullptr;
    QListWidget* ticks_ = nullptr;
    QLineEdit* others_ = nullptr;
    QPushButton* files_ = nullptr;
    QComboBox* way_ = nullptr;
    QPlainTextEdit* texts_ = nullptr;
    QLabel* message_ = nullptr;  ///< how many values, or what is wrong
    QString problem_;
    std::optional<SheetAxis> axis_;
};

/// What a sheet begins with.
struct SheetRequest {
    std::string node;  ///< empty: the steps of the first node that has some
    std::string item;
    bool areRows = false;
};

/// Asks which parameters a sheet varies, and reports before it starts how many images that makes
/// and how long they take.
class SheetDialog : public QDialog {
    Q_OBJECT

public:
    /// All must outlive it; `offered` may be nullptr. `background` plans the runs, and may go on
    /// for a while when the dialog is gone, with `catalog` and `runner`. `options`: those of plans.
    SheetDialog(const graph::Document& document,
                const graph::Catalog& catalog,
                const OfferedFiles* offered,
                Runner& runner,
                Background& background,
                const Json& options,
                QWidget* parent);

    void preselect(const SheetRequest& request);
    /// What accept() stands for.
    [[nodiscard]] SheetPlan plan() const;

private:
    void build();
    void swap();
    void take();
    void forecast();
    [[nodiscard]] std::optional<SheetPlan> planNow() const;
    [[nodiscard]] QString refusal() const;
    [[nodiscard]] QString countText(const SheetPlan& plan) const;
    [[nodiscard]] QString timeText(const SheetForecast& forecast) const;
    [[nodiscard]] QString seedText() const;
    [[nodiscard]] bool savesImages() const;
    [[nodiscard]] int indexOf(const std::string& node, const std::string& item) const;

    const graph::Document document_;
    const graph::Catalog& catalog_;
    const std::vector<SheetItem> items_;
    const Json options_;
    AxisEditor* x_;
    AxisEditor* y_;
    QCheckBox* measured_ = nullptr;
    QLabel* count_ = nullptr;
    QLabel* time_ = nullptr;
    QLabel* seeds_ = nullptr;
    QPushButton* run_ = nullptr;
    QTimer rest_;
    SheetEstimate estimate_;
};

}  // namespace lowtide::ui
