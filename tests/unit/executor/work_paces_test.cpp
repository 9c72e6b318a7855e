#include "plugin/executor/plan_memory.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/trees.hpp"

#include <QtTest/QtTest>

#include <cmath>

namespace work_paces_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

constexpr double kPredicted = 0.5;  ///< seconds of compute, by the profile

/// One node that runs one network `forwards` times.
memory::PlanRequest requestOf(const std::string& network,
                              int64_t forwards,
                              bool isRehearsal = false) {
    const auto tree = testing::tree(network, {64});
    memory::PlanRequest request;
    request.nodes = {{"denoise", memory::parsePolicy("none"), {tree}}};
    request.nodes[0].work.components = {
        {.tree = tree, .forward = {{0, 1e9 * kPredicted}}, .forwards = forwards}};
    request.device = memory::parseDeviceSpec("cuda:0");
    request.devices = {{.spec = request.device,
                        .traits = {.isRehearsal = isRehearsal},
                        .profile = {.copyBytesPerSecond = 1e12, .flopsPerSecond = 1e9}}};
    return request;
}

memory::Plan planOf(const memory::PlanRequest& request) {
    return std::get<memory::Plan>(memory::makePlan(request));
}

/// The stage took so long, of which compute waited a part for copies.
memory::Traffic tookOf(double seconds, double waited = 0) {
    memory::Traffic traffic;
    traffic.stages = {{.node = "denoise",
                       .seconds = seconds,
                       .copyQueues = {{"cuda:0", {.copy = waited, .wait = waited}}}}};
    return traffic;
}

double predicted(const WorkPaces& paces, memory::PlanRequest request) {
    paces.apply(request);
    return planOf(request).stages[0].seconds;
}

bool isNear(double value, double expected) {
    return std::abs(value / expected - 1) < 1e-6;  // copies of 256 bytes take some time too
}

}  // namespace

class WorkPacesTest : public QObject {
    Q_OBJECT

    WorkPaces paces_;

    void learn(memory::PlanRequest request, const memory::Traffic& traffic) {
        paces_.apply(request);
        paces_.learn(request, planOf(request), traffic);
    }

private Q_SLOTS:

    void init() { paces_ = {}; }

    void predictsWhatTheLastRunTook() {
        QVERIFY(isNear(predicted(paces_, requestOf("denoiser", 4)), 4 * kPredicted));

        learn(requestOf("denoiser", 4), tookOf(18));

        QVERIFY(isNear(predicted(paces_, requestOf("denoiser", 4)), 18));
        QVERIFY(isNear(predicted(paces_, requestOf("denoiser", 8)), 36));  // more of the same
        QVERIFY(isNear(predicted(paces_, requestOf("other", 4)), 4 * kPredicted));
    }

    void comesNearerWithEachRun() {
        learn(requestOf("denoiser", 4), tookOf(10));
        learn(requestOf("denoiser", 4), tookOf(20));
        QVERIFY(isNear(predicted(paces_, requestOf("denoiser", 4)), 15));
        for (int i = 0; i < 30; ++i) {
            learn(requestOf("denoiser", 4), tookOf(20));
        }
        QVERIFY(isNear(predicted(paces_, requestOf("denoiser", 4)), 20));
    }

    void leavesOutWhatComputeWaited() {
        learn(requestOf("denoiser", 4), tookOf(10, 4));

        QVERIFY(isNear(predicted(paces_, requestOf("denoiser", 4)), 6));
    }

    /// It states the times of a card that is not there.
    void learnsNothingFromARehearsal() {
        learn(requestOf("denoiser", 4, true), tookOf(18));

        QVERIFY(isNear(predicted(paces_, requestOf("denoiser", 4, true)), 4 * kPredicted));
        QVERIFY(isNear(predicted(paces_, requestOf("denoiser", 4)), 4 * kPredicted));
    }

    /// Another card of that name ran.
    void aCardThatIsPlannedForKeepsItsOwnTimes() {
        learn(requestOf("denoiser", 4), tookOf(18));
        memory::PlanRequest request = requestOf("denoiser", 4);
        request.devices.front().card = "RTX 4060";

        QVERIFY(isNear(predicted(paces_, request), 4 * kPredicted));
    }

    void isBounded() {
        for (size_t i = 0; i < 2 * WorkPaces::kMostKept; ++i) {
            learn(requestOf("network" + std::to_string(i), 1), tookOf(5));
        }
        const std::string last = "network" + std::to_string(2 * WorkPaces::kMostKept - 1);

        QVERIFY(isNear(predicted(paces_, requestOf(last, 1)), 5));
    }
};

LOWTIDE_TEST(WorkPacesTest)

}  // namespace work_paces_test

#include "work_paces_test.moc"
