// A GPU that is lost at every call that a run makes of it: what its runtime reports then it reports
// to every further call.
#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"
#include "tests/unit/residency/played_gpu.hpp"

#include <ATen/ATen.h>

#include <QTest>

#include <functional>
#include <optional>

namespace lost_device_test {

using namespace lowtide;
using memory::Outcome;
using testing::SyntheticModel;

namespace {

const memory::DeviceSpec kGpu{.kind = "cuda"};
const memory::DeviceSpec kCpu{};
constexpr int kMostCalls = 5000;  ///< no run here makes so many

using Deed =
    std::function<void(residency::Residency&, const SyntheticModel&, memory::NodeIndex node)>;

/// What a run does in addition to using weights.
struct Deeds {
    Deed before = [](auto&&...) {};                     ///< the plan is made
    std::function<void(memory::PlanRequest&)> request;  ///< changes what the plan is made of
    Deed between = [](auto&&...) {};                    ///< before a node is entered
    Deed inside = [](auto&&...) {};                     ///< in a node, after each of its forwards
    Deed after = [](auto&&...) {};                      ///< the run has ended
};

/// One run as the executor does it; what went wrong first, as it is reported to the run.
std::optional<Error> run(residency::Residency& residency,
                         const SyntheticModel& model,
                         const std::string& policy,
                         const memory::DeviceSpec& device,
                         const Deeds& deeds = {}) {
    std::optional<Error> failure;
    const auto attempt = [&](const auto& action) {
        try {
            action();
        } catch (const Error& error) {
            failure = error;
        } catch (const c10::Error& error) {
            failure = Error(ErrorKind::Internal, Message(error.what_without_backtrace()));
        }
    };
    attempt([&] {
        residency.open(device);
        deeds.before(residency, model, 0);
        memory::PlanRequest request = model.request(policy, device, residency.traits(device));
        request.kept = residency.keptComponents();
        if (deeds.request) {
            deeds.request(request);
        }
        residency.begin(testing::planOf(request), {});
    });
    if (failure) {
        return failure;
    }
    for (memory::NodeIndex node = 0; node < model.trees().size() && !failure; ++node) {
        const memory::ComponentTree& tree = *model.trees()[node];
        attempt([&] { deeds.between(residency, model, node); });
        if (failure) {
            break;
        }
        attempt([&] {
            residency.enter(node);
            for (int forward = 0; forward < 2; ++forward) {
                residency.beginForward(tree, {});
                for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
                    const bool isRight = tree.leaves[leaf].gathered ||
                                         testing::isLikeHostWeight(residency, model, tree, leaf);
                    requireThat(isRight, Message("a weight is wrong"), {}, "");
                }
                deeds.inside(residency, model, node);
            }
            residency.confirm(node);
        });
        residency.leave(node);
        if (failure) {
            attempt([&] { residency.requireDevices(); });
        }
    }
    residency.end(failure ? Outcome::Failed : Outcome::Finished);
    attempt([&] {
        const Message fault = residency.ledger().takeFault();
        requireThat(fault.empty(), fault, {}, "");
    });
    if (!failure) {
        attempt([&] { deeds.after(residency, model, 0); });
    }
    return failure;
}

/// Forwards of the node's component that the plan does from a record.
void forwardFromRecord(residency::Residency& residency,
                       const SyntheticModel& model,
                       memory::NodeIndex node) {
    const memory::ComponentTree& tree = *model.trees()[node];
    for (int forward = 0; forward < 4; ++forward) {
        residency.beginForward(tree, {});
        const auto work = [&](const residency::ForwardInputs& inputs) {
            for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
                if (!tree.leaves[leaf].gathered) {
                    static_cast<void>(residency.use(tree, leaf));
                }
            }
            return inputs[0].clone();
        };
        static_cast<void>(residency.runForward(tree, {at::ones({16})}, work));
    }
}

/// Work of many forwards, which may be recorded.
void makeRecorded(memory::PlanRequest& request) {
    for (memory::NodeWork& node : request.nodes) {
        memory::ComponentWork work{.tree = node.components.front(), .forwards = 10};
        for (memory::LeafId leaf = 0; leaf < work.tree->leaves.size(); ++leaf) {
            if (!work.tree->leaves[leaf].gathered) {
                work.forward.push_back({.leaf = leaf});
            }
        }
        node.work = {.activations = kKiB, .components = {std::move(work)}};
    }
}

void gather(residency::Residency& residency, const SyntheticModel& model, memory::NodeIndex node) {
    const memory::ComponentTree& tree = *model.trees()[node];
    for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
        if (tree.leaves[leaf].gathered) {
            static_cast<void>(residency.gatherRows(tree, leaf, at::zeros({2}, at::kLong)));
        }
    }
    residency.finishCompute(tree);
}

struct Case {
    const char* name;
    const char* policy;
    Deeds deeds;
};

