#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/host.hpp"

#include <QWidget>

#include <memory>
#include <string>
#include <vector>

namespace lowtide::ui {

/// What the editors of memory and precision need of the node and the run.
struct NodeFacts {
    const NodeDesc* desc = nullptr;
    std::vector<std::string> devices;  ///< "cpu", "cuda:0", "fake:8GiB"
    Json plannedPrecision;             ///< by role, from the plan; null: not planned
    std::string stepCache;             ///< label of the cache that feeds it; empty: none
};

/// Edits a node's memory policy and that of each component: the policy, stream, blocks per group,
/// budget, after, pinned memory, device. What cannot be chosen is grey, and states why.
class MemoryEditor : public QWidget {
    Q_OBJECT

public:
    explicit MemoryEditor(QWidget* parent = nullptr);
    ~MemoryEditor() override;
    void setNode(const NodeFacts& facts, const Json& memory);

Q_SIGNALS:
    /// As DocumentNode::memory has it; null: nothing is stated.
    void edited(const lowtide::Json& memory);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// Edits a node's precision: preset, storage, compute, layers kept in f32, each switch with what it
/// costs; a switch without effect on this device reads "not applicable here".
class PrecisionEditor : public QWidget {
    Q_OBJECT

public:
    explicit PrecisionEditor(QWidget* parent = nullptr);
    ~PrecisionEditor() override;
    void setNode(const NodeFacts& facts, const Json& precision);

Q_SIGNALS:
    void edited(const lowtide::Json& precision);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace lowtide::ui
