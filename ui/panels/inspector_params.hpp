#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/panels/fold.hpp"
#include "ui/panels/inspector_row.hpp"

#include <QLabel>
#include <QVBoxLayout>
#include <QWidget>

#include <map>
#include <string>
#include <vector>

namespace lowtide::ui {

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

}  // namespace lowtide::ui