std::vector<Case> casesOfDeeds() {
    return {
        {"components are sent away",
         "model",
         {.inside = [](auto& residency, auto&, auto) { residency.offload("all", true); }}},
        {"rows are gathered", "leaf+stream", {.inside = gather}},
        {"memory is measured and collected",
         "none",
         {.inside =
              [](auto& residency, auto&, auto) {
                  static_cast<void>(residency.memoryState(kGpu));
                  static_cast<void>(residency.collect(kGpu));
              }}},
        {"a component of another node is used",
         "sequential",
         {.inside =
              [](auto& residency, auto& model, auto node) {
                  if (node == 1) {
                      static_cast<void>(
                          testing::isLikeHostWeight(residency, model, *model.textEncoder(), 1));
                  }
              }}},
        {"the run is planned again",
         "none",
         {.between =
              [](auto& residency, auto& model, auto node) {
                  if (node > 0) {
                      residency.replan(testing::planOf(
                          model.request("leaf+stream", kGpu, residency.traits(kGpu))));
                  }
              }}},
        {"forwards are recorded", "none", {.request = makeRecorded, .inside = forwardFromRecord}},
        {"what was kept is released",
         "none,after=keep",
         {.after = [](auto& residency, auto&, auto) { residency.release("all"); }}},
    };
}

bool isLostMessage(const std::optional<Error>& error) {
    return error && error->kind() == ErrorKind::Device &&
           error->message() == "the device cuda:0 was lost: the played GPU fell off its bus" &&
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

    /// The error names the GPU, nothing remains, the GPU is refused from then on, and the cpu
    /// works.
    void endsTheRunAtEveryCall() {
        QFETCH(QString, policy);
        const SyntheticModel model(folder_.newPath());
        int lost = 0;
        for (int call = 1; call < kMostCalls; ++call) {
            residency::Residency residency(std::make_unique<testing::PlayedSource>(nullptr, call));
            const std::optional<Error> first = run(residency, model, policy.toStdString(), kGpu);
            const std::optional<Error> second = run(residency, model, policy.toStdString(), kGpu);
            if (!first && !second) {
                break;
            }
            ++lost;
            const QString where =
                QString("call %1: %2")
                    .arg(call)
                    .arg(QString::fromStdString((first ? first : second)->message().str()));
            QVERIFY2(first ? isLostMessage(first) && isLostMessage(second) : isLostMessage(second),
                     qPrintable(where));
            QVERIFY2(isLostMessage(run(residency, model, policy.toStdString(), kGpu)),
                     qPrintable(where));
            QVERIFY(residency.keptComponents().empty());
            QCOMPARE(leftOn(residency, "cuda:0"), Bytes{0});
            QCOMPARE(leftOn(residency, "cpu"), Bytes{0});
            QCOMPARE(residency.allocatedOn(kGpu), Bytes{0});
            if (call % 10 == 0) {
                const std::optional<Error> other = run(residency, model, "leaf+stream", kCpu);
                QVERIFY2(!other, other ? other->what() : "");
                QCOMPARE(leftOn(residency, "cpu"), Bytes{0});
            }
        }
        qInfo("lost at %d calls", lost);
        QVERIFY(lost > 20 && lost < kMostCalls - 1);
    }

    void endsARunThatDoesMore_data() {
        QTest::addColumn<int>("number");
        int number = 0;
        for (const Case& each : casesOfDeeds()) {
            QTest::newRow(each.name) << number++;
        }
    }

    /// Whatever a run asks of the GPU in addition to weights.
    void endsARunThatDoesMore() {
        QFETCH(int, number);
        const Case own = casesOfDeeds()[static_cast<size_t>(number)];
        const SyntheticModel model(folder_.newPath());
        int lost = 0;
        for (int call = 1; call < kMostCalls; ++call) {
            const auto compute =
                own.deeds.request ? std::make_shared<testing::PlayedCompute>() : nullptr;
            residency::Residency residency(std::make_unique<testing::PlayedSource>(compute, call));
            const std::optional<Error> first = run(residency, model, own.policy, kGpu, own.deeds);
            if (!first) {
                QVERIFY(!compute || compute->replays > 0);
                break;
            }
            ++lost;
            QVERIFY2(isLostMessage(first),
                     qPrintable(QString("call %1: %2").arg(call).arg(first->what())));
            QVERIFY(residency.keptComponents().empty());
            QCOMPARE(leftOn(residency, "cuda:0"), Bytes{0});
            QCOMPARE(leftOn(residency, "cpu"), Bytes{0});
            QCOMPARE(residency.allocatedOn(kGpu), Bytes{0});
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
            const memory::DeviceSpec gpu =
                memory::parseDeviceSpec("fake:1GiB,lost=" + std::to_string(call));
            const std::optional<Error> first = run(residency, model, policy.toStdString(), gpu);
            if (!first) {
                break;
            }
            ++lost;
            QCOMPARE(first->kind(), ErrorKind::Device);
            QVERIFY2(first->message().str().find("the device fake was lost") == 0, first->what());
            QCOMPARE(leftOn(residency, "fake"), Bytes{0});
            QCOMPARE(leftOn(residency, "cpu"), Bytes{0});
            QCOMPARE(residency.allocatedOn(gpu), Bytes{0});
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
