#pragma once

#include "ui/bridge/sheet_plan.hpp"
#include "ui/panels/axis_editor.hpp"

#include <QDialog>
#include <QTimer>

class QCheckBox;
class QLabel;
class QPushButton;

namespace lowtide::ui {

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
