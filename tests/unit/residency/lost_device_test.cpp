// A card that is lost at every call that a run makes of it: what its runtime says then it says to
// every further call.
#include "plugin/base/error.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"
#include "tests/unit/residency/played_card.hpp"

#include <QTest>

#include <optional>

namespace lost_device_test {

using namespace lowtide;
using memory::Outcome;
using testing::SyntheticModel;

namespace {

const memory::DeviceSpec kCard{.kind = "cuda"};
const memory::DeviceSpec kCpu{};
constexpr int kMostCalls = 5000;  ///< no run here makes so many

/// One run as the executor does it; what went wrong first, as the run is told.
std::optional<Error> run(residency::Residency& residency,
                         const SyntheticModel& model,
                         const std::string& policy,
                         const memory::DeviceSpec& device) {
    std::optional<Error> failure;
    const auto attempt = [&](const auto& action) {
        try {
            action();
        } catch (const Error& error) {
            failure = error;
        } catch (const std::exception& error) {
            failure = Error(ErrorKind::Internal, error.what());
        }
    };
    attempt([&] {
        residency.open(device);
        memory::PlanRequest request = model.request(policy, device, residency.traits(device));
        request.kept = residency.keptComponents();
        residency.begin(testing::planOf(request), {});
    });
    if (failure) {
        return failure;
    }
    for (memory::NodeIndex node = 0; node < model.trees().size() && !failure; ++node) {
        const memory::ComponentTree& tree = *model.trees()[node];
        attempt([&] {
            residency.enter(node);
            for (int pass = 0; pass < 2; ++pass) {
                residency.beginPass(tree, {});
                for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
                    const bool isRight = tree.leaves[leaf].gathered ||
                                         testing::isLikeMaster(residency, model, tree, leaf);
                    requireThat(isRight, "a weight is wrong", "", "");
                }
            }
            residency.confirm(node);
        });
        residency.leave(node);
        if (failure) {
            attempt([&] { residency.requireDevices(); });
        }
    }
    residency.end(failure ? Outcome::Failed : Outcome::Finished);
    return failure;
}

bool saysLost(const std::optional<Error>& error) {
    return error && error->kind() == ErrorKind::Device &&
           error->message() == "the device cuda:0 was lost: the played card fell off its bus" &&
           !error->hint().empty();
}

Bytes leftOn(residency::Residency& residency, const char* device) {
    return residency.ledger().bytesOn(device);
}

}  // namespace

class LostDeviceTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void endsTheRunAtEveryCall_data() {
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"none",
                                   "none,after=keep",
                                   "model+stream",
                                   "sequential",
                                   "leaf+stream,pin=0",
                                   "leaf+stream,pin=1GiB"}) {
            QTest::newRow(policy) << policy;
        }
    }

    /// The run is told of the card by its name, nothing stays, the card is refused from then on,
    /// and the cpu works.
    void endsTheRunAtEveryCall() {
        QFETCH(QString, policy);
        const SyntheticModel model(folder_.newPath());
        int lost = 0;
        for (int call = 1; call < kMostCalls; ++call) {
            residency::Residency residency(std::make_unique<testing::PlayedSource>(nullptr, call));
            const std::optional<Error> first = run(residency, model, policy.toStdString(), kCard);
            const std::optional<Error> second = run(residency, model, policy.toStdString(), kCard);
            if (!first && !second) {
                break;
            }
            ++lost;
            const QString where =
                QString("call %1: %2")
                    .arg(call)
                    .arg(QString::fromStdString((first ? first : second)->message()));
            QVERIFY2(first ? saysLost(first) && saysLost(second) : saysLost(second),
                     qPrintable(where));
            QVERIFY2(saysLost(run(residency, model, policy.toStdString(), kCard)),
                     qPrintable(where));
            QVERIFY(residency.keptComponents().empty());
            QCOMPARE(leftOn(residency, "cuda:0"), Bytes{0});
            QCOMPARE(leftOn(residency, "cpu"), Bytes{0});
            QCOMPARE(residency.allocatedOn(kCard), Bytes{0});
            if (call % 10 == 0) {
                const std::optional<Error> other = run(residency, model, "leaf+stream", kCpu);
                QVERIFY2(!other, other ? other->what() : "");
                QCOMPARE(leftOn(residency, "cpu"), Bytes{0});
            }
        }
        qInfo("lost at %d calls", lost);
        QVERIFY(lost > 20 && lost < kMostCalls - 1);
    }

    /// Every call of the rehearsing card, operators too.
    void aRehearsalIsLostAtEveryCall_data() { testing::addStreamingPolicies(); }

    void aRehearsalIsLostAtEveryCall() {
        QFETCH(QString, policy);
        const SyntheticModel model(folder_.newPath());
        int lost = 0;
        for (int call = 1; call < kMostCalls; ++call) {
            residency::Residency residency(
                std::make_unique<testing::TestDevices>(residency::FakeSettings{.longestDelay = 0}));
            const memory::DeviceSpec card =
                memory::parseDeviceSpec("fake:1GiB,lost=" + std::to_string(call));
            const std::optional<Error> first = run(residency, model, policy.toStdString(), card);
            if (!first) {
                break;
            }
            ++lost;
            QCOMPARE(first->kind(), ErrorKind::Device);
            QVERIFY2(first->message().find("the device fake was lost") == 0, first->what());
            QCOMPARE(leftOn(residency, "fake"), Bytes{0});
            QCOMPARE(leftOn(residency, "cpu"), Bytes{0});
            QCOMPARE(residency.allocatedOn(card), Bytes{0});
            QVERIFY_THROWS_EXCEPTION(Error, residency.open({.kind = "fake"}));
        }
        qInfo("lost at %d calls", lost);
        QVERIFY(lost > 20 && lost < kMostCalls - 1);
        residency::Residency residency(std::make_unique<testing::TestDevices>());
        const std::optional<Error> again =
            run(residency, model, policy.toStdString(), memory::parseDeviceSpec("fake:1GiB"));
        QVERIFY2(!again, again ? again->what() : "");
    }
};

LOWTIDE_TEST(LostDeviceTest)

}  // namespace lost_device_test

#include "lost_device_test.moc"
