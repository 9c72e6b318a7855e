// Every order between copies and compute must be there: the fake device sees each one that is
// missing.
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/engine.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <ATen/ATen.h>

#include <QTest>

namespace order_test {

using namespace lowtide;
using testing::Forgotten;
using testing::kPolicies;
using testing::SyntheticModel;

namespace {

const memory::DeviceSpec kFake{.kind = "fake"};

/// Runs every leaf of every component three times; what a network would do, and the faults that the
/// device found.
std::vector<std::string> faultsOf(const SyntheticModel& model,
                                  const std::string& policy,
                                  residency::FakeSettings settings,
                                  Forgotten forgotten) {
    residency::Residency residency(std::make_unique<testing::TestDevices>(settings, forgotten));
    residency.open(kFake);
    residency.begin(testing::planOf(model.request(policy, kFake, residency.traits(kFake))), {});
    for (memory::NodeIndex node = 0; node < model.trees().size(); ++node) {
        const memory::ComponentTree& tree = *model.trees()[node];
        residency.enter(node);
        for (int forward = 0; forward < 3; ++forward) {
            residency.beginForward(tree, {});
            for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
                if (!tree.leaves[leaf].gathered) {
                    const residency::Lease lease = residency.use(tree, leaf);
                    static_cast<void>(lease[0].mul(2.0));
                }
            }
        }
        residency.leave(node);
    }
    residency.end(memory::Outcome::Finished);
    return residency.hazards();
}

bool hasFault(const std::vector<std::string>& faults, const char* words) {
    for (const std::string& fault : faults) {
        if (QString::fromStdString(fault).contains(words)) {
            return true;
        }
    }
    return false;
}

}  // namespace

class OrderTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::unique_ptr<SyntheticModel> model_;

private Q_SLOTS:

    void initTestCase() {
        model_ = std::make_unique<SyntheticModel>(folder_.filePath("weights").toStdString());
    }

    void isCompleteWhateverTheDelays_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int>("seed");
        for (const char* policy : kPolicies) {
            for (int seed = 0; seed < 4; ++seed) {
                QTest::addRow("%s, seed %d", policy, seed) << QString(policy) << seed;
            }
        }
    }

    void isCompleteWhateverTheDelays() {
        QFETCH(QString, policy);
        QFETCH(int, seed);
        const residency::FakeSettings settings{
            .seed = static_cast<uint64_t>(seed), .longestDelay = 0.002, .copyPiece = 4 * kKiB};
        QCOMPARE(faultsOf(*model_, policy.toStdString(), settings, {}), std::vector<std::string>());
    }

    /// A tensor that outlives its lease reads bytes that are no longer there.
    void isMissedWhenATensorOutlivesItsLease() {
        const memory::ComponentTree& tree = *model_->denoiser();
        residency::Residency residency(std::make_unique<testing::TestDevices>());
        residency.open(kFake);
        residency.begin(testing::planOf(model_->request(
                            "leaf+stream,budget=1KiB", kFake, residency.traits(kFake))),
                        {});
        residency.enter(1);
        const at::Tensor stale = residency.use(tree, 0)[0];
        static_cast<void>(residency::Lease(residency.use(tree, 1)));
        static_cast<void>(stale.cpu());
        QVERIFY(hasFault(residency.hazards(), "is not ordered after"));
        residency.leave(1);
        residency.end(memory::Outcome::Finished);
    }

    void isMissedWhenComputeDoesNotWait() {
        for (const char* policy : kPolicies) {
            const auto faults = faultsOf(*model_, policy, {}, {.computeWaits = true});
            QVERIFY(hasFault(faults, "is not ordered after copy of text_encoder."));
        }
    }

    void isMissedWhenCopiesDoNotWait() {
        for (const char* policy : kPolicies) {
            const auto faults = faultsOf(*model_, policy, {}, {.copyWaits = true});
            QVERIFY(hasFault(faults, "eviction of denoiser."));
            QVERIFY(hasFault(faults, "may overtake aten::mul"));
        }
    }
};

LOWTIDE_TEST(OrderTest)

}  // namespace order_test

#include "order_test.moc"
