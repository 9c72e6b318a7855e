// Passes that go on where another one ended, with its history and its generator.
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/sampling/denoise_run.hpp"

#include <QtTest>

namespace lowtide::sampling::denoise_carry_test {

using namespace denoise_run;

class DenoiseCarryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void twoRangesEqualOneBitForBit_data() { addSamplers(); }

    void twoRangesEqualOneBitForBit() {
        QFETCH(QString, name);
        QFETCH(double, eta);
        QFETCH(QString, changes);
        const Json settings = deltasOf(changes);
        const std::string sampler = name.toStdString();
        const Run whole = run(sampler, {.eta = eta, .changes = settings});
        for (int split = 1; split < kSteps; ++split) {
            const Run first =
                run(sampler, {.end = split, .keepNoise = true, .eta = eta, .changes = settings});
            QVERIFY(first.result.carry);
            QVERIFY(first.result.carry->history.size() <= static_cast<size_t>(first.historyLength));
            const Run second =
                run(sampler,
                    {.start = split, .addNoise = false, .eta = eta, .changes = settings},
                    first.result.latents,
                    first.result.carry);
            QVERIFY2(at::equal(second.result.latents, whole.result.latents),
                     qPrintable(QString("split at %1").arg(split)));
        }
    }

    void threeRangesEqualOneBitForBit() {
        for (const std::string name : {"euler_a", "dpmpp_2m", "pndm", "unipc", "dpmpp_single"}) {
            const Run whole = run(name, {});
            const Run first = run(name, {.end = 2, .keepNoise = true});
            const Run second = run(name,
                                   {.start = 2, .end = 5, .addNoise = false, .keepNoise = true},
                                   first.result.latents,
                                   first.result.carry);
            const Run third = run(
                name, {.start = 5, .addNoise = false}, second.result.latents, second.result.carry);
            QVERIFY(at::equal(third.result.latents, whole.result.latents));
        }
    }

    /// Nor one where a fraction states where to begin, whatever the step states.
    void aCarryOfAnotherScheduleOrStepIsNotUsed() {
        const Run first = run("dpmpp_2m", {.end = 4, .keepNoise = true});
        const auto second = [&](const Part& part, bool withCarry) {
            return run("dpmpp_2m",
                       part,
                       first.result.latents,
                       withCarry ? first.result.carry : nullptr)
                .result.latents;
        };
        const Part matching{.start = 4, .addNoise = false};
        const Part otherKey{.start = 4, .addNoise = false, .key = "another schedule"};
        const Part otherStep{.start = 5, .addNoise = false};
        const Part ofAFraction{.start = 4, .addNoise = false, .startAt = 0.5};
        QVERIFY(!at::equal(second(matching, true), second(matching, false)));
        QVERIFY(at::equal(second(otherKey, true), second(otherKey, false)));
        QVERIFY(at::equal(second(otherStep, true), second(otherStep, false)));
        QVERIFY(at::equal(second(ofAFraction, true), second(ofAFraction, false)));
    }

    void aCarryThatDoesNotFitEndsTheRun_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"unipc", "deis", "dpmpp_2m_sde", "dpmpp_single"}) {
            QTest::newRow(name) << name;
        }
    }

    /// A solver that keeps more predictions than the one that goes on.
    void aCarryThatDoesNotFitEndsTheRun() {
        QFETCH(QString, name);
        const std::string sampler = name.toStdString();
        const Run first =
            run(sampler, {.end = 5, .keepNoise = true, .changes = {{"solver_order", 3}}});
        QVERIFY(first.result.carry->history.size() > 1);
        const auto error = testing::errorOf([&] {
            (void)run(sampler,
                      {.start = 5, .addNoise = false, .changes = {{"solver_order", 2}}},
                      first.result.latents,
                      first.result.carry);
        });
        QVERIFY(error && error->kind() == ErrorKind::Internal);
    }

    void aDamagedCarryEndsTheRun_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("keepsHistory");
        for (const char* name : {"unipc", "pndm"}) {
            QTest::addRow("%s without numbers", name) << name << true;
            QTest::addRow("%s without history", name) << name << false;
        }
    }

    void aDamagedCarryEndsTheRun() {
        QFETCH(QString, name);
        QFETCH(bool, keepsHistory);
        const std::string sampler = name.toStdString();
        const Run first = run(sampler, {.end = 1, .keepNoise = true});
        const auto carry = std::make_shared<tensor::SamplerCarry>(*first.result.carry);
        if (keepsHistory) {
            carry->scalars.clear();
        } else {
            carry->history.clear();
        }
        const auto error = testing::errorOf([&] {
            (void)run(sampler, {.start = 1, .addNoise = false}, first.result.latents, carry);
        });
        QVERIFY(error && error->kind() == ErrorKind::Internal);
    }

    void onlyKeptNoiseLeavesACarry() {
        QVERIFY(!run("dpmpp_2m", {}).result.carry);
        const auto carry = run("dpmpp_2m", {.end = 3, .keepNoise = true}).result.carry;
        QCOMPARE(carry->step, 3);
        QCOMPARE(carry->history.size(), 1U);
        QCOMPARE(carry->schedule, std::string("one schedule"));
    }

    void aRangeInTheMiddleStartsWithAStep() {
        const Run heun = run("heun", {.start = 3}, at::rand({2, 4, 5, 6}));
        QCOMPARE(heun.steps.front(), 6);
        QCOMPARE(heun.stages.front(), 0);
    }
};

LOWTIDE_TEST(DenoiseCarryTest)

}  // namespace lowtide::sampling::denoise_carry_test

#include "denoise_carry_test.moc"
