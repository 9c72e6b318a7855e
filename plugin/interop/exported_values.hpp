#pragma once

#include "plugin/base/message.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/interop/class_table.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::interop {

/// Values of a class's inputs, and where they are not ours.
struct ExportedValues {
    std::map<std::string, Json> inputs;
    std::vector<Message> near;
    std::vector<Message> missing;
};

/// A value for messages: texts in quotes.
[[nodiscard]] std::string shownValue(const Json& value);
/// How a folder of models or of images has that file: no path of this machine.
[[nodiscard]] std::string fileNameThere(const std::string& path);

/// What the parameters of our nodes are in classes of ComfyUI. Both arguments must outlive it.
class ExportValues {
public:
    ExportValues(const graph::Snapshot& snapshot, const ClassTable& table);

    /// Of ExportRule::againNear.
    [[nodiscard]] bool holds(const Json& condition, const graph::SnapshotNode& ours) const;

    /// Whether the class may stand for the node: ExportRule::when.
    [[nodiscard]] bool applies(const ExportRule& rule, const graph::SnapshotNode& ours) const;

    /// Of all inputs of the class that are no wires. `names`: parameters that are read in place of
    /// those that the row names.
    [[nodiscard]] ExportedValues ofClass(const ClassRow& row,
                                         const graph::SnapshotNode& ours,
                                         const std::map<std::string, std::string>& names) const;

private:
    /// One node's parameters by the names of a row.
    struct Source {
        const graph::SnapshotNode& ours;
        const std::map<std::string, std::string>& names;
        ExportedValues& values;
    };

    [[nodiscard]] std::map<std::string, Json> knownValues(const graph::SnapshotNode& ours) const;
    void takeParams(const ClassRow& row, const Source& source) const;
    [[nodiscard]] std::optional<Json> from(const Json& spec, const Source& source) const;
    [[nodiscard]] std::optional<Json> mapped(const Json& spec, const Source& source) const;
    [[nodiscard]] std::optional<Json> expressed(const Json& spec, const Source& source) const;
    [[nodiscard]] std::optional<Json> paramValue(const std::string& name,
                                                 const Source& source) const;

    std::string family_;  ///< of the models; empty: none is known by their names
    bool skipsLayer_ = false;
};

}  // namespace lowtide::interop
