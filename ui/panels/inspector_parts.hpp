#pragma once

#include "plugin/base/json.hpp"
#include "ui/bridge/node_status.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/editors/memory_editor.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/panels/panel_parts.hpp"

#include <QComboBox>
#include <QLabel>
#include <QPoint>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lowtide::ui {

/// The menu "varyMenu" of something that a sheet can vary; `act`: whether from row to row.
void showVaryMenu(QWidget& widget,
                  const QPoint& point,
                  const std::function<void(bool areRows)>& act);

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
/// the form shows it. A seed also shows what happens to it before a run.
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

/// The parameters that all of some nodes have: plain ones first, advanced ones folded away. An edit
/// sets the value in each of them, as one step.
class InspectorParams : public QWidget {
    Q_OBJECT

public:
    /// `model` and `statuses` must outlive it; `offered` too, it may be nullptr.
    InspectorParams(GraphModel& model,
                    NodeStatuses& statuses,
                    const OfferedFiles* offered,
                    QWidget* parent = nullptr);

    /// Rows offer varyAsked() from now on.
    void offerSheets() { offersSheets_ = true; }

    /// Known nodes of the graph, in the order in which they are named; the first one's values show.
    void setNodes(const std::vector<std::string>& nodes);
    /// Reads the values again.
    void refresh();
    /// The editor of a parameter gets the focus; an advanced one unfolds.
    void focusParam(const std::string& param);
    /// The parameter whose editor has the focus; empty: none.
    [[nodiscard]] std::string focusedParam() const;

Q_SIGNALS:
    void varyAsked(const std::string& node, const std::string& param, bool areRows);

private:
    void addRow(const NodeDesc& desc, const ParamDesc& param, QVBoxLayout& column);
    void connectRow(InspectorRow& row, const ParamDesc& param);
    [[nodiscard]] RowState stateOf(const ParamDesc& param) const;
    void setValue(const ParamDesc& param, const Json& value, bool isFinal);
    void reset(const ParamDesc& param);
    void expose(const ParamDesc& param, bool isExposed);
    void setMode(const ParamDesc& param, SeedMode mode);

    GraphModel& model_;
    NodeStatuses& statuses_;
    const OfferedFiles* offered_;
    std::vector<std::string> nodes_;
    QVBoxLayout* column_;
    QWidget* content_ = nullptr;
    Fold* advanced_ = nullptr;
    bool isAdvancedOpen_ = false;
    bool offersSheets_ = false;

    struct Shown {
        ParamDesc param;
        InspectorRow* row;
    };

    std::map<std::string, Shown> rows_;
};

/// Memory policy and precision of the selected nodes; hidden for nodes that run no network.
class InspectorSections : public QWidget {
    Q_OBJECT

public:
    /// All must outlive it.
    InspectorSections(GraphModel& model, const Planning& planning, QWidget* parent = nullptr);

    void setDevices(const std::vector<std::string>& devices);
    /// Known nodes of one type; others show nothing.
    void setNodes(const std::vector<std::string>& nodes);
    void refresh();

    /// Whether the memory policy is open at a node that has none of its own.
    void setOpensMemory(bool isOpen);

    void openMemory() { memory_->setOpen(true); }

    /// A right click on a section offers varyAsked() from now on.
    void offerSheets() { offersSheets_ = true; }

Q_SIGNALS:
    /// The user opened it, or folded it.
    void opensMemoryChanged(bool isOpen);
    /// `item`: kMemoryItem or kPrecisionItem.
    void varyAsked(const std::string& node, const std::string& item, bool areRows);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    [[nodiscard]] NodeFacts factsOf(const std::string& node) const;
    void set(const QString& step, Json graph::DocumentNode::*part, const Json& value);

    GraphModel& model_;
    const Planning& planning_;
    std::vector<std::string> devices_;
    std::vector<std::string> nodes_;
    MemoryEditor* memoryEditor_;
    PrecisionEditor* precisionEditor_;
    Fold* memory_;
    Fold* precision_;
    bool opensMemory_ = false;
    bool offersSheets_ = false;
};

/// The part of a plan's "precision" that concerns the node, by component; null: there is none.
[[nodiscard]] Json plannedPrecisionOf(const Json& plan, const std::string& node);

}  // namespace lowtide::ui
