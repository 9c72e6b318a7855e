#pragma once

#include "plugin/base/json.hpp"
#include "ui/document/edits.hpp"
#include "ui/editors/param_editor.hpp"

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <QWidget>

namespace lowtide::ui {

/// What a row shows of its parameter.
struct RowState {
    Json value;
    bool isMixed = false;    ///< the selected nodes have different values
    bool isDefault = false;  ///< nothing to reset
    bool isExposed = false;
    SeedMode seedMode = SeedMode::Keep;
    QString problem;  ///< empty: fine
};

/// One parameter in the inspector: its name, its editor, the way back to the default, and whether
/// the form shows it. A seed also says what happens to it before a run.
class InspectorRow : public QWidget {
    Q_OBJECT

public:
    InspectorRow(const NodeDesc& node,
                 const ParamDesc& param,
                 const OfferedFiles* offered,
                 QWidget* parent = nullptr);

    void setState(const RowState& state);

    [[nodiscard]] ParamEditor& editor() { return *editor_; }

    /// A right click offers varyAsked() from now on.
    void offerSheets() { offersSheets_ = true; }

Q_SIGNALS:
    void edited(const lowtide::Json& value, bool isFinal);
    void resetAsked();
    void exposeAsked(bool isExposed);
    void seedModeChosen(lowtide::ui::SeedMode mode);
    /// In several runs, from row to row or from column to column.
    void varyAsked(bool areRows);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void buildSeedMode();
    void arrange(bool isTall);

    QString label_;
    QLabel* name_;
    QLabel* mixed_;
    ParamEditor* editor_;
    QComboBox* seedMode_ = nullptr;
    QToolButton* reset_;
    QToolButton* expose_;
    bool offersSheets_ = false;
};

}  // namespace lowtide::ui
