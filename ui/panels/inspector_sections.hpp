#pragma once

#include "ui/bridge/planning.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/editors/memory_editor.hpp"
#include "ui/panels/panel_parts.hpp"

#include <QWidget>

#include <string>
#include <vector>

namespace lowtide::ui {

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

    /// A right click on a section offers varyAsked() from now on.
    void offerSheets() { offersSheets_ = true; }

Q_SIGNALS:
    /// `item`: kMemoryItem or kPrecisionItem.
    void varyAsked(const std::string& node, const std::string& item, bool areRows);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    [[nodiscard]] NodeFacts factsOf(const std::string& node) const;
    void setMemory(const Json& memory);
    void setPrecision(const Json& precision);

    GraphModel& model_;
    const Planning& planning_;
    std::vector<std::string> devices_;
    std::vector<std::string> nodes_;
    MemoryEditor* memoryEditor_;
    PrecisionEditor* precisionEditor_;
    Fold* memory_;
    Fold* precision_;
    bool offersSheets_ = false;
};

/// The part of a plan's "precision" that speaks of the node, by component; null: it says nothing.
[[nodiscard]] Json plannedPrecisionOf(const Json& plan, const std::string& node);

}  // namespace lowtide::ui
