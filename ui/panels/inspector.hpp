#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/editors/param_editor.hpp"

#include <QWidget>

#include <memory>
#include <set>
#include <string>
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

private:
    struct Parts;
    void rebuild();
    void take(const Delta& delta);
    void refreshHeader();
    std::unique_ptr<Parts> parts_;
};

}  // namespace lowtide::ui
