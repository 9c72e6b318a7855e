// LoRA files for HiDream-I1, experts too, for Z-Image and FLUX.1: the names of all tools,
// diffusers' sums, offloading.

#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/graph_edits.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>

namespace image_lora_test {

using namespace lowtide;

namespace {

constexpr qsizetype kFewestBytes = 100'000;
constexpr const char* kStrength = "0.75";  ///< of make_*_loras.py

/// A checkpoint, its LoRA files, and what a run with ComfyUI's gives.
struct Known {
    QString plain;
    QString loras;
    QByteArray expected{};
};

}  // namespace

class ImageLoraTest : public QObject {
    Q_OBJECT

    std::map<QString, Known> checkpoints_;

    void rows(std::initializer_list<const char*> ofEach,
              std::initializer_list<const char*> ofOwnNames = {}) {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("value");
        for (const auto& [checkpoint, known] : checkpoints_) {
            const auto add = [&](const char* value) {
                QTest::addRow("%s, %s", qPrintable(checkpoint), value) << checkpoint << value;
            };
            std::for_each(ofEach.begin(), ofEach.end(), add);
            if (!checkpoint.startsWith("hidream")) {
                std::for_each(ofOwnNames.begin(), ofOwnNames.end(), add);
            }
        }
    }

    /// Of a run of two steps with a LoRA, or without; an error's report where it fails.
    [[nodiscard]] static QByteArray dumpOf(const QString& checkpoint,
                                           const QString& lora,
                                           const std::string& device = "cpu",
                                           const QString& policy = "none") {
        const QTemporaryDir folder;
        Json graph = Json::parse(testing::exampleText("text_to_image"));
        Json settings = {"load.checkpoint=" + checkpoint.toStdString(),
                         "latent.width=64",
                         "latent.height=96",
                         "denoise.steps=2",
                         "denoise.cfg=3"};
        if (!lora.isEmpty()) {
            graph = testing::withLora(graph);
            settings.push_back("lora.file=" + lora.toStdString() + ".safetensors");
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

private Q_SLOTS:

    void initTestCase() {
        const auto add = [&](const QString& name, const QString& goldens, const QString& loras) {
            Known& known = checkpoints_[name];
            known = {.plain = goldens + "/checkpoints/" + name, .loras = loras + "/" + name};
            known.expected = dumpOf(known.plain, known.loras + "/comfyui");
            QVERIFY2(known.expected.size() > kFewestBytes, known.expected.constData());
        };
        add("hidream_1", testing::hidreamGoldenFolder(), testing::hidreamLoraFolder({"hidream_1"}));
        add("zimage_1", testing::zimageGoldenFolder(), testing::zimageLoraFolder({"zimage_1"}));
        add("flux_0", testing::fluxGoldenFolder(), testing::fluxLoraFolder({"flux_0"}));
    }

    void sumsAreThoseOfDiffusers_data() { rows({"fused"}); }

    void sumsAreThoseOfDiffusers() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, value);
        const Known& known = checkpoints_.at(checkpoint);
        const QByteArray fused = dumpOf(known.loras + "/" + value, "");
        QVERIFY2(fused.size() > kFewestBytes, fused.constData());
        QVERIFY(known.expected != dumpOf(known.plain, ""));
        const std::string problems =
            testing::disagreements(testing::tensorsIn(fused), testing::tensorsIn(known.expected));
        QVERIFY2(problems.empty(), problems.c_str());
    }

    void allToolsNamesAreOne_data() {
        rows({"kohya", "peft", "bare", "diffusers"}, {"own", "kohya_own"});
    }

    void allToolsNamesAreOne() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, value);
        const Known& known = checkpoints_.at(checkpoint);
        const QByteArray seen = dumpOf(known.plain, known.loras + "/" + value);
        QVERIFY2(seen == known.expected, seen.left(2000).constData());
    }

    /// What XLabs' trainers train, in their names and in diffusers'; OneTrainer's begin otherwise.
    void fluxHasMoreNames() {
        const Known& known = checkpoints_.at("flux_0");
        const QByteArray attentions = dumpOf(known.plain, known.loras + "/attentions");
        QVERIFY2(attentions.size() > kFewestBytes, attentions.left(2000).constData());
        QVERIFY(attentions != dumpOf(known.plain, ""));
        QVERIFY(dumpOf(known.plain, known.loras + "/xlabs") == attentions);
        QVERIFY(dumpOf(known.plain, known.loras + "/onetrainer") == known.expected);
    }

    void noPolicyChangesAByte_data() {
        rows({"model", "sequential", "block:1+stream", "leaf+stream"});
    }

    void noPolicyChangesAByte() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, value);
        const Known& known = checkpoints_.at(checkpoint);
        const QByteArray seen = dumpOf(known.plain, known.loras + "/comfyui", "fake", value);
        QVERIFY2(seen == known.expected, seen.left(2000).constData());
    }

    /// A file of one family, a checkpoint of the other.
    void anotherFamilysIsRefused() {
        const Known& hidream = checkpoints_.at("hidream_1");
        const Known& zimage = checkpoints_.at("zimage_1");
        const QByteArray seen = dumpOf(hidream.plain, zimage.loras + "/kohya_own");
        QVERIFY2(seen.contains("needs one for HiDream-I1") && seen.contains("Z-Image"),
                 seen.constData());
        const QByteArray other = dumpOf(zimage.plain, hidream.loras + "/kohya");
        QVERIFY2(other.contains("needs one for Z-Image") && other.contains("HiDream-I1"),
                 other.constData());
    }
};

LOWTIDE_TEST(ImageLoraTest)

}  // namespace image_lora_test

#include "image_lora_test.moc"
