// The engine on a GPU that is played: its copies go through the ring buffer of pinned memory, are
// widened on arrival and come late, as on a real one; its tensors are the host's.
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"
#include "tests/unit/residency/played_gpu.hpp"

#include <QTest>

namespace played_gpu_test {

using namespace lowtide;
using memory::Tag;
using testing::SyntheticModel;

namespace {

const memory::DeviceSpec kGpu{.kind = "cuda"};

}  // namespace

class PlayedGpuTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void everyWeightIsThatOfTheHost_data() {
        QTest::addColumn<QString>("policy");
        for (const char* policy : testing::kPolicies) {
            QTest::addRow("%s", policy) << policy;
        }
        for (const char* policy : {"leaf,pin=0",
                                   "leaf+stream,pin=0",
                                   "leaf+stream,pin=1GiB",
                                   "block+stream,pin=20KiB",
                                   "sequential,pin=100KiB"}) {
            QTest::addRow("%s", policy) << policy;
        }
    }

    void everyWeightIsThatOfTheHost() {
        QFETCH(QString, policy);
        const SyntheticModel model(folder_.newPath(), {.scale = 4});
        residency::Residency residency(std::make_unique<testing::PlayedSource>());
        residency.open(kGpu);
        memory::PlanRequest request =
            model.request(policy.toStdString(), kGpu, residency.traits(kGpu));
        request.devices.push_back({.spec = {}, .traits = {.capacity = kGiB}});
        const auto plan = testing::planOf(request);
        Bytes readFirst = 0;
        for (int run = 0; run < 2; ++run) {
            residency.begin(plan, {});
            for (memory::NodeIndex node = 0; node < model.trees().size(); ++node) {
                residency.enter(node);
                for (int forward = 0; forward < 3; ++forward) {
                    residency.beginForward(*model.trees()[node], {});
                    testing::compareWithHostWeights(residency, model, *model.trees()[node]);
                }
                residency.confirm(node);
                compareStaging(residency, plan->stages[node]);
                residency.leave(node);
            }
            residency.end(memory::Outcome::Finished);
            QCOMPARE(residency.ledger().bytesOn("cpu", Tag::Staging), testing::pinnedIn(residency));
            QVERIFY(run == 0 || residency.traffic().bytesRead <= readFirst);
            readFirst = residency.traffic().bytesRead;
        }
        static_cast<void>(residency.release("all"));
        QCOMPARE(residency.ledger().bytesOn("cpu", Tag::Staging), Bytes{0});
        QCOMPARE(residency.allocatedOn(kGpu), Bytes{0});
        Seconds copied = 0;
        for (const memory::StageTraffic& stage : residency.traffic().stages) {
            copied += stage.copyQueues.contains("cuda:0") ? stage.copyQueues.at("cuda:0").copy : 0;
        }
        QVERIFY(copied > 0);
    }

private:
    /// Scratch of conversions may be planned and not needed, since the GPU widens.
    static void compareStaging(residency::Residency& residency, const memory::StagePlan& stage) {
        for (const memory::StageBytes& bytes : stage.bytes) {
            if (bytes.device == "cpu") {
                const Bytes held = residency.ledger().bytesOn("cpu", Tag::Staging);
                QVERIFY(held >= testing::kPlayedStaging);
                QVERIFY2(held <= bytes.staging,
                         qPrintable(QString("%1 of %2").arg(held).arg(bytes.staging)));
            }
        }
    }
};

LOWTIDE_TEST(PlayedGpuTest)

}  // namespace played_gpu_test

#include "played_gpu_test.moc"
