#include "ui/studio/action_table.hpp"

#include "ui/studio/action_rows.hpp"

namespace lowtide::ui {

std::vector<ActionDesc> actionTable() {
    std::vector<ActionDesc> table;
    for (const auto rows : {fileRows, editRows, nodeRows, runRows, viewRows, panelRows, helpRows}) {
        const std::span<const ActionDesc> part = rows();
        table.insert(table.end(), part.begin(), part.end());
    }
    return table;
}

}  // namespace lowtide::ui
