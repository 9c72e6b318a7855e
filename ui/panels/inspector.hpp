#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/editors/param_editor.hpp"

#include <QWidget>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::ui {

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
    /// The values, with the focus in the editor of `param`, where one is named.
    void showValues(const std::string& param = {});
    /// Menus of parameters, policies and precisions offer varyAsked() from now on.
    void offerSheets();
    /// The node and parameter whose editor has the focus; empty: none.
    [[nodiscard]] std::pair<std::string, std::string> focused() const;

Q_SIGNALS:
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
