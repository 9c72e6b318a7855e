// LoRA files for HiDream-I1: the names of all tools, diffusers' sums, offloading; experts too.

#include "plugin/base/json.hpp"
#include "tests/fixtures/graph_edits.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace hidream_lora_test {

using namespace lowtide;

namespace {

constexpr qsizetype kFewestBytes = 100'000;
constexpr const char* kStrength = "0.75";  ///< of make_hidream_loras.py
constexpr const char* kCheckpoint = "hidream_1";

}  // namespace

class HiDreamLoraTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        plain_ = testing::hidreamGoldenFolder() + "/checkpoints/" + kCheckpoint;
        loras_ = testing::hidreamLoraFolder({kCheckpoint}) + "/" + kCheckpoint;
        expected_ = dumpOf(plain_, "comfyui");
        QVERIFY2(expected_.size() > kFewestBytes, expected_.constData());
    }

    void sumsAreThoseOfDiffusers() {
        const QByteArray fused = dumpOf(loras_ + "/fused", "");
        QVERIFY2(fused.size() > kFewestBytes, fused.constData());
        QVERIFY(expected_ != dumpOf(plain_, ""));
        const std::string problems =
            testing::disagreements(testing::tensorsIn(fused), testing::tensorsIn(expected_));
        QVERIFY2(problems.empty(), problems.c_str());
    }

    void allToolsNamesAreOne_data() {
        QTest::addColumn<QString>("file");
        for (const char* file : {"kohya", "peft", "bare", "diffusers"}) {
            QTest::newRow(file) << file;
        }
    }

    void allToolsNamesAreOne() {
        QFETCH(QString, file);
        const QByteArray seen = dumpOf(plain_, file);
        QVERIFY2(seen == expected_, seen.left(2000).constData());
    }

    void noPolicyChangesAByte_data() {
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"model", "sequential", "block:1+stream", "leaf+stream"}) {
            QTest::newRow(policy) << policy;
        }
    }

    void noPolicyChangesAByte() {
        QFETCH(QString, policy);
        const QByteArray seen = dumpOf(plain_, "comfyui", "fake", policy);
        QVERIFY2(seen == expected_, seen.left(2000).constData());
    }

private:
    /// Of a run of two steps with a LoRA, or without; an error's report where it fails.
    [[nodiscard]] QByteArray dumpOf(const QString& checkpoint,
                                    const QString& lora,
                                    const std::string& device = "cpu",
                                    const QString& policy = "none") const {
        const QTemporaryDir folder;
        Json graph = Json::parse(testing::exampleText("text_to_image"));
        Json settings = {"load.checkpoint=" + checkpoint.toStdString(),
                         "latent.width=64",
                         "latent.height=96",
                         "denoise.steps=2",
                         "denoise.cfg=3"};
        if (!lora.isEmpty()) {
            graph = testing::withLora(graph);
            settings.push_back("lora.file=" + (loras_ + "/" + lora).toStdString() + ".safetensors");
            settings.push_back(std::string("lora.strength=") + kStrength);
        }
        testing::EventLog log;
        const testing::ModuleRun ended =
            testing::runModule(graph.dump(),
                               {{"device", device},
                                {"set", settings},
                                {"policies", {"denoise=" + policy.toStdString()}},
                                {"out", folder.path().toStdString()},
                                {"dump", folder.filePath("dump.safetensors").toStdString()}},
                               log);
        return ended.status == Status::Ok ? ended.dump
                                          : QByteArray::fromStdString(ended.report.dump());
    }

    QString plain_;
    QString loras_;
    QByteArray expected_;
};

LOWTIDE_TEST(HiDreamLoraTest)

}  // namespace hidream_lora_test

#include "hidream_lora_test.moc"
