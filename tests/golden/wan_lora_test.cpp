// LoRA files for WAN: the names of all tools, diffusers' sums, offloading and quantised weights.

#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace wan_lora_test {

using namespace lowtide;

namespace {

constexpr qsizetype kFewestBytes = 100'000;
constexpr const char* kStrength = "0.75";  ///< of make_wan_loras.py
const char* const kCheckpoints[] = {"wan_i2v_0", "wan_t2v_0"};

bool beginsWithPicture(const QString& checkpoint) {
    return checkpoint.startsWith("wan_i2v");
}

/// An example with a LoRA between the model and all that takes it.
Json withLora(const QString& example) {
    Json graph = Json::parse(testing::exampleText(example));
    for (Json& link : graph["links"]) {
        if (link["from"] == Json({"load", "model"})) {
            link["from"] = {"lora", "model"};
        }
    }
    graph["nodes"]["lora"] = {{"type", "load.lora"}, {"params", {{"file", ""}}}};
    graph["links"].push_back({{"from", {"load", "model"}}, {"to", {"lora", "model"}}});
    return graph;
}

}  // namespace

class WanLoraTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::wanGoldenFolder();
        loras_ = testing::wanLoraFolder({kCheckpoints[0], kCheckpoints[1]});
    }

    void everyCheckpoint_data() {
        QTest::addColumn<QString>("checkpoint");
        for (const char* checkpoint : kCheckpoints) {
            QTest::newRow(checkpoint) << checkpoint;
        }
    }

    void sumsAreThoseOfDiffusers_data() { everyCheckpoint_data(); }

    void sumsAreThoseOfDiffusers() {
        QFETCH(QString, checkpoint);
        const QByteArray fused = dumpOf(checkpoint, loras_ + "/" + checkpoint + "/fused", "");
        const QByteArray seen = dumpOf(checkpoint, folderOf(checkpoint), "comfyui");
        QVERIFY2(fused.size() > kFewestBytes && seen.size() > kFewestBytes, seen.constData());
        QVERIFY(seen != dumpOf(checkpoint, folderOf(checkpoint), ""));
        const std::string problems =
            testing::disagreements(testing::tensorsIn(fused), testing::tensorsIn(seen));
        QVERIFY2(problems.empty(), problems.c_str());
    }

    void allToolsNamesAreOne_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("file");
        for (const char* checkpoint : kCheckpoints) {
            for (const char* file : {"kohya", "peft", "bare", "diffusers"}) {
                QTest::addRow("%s %s", checkpoint, file) << checkpoint << file;
            }
        }
    }

    void allToolsNamesAreOne() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, file);
        const QByteArray expected = dumpOf(checkpoint, folderOf(checkpoint), "comfyui");
        QVERIFY2(expected.size() > kFewestBytes, expected.constData());
        const QByteArray seen = dumpOf(checkpoint, folderOf(checkpoint), file);
        QVERIFY2(seen == expected, seen.left(2000).constData());
    }

    void noPolicyChangesAByte_data() { everyCheckpoint_data(); }

    void noPolicyChangesAByte() {
        QFETCH(QString, checkpoint);
        const QByteArray expected = dumpOf(checkpoint, folderOf(checkpoint), "comfyui");
        for (const char* policy : {"model", "sequential", "block:1+stream", "leaf+stream"}) {
            const QByteArray seen =
                dumpOf(checkpoint, folderOf(checkpoint), "comfyui", "fake", policy);
            QVERIFY2(seen == expected, seen.left(2000).constData());
        }
    }

    /// The case of ComfyUI #15365: fp8, a LoRA, offloading, twice in one process.
    void isAddedAfterDecoding_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("fp8") << "diffusion_model_fp8.safetensors";
        QTest::newRow("q4_k") << "diffusion_model_q4_k.gguf";
    }

    void isAddedAfterDecoding() {
        QFETCH(QString, file);
        const QString checkpoint = "wan_t2v_0";
        const QString split = testing::splitFileFolder({checkpoint}) + "/" + checkpoint + "/";
        const QString decoded = split + file.section('.', 0, 0) + "_decoded.safetensors";
        const QByteArray expected = dumpOf(checkpoint, decoded, "comfyui");
        QVERIFY2(expected.size() > kFewestBytes, expected.constData());
        for (const char* precision : {"quality", "quality,storage=file"}) {
            const QByteArray seen =
                dumpOf(checkpoint, split + file, "comfyui", "fake", "leaf+stream", precision);
            QVERIFY2(seen == expected, seen.left(2000).constData());
        }
    }

private:
    QString folderOf(const QString& checkpoint) const {
        return goldens_ + "/checkpoints/" + checkpoint;
    }

    /// The dump of the second run, or what went wrong; `model`: a checkpoint's folder, or the file
    /// of a denoiser beside the files of its other networks.
    QByteArray dumpOf(const QString& checkpoint,
                      const QString& model,
                      const QString& lora,
                      const QString& device = "cpu",
                      const QString& policy = "none",
                      const QString& precision = "quality") {
        const bool isFile = model.endsWith(".safetensors") || model.endsWith(".gguf");
        const bool hasPicture = beginsWithPicture(checkpoint);
        const QString example = hasPicture ? "image_to_video" : "text_to_video";
        Json set = {"video.width=64",
                    "video.height=48",
                    "video.frames=5",
                    "denoise.steps=2",
                    "save_video.format=png",
                    std::string("lora.strength=") + kStrength,
                    (isFile ? "load.file=" : "load.checkpoint=") + model.toStdString()};
        if (!lora.isEmpty()) {
            set.push_back("lora.file=" +
                          (loras_ + "/" + checkpoint + "/" + lora + ".safetensors").toStdString());
        }
        if (hasPicture) {
            set.push_back("load_image.image=" + goldens_.toStdString() + "/images/init.png");
        }
        for (const char* part : {"text_encoder", "autoencoder"}) {
            if (isFile) {
                set.push_back(part +
                              (".file=" + model.section('/', 0, -2) + "/" + part).toStdString() +
                              ".safetensors");
            }
        }
        const QTemporaryDir folder;
        Json options = {{"set", set},
                        {"device", device.toStdString()},
                        {"repeat", 2},
                        {"out", folder.path().toStdString()},
                        {"dump", folder.filePath("dump.safetensors").toStdString()}};
        for (const char* stage : {"encode=", "denoise=", "decode="}) {
            options["policies"].push_back(stage + policy.toStdString());
            options["precisions"].push_back(stage + precision.toStdString());
        }
        testing::EventLog log;
        const testing::ModuleRun ended =
            testing::runModule(withLora(example + (isFile ? "_files" : "")).dump(), options, log);
        testing::openModule().runner()->release("all");
        return ended.status == Status::Ok
                   ? ended.dump
                   : QByteArray::fromStdString(ended.report.at("issues").dump());
    }

    QString goldens_;
    QString loras_;
};

LOWTIDE_TEST(WanLoraTest)

}  // namespace wan_lora_test

#include "wan_lora_test.moc"
