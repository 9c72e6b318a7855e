// FLUX.1 dev and schnell under every policy: the same bytes, the peak as planned, nothing left.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/policy_runs.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>

namespace flux_cases_test {

using namespace lowtide;

class FluxCasesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::map<std::string, QByteArray> expected_;  ///< by checkpoint

    Json options(const std::string& checkpoint,
                 const std::string& policy,
                 const std::string& device) const {
        const std::string root = testing::fluxGoldenFolder().toStdString() + "/checkpoints/";
        return {{"device", device},
                {"set",
                 {"load.checkpoint=" + root + checkpoint,
                  "encode.prompt=a boat on the lake",
                  "encode.negative=fog",
                  "encode.length=64",
                  "latent.width=96",
                  "latent.height=64",
                  "latent.batch=2",
                  "denoise.steps=2",
                  "denoise.cfg=4"}},
                {"out", folder_.path().toStdString()},
                {"forceExecution", true},
                {"policies", testing::ofStages({"encode", "denoise", "decode"}, policy)}};
    }

private Q_SLOTS:

    void cleanup() { testing::checkNothingStays(); }

    void noPolicyChangesAByte_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("policy");
        for (const char* checkpoint : {"flux_0", "flux_1"}) {
            for (const char* policy : testing::kEveryPolicy) {
                QTest::addRow("%s, %s", checkpoint, policy) << checkpoint << policy;
            }
        }
    }

    /// Three times; and the peak is the one of the plan.
    void noPolicyChangesAByte() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, policy);
        const std::string name = checkpoint.toStdString();
        const std::string graph = testing::exampleText("text_to_image");
        QByteArray& expected = expected_[name];
        if (expected.isEmpty()) {
            expected = testing::dumpToCompare(
                testing::runDumping(graph, options(name, "none", "cpu"), folder_));
        }
        Json wanted = options(name, policy.toStdString(), "fake:256MiB");
        wanted["repeat"] = 3;
        const testing::ModuleRun ended = testing::runDumping(graph, wanted, folder_);
        testing::checkBits(ended, expected);
        testing::checkPeaks(ended);
    }
};

LOWTIDE_TEST(FluxCasesTest)

}  // namespace flux_cases_test

#include "flux_cases_test.moc"
