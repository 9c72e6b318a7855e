#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <ATen/ATen.h>

#include <QFile>
#include <QTest>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

namespace residency_failure_test {

using namespace lowtide;
using memory::ComponentTree;
using memory::Outcome;
using testing::addDevicesAndPolicies;
using testing::Bench;
using testing::runAll;
using testing::SyntheticModel;

class ResidencyFailureTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

    /// Of the Error{Corrupt} that `action` throws; empty without one.
    static QString messageOf(const std::function<void()>& action) {
        try {
            action();
        } catch (const Error& error) {
            return error.kind() == ErrorKind::Corrupt
                       ? QString::fromStdString(error.message().str())
                       : QString();
        }
        return {};
    }

private Q_SLOTS:

    void isCleanAfterAThrowInTheMiddle_data() { addDevicesAndPolicies(); }

    void isCleanAfterAThrowInTheMiddle() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), device, {}, {.longestDelay = 0.002});
        const auto plan = bench.plan(policy.toStdString());
        const Bytes allocatedBefore = bench.residency->allocatedOn(bench.device);
        bench.residency->begin(plan, {});
        bench.residency->enter(0);
        bench.residency->leave(0);
        bench.residency->enter(1);
        try {
            const residency::Lease lease = bench.residency->use(*bench.model.denoiser(), 0);
            throw Error(ErrorKind::Internal, Message("in the middle"));
        } catch (const Error&) {
        }
        bench.residency->leave(1);
        bench.residency->end(Outcome::Failed);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.ledger().bytesOn("cpu"), 0);
        QCOMPARE(bench.residency->allocatedOn(bench.device), allocatedBefore);

        runAll(bench, plan);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void refusesAChangedFile() {
        Bench bench(folder_.newPath(), "fake");
        const auto plan = bench.plan("none");
        runAll(bench, plan);
        files::writeFileAtomically(bench.model.path(), std::string(100000, 'x'));
        try {
            bench.residency->begin(plan, {});
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Corrupt);
            QVERIFY(QString::fromStdString(error.message().str())
                        .contains("changed since it was opened"));
        }
        QCOMPARE(bench.total(), 0);
    }

    void reportsThatAFileEndsEarly() {
        // Late enough copies for the file to change under them.
        Bench bench(
            folder_.newPath(), "fake", {.scale = 20}, {.longestDelay = 0.2, .copyPiece = 8 * kKiB});
        bench.residency->begin(bench.plan("none"), {});
        bench.residency->enter(0);
        { std::ofstream truncated(bench.model.path(), std::ios::trunc); }
        try {
            static_cast<void>(bench.residency->use(*bench.model.textEncoder(), 3));
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Corrupt);
        }
        bench.residency->leave(0);
        QCOMPARE(bench.weights(), 0);
        QVERIFY_THROWS_EXCEPTION(Error, bench.residency->confirm(0));  // nothing of it counts
        bench.residency->end(Outcome::Failed);
        QCOMPARE(bench.total(), 0);
    }

    /// What is computed with a file that changes meanwhile must not be used, copied or mapped.
    void refusesWhatWasComputedWithAFileThatChanged_data() { addDevicesAndPolicies(); }

    void refusesWhatWasComputedWithAFileThatChanged() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), device);
        const std::string path = bench.model.path();
        bench.residency->begin(bench.plan(policy.toStdString()), {});
        bench.residency->enter(0);
        testing::compareWithHostWeights(bench, *bench.model.textEncoder());
        bench.residency->confirm(0);

        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a tick of the file's clock
        std::fstream(path, std::ios::in | std::ios::out).write("x", 1);

        const QString message = messageOf([&] { bench.residency->confirm(0); });
        QVERIFY2(message.contains(QString::fromStdString(path).section('/', -1)) &&
                     message.contains("text_encoder"),
                 qPrintable(message));
        bench.residency->leave(0);
        bench.residency->end(Outcome::Failed);
        QCOMPARE(bench.total(), 0);
    }

    void goesOnWithAFileThatIsGone_data() { addDevicesAndPolicies(); }

    /// A run has its files open from its beginning: what is brought later, for the first time or
    /// once more, comes from them, also when their path leads elsewhere or nowhere.
    void goesOnWithAFileThatIsGone() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), device);
        bench.residency->begin(bench.plan(policy.toStdString()), {});
        bench.residency->enter(0);
        QVERIFY(QFile::remove(QString::fromStdString(bench.model.path())));
        testing::compareWithHostWeights(bench, *bench.model.textEncoder());
        bench.residency->confirm(0);
        bench.residency->leave(0);
        bench.residency->enter(1);
        testing::compareWithHostWeights(bench, *bench.model.denoiser());
        static_cast<void>(bench.residency->offload("denoiser", false));
        testing::compareWithHostWeights(bench, *bench.model.denoiser());
        bench.residency->confirm(1);
        bench.residency->leave(1);
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.total(), 0);
    }

    /// Read where it is mapped: the next lease names the weight instead of ending the program.
    void namesTheWeightWhoseMappedFileWasCutOff() {
        files::guardMaps();
        Bench bench(folder_.newPath(), "cpu", {.scale = 40});
        const ComponentTree& tree = *bench.model.denoiser();
        bench.residency->begin(bench.plan("none"), {});
        bench.residency->enter(0);
        bench.residency->leave(0);
        bench.residency->enter(1);
        {
            const residency::Lease lease = bench.residency->use(tree, 0);
            std::filesystem::resize_file(bench.model.path(), 0);
            QCOMPARE(lease[0].abs().max().item<float>(), 0.0F);
        }
        const QString message =
            messageOf([&] { static_cast<void>(bench.residency->use(tree, 0)); });
        const std::string& key = tree.storages[tree.weights[tree.leaves[0].weights[0]].storage].key;
        QVERIFY2(message.contains(QString::fromStdString(key)) && message.contains("cut off"),
                 qPrintable(message));
        QVERIFY(!messageOf([&] { bench.residency->confirm(1); }).isEmpty());
        bench.residency->leave(1);
        bench.residency->end(Outcome::Failed);
        QCOMPARE(bench.total(), 0);
    }

    /// Copies that were ordered before the failure fill a part of the group: it must not be kept.
    void keepsNothingOfAGroupWhoseStagingFailed() {
        Bench bench(folder_.newPath(),
                    "fake",
                    {},
                    {.failing = {.kind = memory::AllocationKind::Staging, .number = 1}});
        const auto plan = bench.plan("none,after=keep");
        bench.residency->begin(plan, {});
        try {
            bench.residency->enter(0);
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
        }
        bench.residency->end(Outcome::Failed);
        QVERIFY(bench.residency->keptComponents().empty());
        QCOMPARE(bench.total(), 0);
        runAll(bench, bench.plan("none"));
    }

    void keepsWhatIsLeasedBeyondItsNode_data() { addDevicesAndPolicies(); }

    /// A bug of whoever holds the lease costs the run: neither the process nor the bytes that it
    /// reads.
    void keepsWhatIsLeasedBeyondItsNode() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), device);
        const ComponentTree& tree = *bench.model.denoiser();
        const Bytes allocatedBefore = bench.residency->allocatedOn(bench.device);
        const auto plan = bench.plan(policy.toStdString());
        bench.residency->begin(plan, {});
        bench.residency->enter(1);
        auto lease = std::make_optional(bench.residency->use(tree, 2));
        bench.residency->leave(1);
        bench.residency->end(Outcome::Failed);

        const QString fault = QString::fromStdString(bench.ledger().takeFault().str());
        QVERIFY2(fault.contains("denoiser"), qPrintable(fault));
        const memory::Weight& weight = tree.weights[tree.leaves[2].weights[0]];
        QVERIFY(at::equal((*lease)[0].cpu(), bench.model.expected(tree, weight)));
        QVERIFY(bench.total() > 0);
        runAll(bench, plan);
        QVERIFY(at::equal((*lease)[0].cpu(), bench.model.expected(tree, weight)));

        lease.reset();
        bench.residency->release("all");
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->allocatedOn(bench.device), allocatedBefore);
        QVERIFY(bench.ledger().takeFault().empty());
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void endsTheRunWhereverItIsThrown_data() { addDevicesAndPolicies(); }

    /// Every step of a run is an event of the ledger: what is thrown there fails the run, also
    /// where nothing may be thrown, and leaves nothing behind.
    void endsTheRunWhereverItIsThrown() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), device);
        const auto plan = bench.plan(policy.toStdString());
        const Bytes allocatedBefore = bench.residency->allocatedOn(bench.device);
        int thrown = 0;
        for (bool wasThrown = true; wasThrown;) {
            int events = 0;
            bench.ledger().listen([&](const memory::LedgerEvent&) {
                if (++events == thrown + 1) {
                    throw std::logic_error("a bug");
                }
            });
            QString failure;
            try {
                runAll(bench, plan);
            } catch (const std::logic_error& error) {
                failure = error.what();
                bench.residency->end(Outcome::Failed);
            }
            bench.ledger().listen({});
            const QString fault = QString::fromStdString(bench.ledger().takeFault().str());
            wasThrown = events > thrown;
            QCOMPARE(failure + fault, QString(wasThrown ? "a bug" : ""));
            thrown += wasThrown ? 1 : 0;
            QCOMPARE(bench.total(), 0);
            QCOMPARE(bench.ledger().bytesOn("cpu"), 0);
            QCOMPARE(bench.residency->allocatedOn(bench.device), allocatedBefore);
        }
        QVERIFY(thrown > 10);
        runAll(bench, plan);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    /// What was to follow it into the ring buffer was never brought, and comes when the node runs
    /// again.
    void bringsAgainWhatAFailedCopyKeptFromComing() {
        Bench bench(folder_.newPath(),
                    "fake",
                    {},
                    {.failing = {.kind = memory::AllocationKind::Staging, .number = 1}});
        memory::PlanRequest request = bench.request("leaf+stream");
        request.nodes = {request.nodes[2], request.nodes[2]};  // the next node needs it, too
        bench.residency->begin(testing::planOf(request), {});
        QVERIFY_THROWS_EXCEPTION(Error, bench.residency->enter(0));
        bench.residency->leave(0);
        bench.residency->enter(0);
        testing::compareWithHostWeights(bench, *bench.model.autoencoder());
        bench.residency->leave(0);
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    /// The weight that leaves share is brought at once, and the memory for its conversion is
    /// refused.
    void anUnplannedComponentThatCannotComeEndsTheNodeAlone() {
        Bench bench(folder_.newPath(),
                    "fake",
                    {},
                    {.failing = {.kind = memory::AllocationKind::Staging, .number = 1}});
        const ComponentTree& unplanned = *bench.model.textEncoder();
        bench.residency->begin(bench.plan("model"), {});
        for (const bool isRefused : {true, false}) {
            bench.residency->enter(1);
            if (isRefused) {
                QVERIFY_THROWS_EXCEPTION(Error,
                                         static_cast<void>(bench.residency->use(unplanned, 1)));
            }
            testing::compareWithHostWeights(bench, unplanned);
            testing::compareWithHostWeights(bench, *bench.model.denoiser());
            bench.residency->leave(1);
        }
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void refusesAnArenaThatDoesNotFitAndRemainsClean() {
        Bench bench(folder_.newPath(), "fake", {}, {.capacity = 4 * kKiB});
        // The plan of a larger GPU.
        const auto plan =
            testing::planOf(bench.model.request("none", bench.device, {.capacity = kGiB}));
        bench.residency->begin(plan, {});
        try {
            bench.residency->enter(0);
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
            QCOMPARE(error.bytesAsked(), plan->slots[0].arenaBytes);
        }
        bench.residency->end(Outcome::Failed);
        QCOMPARE(bench.total(), 0);
        bench.residency->open(memory::parseDeviceSpec("fake:1GiB"));
        runAll(bench, plan);
    }

    void returnsQuicklyWhenCancelledUnderSlowCopies_data() { addDevicesAndPolicies(); }

    void returnsQuicklyWhenCancelledUnderSlowCopies() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        // More than 20 pieces of up to half a second each.
        Bench bench(folder_.newPath(),
                    device,
                    {.scale = 20},
                    {.longestDelay = 0.5, .copyPiece = 64 * kKiB});
        StopSource stop;
        bench.residency->begin(bench.plan(policy.toStdString()), stop.token());
        bench.residency->enter(0);
        stop.cancel(CancelMode::Now);
        const auto begin = std::chrono::steady_clock::now();
        if (device == "fake") {
            QVERIFY_THROWS_EXCEPTION(
                Error, static_cast<void>(bench.residency->use(*bench.model.textEncoder(), 3)));
        }
        bench.residency->leave(0);
        bench.residency->end(Outcome::Cancelled);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        QVERIFY2(taken.count() < 2.0, qPrintable(QString::number(taken.count())));
        QCOMPARE(bench.total(), 0);
    }

    /// Leaving a node must not wait for copies that nobody wants any more.
    void givesUpCopiesWhenARunFails() {
        Bench bench(folder_.newPath(),
                    "fake",
                    {.scale = 50},
                    {.longestDelay = 0.02, .copyPiece = 4 * kKiB});
        bench.residency->begin(bench.plan("none"), {});
        bench.residency->enter(0);
        const auto begin = std::chrono::steady_clock::now();
        bench.residency->end(Outcome::Failed);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        // 400 pieces of 10 ms on average, were they all copied.
        QVERIFY2(taken.count() < 2.0, qPrintable(QString::number(taken.count())));
    }

    void refusesAComponentThatThePlanDoesNotHold() {
        Bench bench(folder_.newPath(), "fake");
        const SyntheticModel other(folder_.newPath());
        auto stranger = std::make_shared<ComponentTree>(*other.denoiser());
        stranger->id = "stranger";
        bench.residency->begin(bench.plan("none"), {});
        bench.residency->enter(0);
        try {
            static_cast<void>(bench.residency->use(*stranger, 0));
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Internal);
            QVERIFY(QString::fromStdString(error.message().str()).contains("denoiser"));
            QVERIFY(QString::fromStdString(error.message().str()).contains("encode"));
        }
        bench.residency->leave(0);
        bench.residency->end(Outcome::Failed);
    }
};

LOWTIDE_TEST(ResidencyFailureTest)

}  // namespace residency_failure_test

#include "residency_failure_test.moc"
