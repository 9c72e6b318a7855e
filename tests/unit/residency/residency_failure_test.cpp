#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <ATen/ATen.h>

#include <QTest>

#include <chrono>
#include <fstream>

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
            throw Error(ErrorKind::Internal, "in the middle");
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
            QVERIFY(
                QString::fromStdString(error.message()).contains("changed since it was opened"));
        }
        QCOMPARE(bench.total(), 0);
    }

    void saysThatAFileEndsEarly() {
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
        QVERIFY_THROWS_EXCEPTION(Error, bench.residency->enter(1));  // it is another file now
        bench.residency->end(Outcome::Failed);
        QCOMPARE(bench.total(), 0);
    }

    void refusesAnArenaThatDoesNotFitAndStaysClean() {
        Bench bench(folder_.newPath(), "fake", {}, {.capacity = 4 * kKiB});
        // The plan of a larger card.
        const auto plan =
            testing::planOf(bench.model.request("none", bench.device, {.capacity = kGiB}));
        bench.residency->begin(plan, {});
        try {
            bench.residency->enter(0);
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
            QCOMPARE(error.bytesAsked(), plan->places[0].arenaBytes);
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
            QVERIFY(QString::fromStdString(error.message()).contains("denoiser"));
            QVERIFY(QString::fromStdString(error.message()).contains("encode"));
        }
        bench.residency->leave(0);
        bench.residency->end(Outcome::Failed);
    }
};

QTEST_GUILESS_MAIN(ResidencyFailureTest)
#include "residency_failure_test.moc"
