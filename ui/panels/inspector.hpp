#pragma once

#include "plugin/host_api/host.hpp"
#include "ui/bridge/node_status.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/panels/help_text.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QWidget>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::ui {

/// The help page of a node type: resources/help/<id>.md, or its description where there
/// is no page.
class InspectorHelp : public HelpText {
    Q_OBJECT

public:
    explicit InspectorHelp(QWidget* parent = nullptr);

    /// The folder of help pages.
    void setFolder(const QString& folder);
    void showNode(const NodeDesc& desc);

private:
    QString folder_;
};

/// What the inspector shows while nothing is selected: settings of the graph as a whole.
class InspectorGraph : public QWidget {
    Q_OBJECT

public:
    explicit InspectorGraph(GraphModel& model, QWidget* parent = nullptr);

    void setDevices(const std::vector<std::string>& devices);
    void refresh();
    /// What is typed was meant for another graph.
    void forgetTyped();

protected:
    /// Escape: what was typed gives way to the value before it.
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildRows();
    void connectRows();
    /// False: what is typed is no size.
    bool setBudget();
    void setDevice();

    GraphModel& model_;
    std::vector<std::string> devices_;  ///< that are offered
    QLineEdit* budget_;
    QLabel* budgetProblem_;
    QComboBox* device_;
    QComboBox* lowMemory_;
    QCheckBox* ownThreshold_;
    QSpinBox* threshold_;
    QCheckBox* exact_;
};

/// Values of what is selected: parameters, memory and precision of one node or of several of a
/// kind, settings of the graph while nothing is selected, and the help page as a second tab.
class Inspector : public QWidget {
    Q_OBJECT

public:
    /// All must outlive it; `offered` may be nullptr.
    Inspector(GraphModel& model,
              NodeStatuses& statuses,
              Planning& planning,
              const OfferedFiles* offered,
              QWidget* parent = nullptr);
    ~Inspector() override;

    /// "cpu", "cuda:0", "fake:8GiB": what the device choosers offer.
    void setDevices(const std::vector<std::string>& devices);
    /// The folder of help pages.
    void setHelpFolder(const QString& folder);
    void showNodes(const std::set<std::string>& nodes);
    /// The help page of what is selected.
    void showHelp();
    /// The values, with the focus in the editor of `param` where one is named; kMemoryItem opens
    /// the memory policy.
    void showValues(const std::string& param = {});
    /// Whether the memory policy is open at a node that has none of its own.
    void setOpensMemory(bool isOpen);
    /// Menus of parameters, policies and precisions offer varyAsked() from now on.
    void offerSheets();
    /// The node and parameter whose editor has the focus; empty: none.
    [[nodiscard]] std::pair<std::string, std::string> focused() const;

Q_SIGNALS:
    /// The user opened the memory policy, or folded it.
    void opensMemoryChanged(bool isOpen);
    /// A parameter, kMemoryItem or kPrecisionItem of the node in several runs, side by side.
    void varyAsked(const std::string& node, const std::string& item, bool areRows);

private:
    struct Parts;
    void rebuild();
    void take(const Delta& delta);
    void refreshHeader();
    std::unique_ptr<Parts> parts_;
};

}  // namespace lowtide::ui
