#pragma once

#include "tests/unit/residency/synthetic_model.hpp"
#include "tests/unit/residency/test_devices.hpp"

#include <QString>
#include <QTemporaryDir>

#include <array>

namespace lowtide::testing {

/// Names of weight files that go with the test.
class WeightFolder {
public:
    [[nodiscard]] std::string newPath() {
        return folder_.filePath(QString("weights%1.safetensors").arg(++files_)).toStdString();
    }

private:
    QTemporaryDir folder_;
    int files_ = 0;
};

/// One synthetic model, one device, one engine, and what the ledger states of them.
struct Bench {
    Bench(const std::string& path,
          const QString& deviceName,
          FileLayout layout = {},
          residency::FakeSettings settings = {});

    [[nodiscard]] memory::PlanRequest request(const std::string& policy) const;
    [[nodiscard]] std::shared_ptr<const memory::Plan> plan(const std::string& policy) const;

    [[nodiscard]] memory::Ledger& ledger() { return residency->ledger(); }

    /// Bytes on the device, without the host's scratch for conversions, which a run makes when it
    /// first needs it.
    [[nodiscard]] Bytes total();
    [[nodiscard]] Bytes weights();
    [[nodiscard]] Bytes weightsOf(const memory::ComponentTree& tree);
    /// What the ledger must state while the whole component is there.
    [[nodiscard]] static Bytes expectedWeights(const memory::ComponentTree& tree);

    SyntheticModel model;
    memory::DeviceSpec device;
    std::unique_ptr<residency::Residency> residency;
};

/// A run of one node with one component.
class NodeRun {
public:
    NodeRun(Bench& bench,
            std::shared_ptr<const memory::ComponentTree> tree,
            const std::string& policy);
    ~NodeRun();
    NodeRun(const NodeRun&) = delete;
    NodeRun& operator=(const NodeRun&) = delete;

    void beginForward(const memory::ForwardHint& hint = {});
    /// Whether the leaf's weights are those of the file.
    [[nodiscard]] bool isRight(memory::LeafId leaf);
    /// The leaf's first weight, on the host.
    [[nodiscard]] at::Tensor read(memory::LeafId leaf);
    [[nodiscard]] bool forwardIsRight(const std::vector<memory::LeafId>& leaves,
                                      const memory::ForwardHint& hint = {});

private:
    Bench& bench_;
    std::shared_ptr<const memory::ComponentTree> tree_;
};

[[nodiscard]] std::shared_ptr<memory::ComponentTree> copyOf(
    const std::shared_ptr<const memory::ComponentTree>& tree, const char* id);
/// Whether the leaf's weights, leased now, are those of the file, on the node's device.
[[nodiscard]] bool isLikeHostWeight(residency::Residency& residency,
                                    const SyntheticModel& model,
                                    const memory::ComponentTree& tree,
                                    memory::LeafId leaf);
/// Leases every leaf of `tree` and compares every weight with its master.
void compareWithHostWeights(residency::Residency& residency,
                            const SyntheticModel& model,
                            const memory::ComponentTree& tree);
void compareWithHostWeights(Bench& bench, const memory::ComponentTree& tree);
/// A whole run in which every weight is compared.
void runAll(Bench& bench, const std::shared_ptr<const memory::Plan>& plan);

/// Host bytes that are pinned though no run uses them.
[[nodiscard]] Bytes pinnedIn(const residency::Residency& residency);

/// Whether this process maps a file of that name.
[[nodiscard]] bool isMapped(const std::string& fileName);

/// Policies that differ in what they do on a device.
inline constexpr std::array kPolicies = {"none",
                                         "model",
                                         "model+stream",
                                         "sequential",
                                         "block",
                                         "block+stream",
                                         "leaf",
                                         "leaf+stream",
                                         "leaf+stream,budget=150KiB",
                                         "auto"};

/// Rows of a test: columns "device" and "policy", or one of them alone.
void addDevicesAndPolicies();
void addStreamingPolicies();
void addDevices();

}  // namespace lowtide::testing
