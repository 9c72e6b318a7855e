// FLUX.1 dev and schnell, or Z-Image-Turbo and Z-Image, under every policy: the same bytes, the
// peak as planned, nothing left.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/tested_family.hpp"
#include "tests/journey/policy_runs.hpp"

#include <QImage>
#include <QtTest/QtTest>

#include <map>
#include <vector>

namespace image_cases_test {

using namespace lowtide;

namespace {

struct Family {
    std::string name;
    QString (*goldens)();
    std::vector<std::string> settings;  ///< its own
};

const Family kFamilies[] = {
    {"flux", testing::fluxGoldenFolder, {"encode.negative=fog", "encode.length=64"}},
    {"zimage",
     testing::zimageGoldenFolder,
     {"encode.negative=fog, and nothing that is longer than the other prompt"}}};

}  // namespace

class ImageCasesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::map<std::string, QByteArray> expected_;  ///< by checkpoint

    /// But for the guidance.
    static std::vector<std::string> settings(const std::string& checkpoint) {
        const Family& family = testing::ofTestedFamily(kFamilies);
        const std::string root = family.goldens().toStdString() + "/checkpoints/";
        std::vector<std::string> settings = {"load.checkpoint=" + root + checkpoint,
                                             "encode.prompt=a boat on the lake",
                                             "latent.width=96",
                                             "latent.height=64",
                                             "latent.batch=2",
                                             "denoise.steps=2"};
        settings.insert(settings.end(), family.settings.begin(), family.settings.end());
        return settings;
    }

    Json options(const std::vector<std::string>& settings,
                 const std::string& policy,
                 const std::string& device) const {
        return {{"device", device},
                {"set", settings},
                {"out", folder_.path().toStdString()},
                {"forceExecution", true},
                {"policies", testing::ofStages({"encode", "denoise", "decode"}, policy)}};
    }

private Q_SLOTS:

    void cleanup() { testing::checkNothingIsLeft(); }

    void noPolicyChangesAByte_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("policy");
        const std::string family = testing::ofTestedFamily(kFamilies).name;
        for (const std::string& checkpoint : {family + "_0", family + "_1"}) {
            for (const char* policy : testing::testedPolicies()) {
                QTest::addRow("%s, %s", checkpoint.c_str(), policy)
                    << QString::fromStdString(checkpoint) << policy;
            }
        }
    }

    /// Three times; and the peak is the one of the plan.
    void noPolicyChangesAByte() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, policy);
        const std::string name = checkpoint.toStdString();
        const std::string graph = testing::exampleText("text_to_image");
        std::vector<std::string> asked = settings(name);
        asked.emplace_back("denoise.cfg=4");
        QByteArray& expected = expected_[name];
        if (expected.isEmpty()) {
            expected = testing::dumpToCompare(
                testing::runDumping(graph, options(asked, "none", "cpu"), folder_));
        }
        Json wanted = options(asked, policy.toStdString(), "fake:256MiB");
        wanted["repeat"] = 3;
        const testing::ModuleRun ended = testing::runDumping(graph, wanted, folder_);
        testing::checkBits(ended, expected);
        testing::checkPeaks(ended);
    }

    /// What a graph does not set is the model's own: no true guidance, and no second pass.
    void aGraphWithoutGuidanceRunsWithTheUsualOne() {
        const std::vector<std::string> unset = settings(usuallyUnguided());
        std::vector<std::string> off = unset;
        off.emplace_back("denoise.cfg=1");
        const auto ran = [&](const std::vector<std::string>& asked) {
            return testing::runDumping(
                graphWithoutGuidance(), options(asked, "model", "fake:256MiB"), folder_);
        };

        const testing::ModuleRun automatic = ran(unset);

        testing::checkBits(automatic, testing::dumpToCompare(ran(off)));
        testing::checkPeaks(automatic);
    }

    void theCommandReportsTheGuidance_data() {
        testing::addTable<QStringList, bool, QString>(
            {"guidance", "isAutomatic", "reported"},
            {{"not in the graph", {}, true, "CFG scale: 1, "},
             {"set", {"--set", "denoise.cfg=3"}, false, "CFG scale: 3, "}});
    }

    /// Before the run as a note, after it in the image.
    void theCommandReportsTheGuidance() {
        QFETCH(QStringList, guidance);
        QFETCH(bool, isAutomatic);
        QFETCH(QString, reported);
        const QString graph = folder_.filePath("without.json");
        testing::writeFile(graph, graphWithoutGuidance().c_str());
        QStringList arguments = {graph};
        for (const std::string& setting : settings(usuallyUnguided())) {
            arguments << "--set" << QString::fromStdString(setting);
        }
        arguments << guidance;

        const testing::CommandResult check =
            testing::runInProcess(QStringList{"check"} + arguments);
        const testing::CommandResult run = testing::runInProcess(
            QStringList{"run"} + arguments + QStringList{"--out", folder_.path()});

        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const QString note = QString("the guidance is 1, with which %1 is usually run")
                                 .arg(QString::fromStdString(usuallyUnguided()));
        QCOMPARE((check.output + check.errors).contains(note), isAutomatic);
        const QString image = run.output.trimmed().split('\n').front();
        const QString text = QImage(image).text("parameters");
        QVERIFY2(text.contains(reported), qPrintable(text));
    }

private:
    /// FLUX.1 dev or Z-Image-Turbo.
    static std::string usuallyUnguided() { return testing::ofTestedFamily(kFamilies).name + "_0"; }

    static std::string graphWithoutGuidance() {
        Json graph = Json::parse(testing::exampleText("text_to_image"));
        graph["nodes"]["denoise"]["params"].erase("cfg");
        return graph.dump();
    }
};

LOWTIDE_TEST(ImageCasesTest)

}  // namespace image_cases_test

#include "image_cases_test.moc"
