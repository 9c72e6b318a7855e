#pragma once

#include "tests/unit/residency/synthetic_model.hpp"
#include "tests/unit/residency/test_devices.hpp"

#include <QString>
#include <QTemporaryDir>

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

/// One synthetic model, one device, one engine, and what the ledger says of them.
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
    /// What the ledger must say while the whole component is there.
    [[nodiscard]] static Bytes expectedWeights(const memory::ComponentTree& tree);

    SyntheticModel model;
    memory::DeviceSpec device;
    std::unique_ptr<residency::Residency> residency;
};

/// Leases every leaf of `tree` and compares every weight with its master.
void compareWithMasters(Bench& bench, const memory::ComponentTree& tree);
/// A whole run in which every weight is compared.
void runAll(Bench& bench, const std::shared_ptr<const memory::Plan>& plan);

/// Rows of a test: columns "device" and "policy", or "device" alone.
void addDevicesAndPolicies();
void addDevices();

}  // namespace lowtide::testing
