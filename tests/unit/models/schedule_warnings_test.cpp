// What a checkpoint's scheduler file asks for and a sampler does not do.

#include "plugin/base/json.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"
#include "tests/unit/models/image_bench.hpp"
#include "tests/unit/models/known_shapes.hpp"

#include <QtTest/QtTest>

namespace schedule_warnings_test {

using namespace lowtide;
using testing::CheckpointCopy;
using testing::ImageBench;

class ScheduleWarningsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void noiseWithoutSignalIsReported_whereNoStepBeginsThere_data() {
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<QString>("spacing");
        QTest::addColumn<QString>("item");
        // The classes of diffusers 0.42.1 that have no rescale_betas_zero_snr.
        for (const char* sampler : {"pndm", "lms", "heun", "kdpm2", "kdpm2_a", "deis"}) {
            QTest::newRow(sampler) << sampler << "sampler"
                                   << "sampler";
        }
        QTest::newRow("dpmpp_single") << "dpmpp_single"
                                      << "sampler"
                                      << "sampler";
        for (const char* sampler : {"ddim", "euler"}) {  // the mini model's file states leading
            QTest::addRow("%s leading", sampler) << sampler << "sampler"
                                                 << "spacing";
        }
        for (const char* sampler :
             {"ddim", "ddpm", "euler", "euler_a", "dpmpp_2m", "dpmpp_2m_sde", "unipc"}) {
            QTest::addRow("%s trailing", sampler) << sampler << "trailing" << QString();
        }
        for (const char* sampler : {"lcm", "tcd"}) {
            QTest::newRow(sampler) << sampler << "sampler" << QString();
        }
    }

    void noiseWithoutSignalIsReported_whereNoStepBeginsThere() {
        QFETCH(QString, sampler);
        QFETCH(QString, spacing);
        QFETCH(QString, item);
        const CheckpointCopy copy;
        copy.set("scheduler/scheduler_config.json", "rescale_betas_zero_snr", true);
        const Issues issues = issuesOf(copy.path(), sampler, spacing);
        QCOMPARE(issues.size(), item.isEmpty() ? 0U : 1U);
        if (!item.isEmpty()) {
            QCOMPARE(issues.front().severity, Severity::Warning);
            QCOMPARE(issues.front().code, std::string("zero_snr"));
            QCOMPARE(issues.front().item, item.toStdString());
            QVERIFY(!issues.front().hint.empty());
        }
    }

    void nothingIsReportedForOtherFiles() {
        QVERIFY(issuesOf("builtin:mini", "pndm", "sampler").empty());
    }

private:
    static Issues issuesOf(const std::string& checkpoint,
                           const QString& sampler,
                           const QString& spacing) {
        ImageBench bench(checkpoint);
        testing::DenoiseRequest request = bench.request("a cat", "");
        request.steps = 4;
        request.sampler = sampler.toStdString();
        request.spacing = spacing.toStdString();
        return testing::spec(bench.stages(),
                             testing::known({.positive = {1, 32, 128},
                                             .negative = {1, 32, 128},
                                             .latentKind = testing::emptyLatentSpec(64, 64)},
                                            request))
            .issues;
    }
};

LOWTIDE_TEST(ScheduleWarningsTest)

}  // namespace schedule_warnings_test

#include "schedule_warnings_test.moc"
