// Weights on a real GPU under every policy, with copies that come late and evicted bytes that are
// spoiled: tests 21 to 24 of the list of sharp tests, below the networks.
#include "tests/fixtures/test_program.hpp"
#include "tests/gpu/gpu.hpp"
#include "tests/unit/residency/engine_bench.hpp"

namespace cuda_engine_test {

using namespace lowtide;
using testing::SyntheticModel;

namespace {

class SettledGpu final : public residency::DeviceSource {
public:
    explicit SettledGpu(const residency::CudaSettings& settings) : settings_(settings) {}

    std::unique_ptr<residency::Device> open(const memory::DeviceSpec& spec) override {
        return testing::gpus()->open(spec.index, settings_);
    }

    std::vector<memory::DeviceInfo> available() override { return {}; }

private:
    residency::CudaSettings settings_;
};

const memory::DeviceSpec kGpu{.kind = "cuda"};

}  // namespace

class CudaEngineTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void initTestCase() { LOWTIDE_NEEDS_GPU(); }

    void everyWeightIsThatOfTheHost_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<double>("delay");
        for (const char* policy : testing::kPolicies) {
            QTest::addRow("%s", policy) << policy << 0.0;
            QTest::addRow("%s, slow copies", policy) << policy << 0.002;
        }
        QTest::newRow("leaf, nothing pinned") << "leaf+stream,pin=0" << 0.0;
    }

    void everyWeightIsThatOfTheHost() {
        QFETCH(QString, policy);
        QFETCH(double, delay);
        const SyntheticModel model(folder_.newPath(), {.scale = 8});
        residency::Residency residency(std::make_unique<SettledGpu>(
            residency::CudaSettings{.spoils = true, .copyDelay = delay}));
        residency.open(kGpu);
        const auto plan =
            testing::planOf(model.request(policy.toStdString(), kGpu, residency.traits(kGpu)));
        for (int run = 0; run < 2; ++run) {
            residency.begin(plan, {});
            for (memory::NodeIndex node = 0; node < model.trees().size(); ++node) {
                const memory::ComponentTree& tree = *model.trees()[node];
                residency.enter(node);
                for (int forward = 0; forward < 3; ++forward) {
                    residency.beginForward(tree, {});
                    testing::compareWithHostWeights(residency, model, tree);
                }
                residency.leave(node);
            }
            residency.end(memory::Outcome::Finished);
        }
        QCOMPARE(residency.allocatedOn(kGpu), Bytes{0});
    }

    /// 24: nothing grows over many runs that alternate policies.
    void nothingGrowsOverManyRuns() {
        const SyntheticModel model(folder_.newPath(), {.scale = 8});
        residency::Residency residency(std::make_unique<SettledGpu>(residency::CudaSettings{}));
        residency.open(kGpu);
        std::vector<memory::MemoryState> states;
        for (int run = 0; run < 200; ++run) {
            const auto plan = testing::planOf(model.request(
                testing::kPolicies[static_cast<size_t>(run) % testing::kPolicies.size()],
                kGpu,
                residency.traits(kGpu)));
            residency.begin(plan, {});
            for (memory::NodeIndex node = 0; node < model.trees().size(); ++node) {
                residency.enter(node);
                testing::compareWithHostWeights(residency, model, *model.trees()[node]);
                residency.leave(node);
            }
            residency.end(memory::Outcome::Finished);
            residency.collect(kGpu);
            states.push_back(residency.memoryState(kGpu));
        }
        const memory::MemoryState& warm = states[50];
        const memory::MemoryState& last = states.back();
        qInfo("device %lld -> %lld bytes, host %lld -> %lld",
              static_cast<long long>(warm.deviceUsed),
              static_cast<long long>(last.deviceUsed),
              static_cast<long long>(warm.hostUsed),
              static_cast<long long>(last.hostUsed));
        QVERIFY(last.deviceUsed <= warm.deviceUsed);
        QVERIFY(last.hostUsed - warm.hostUsed < 16 * kMiB);
    }
};

LOWTIDE_TEST(CudaEngineTest)

}  // namespace cuda_engine_test

#include "cuda_engine_test.moc"
