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

#include <map>

namespace wan_lora_test {

using namespace lowtide;

namespace {

constexpr qsizetype kFewestBytes = 100'000;
constexpr const char* kStrength = "0.75";  ///< of make_wan_loras.py
const char* const kCheckpoints[] = {"wan_i2v_0", "wan_t2v_0"};
constexpr const char* kBothNoiseModels = "wan22_t2v_0";

bool beginsWithImage(const QString& checkpoint) {
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
        loras_ = testing::wanLoraFolder({kCheckpoints[0], kCheckpoints[1], kBothNoiseModels});
        for (const QString checkpoint : kCheckpoints) {
            const QByteArray seen = dumpOf(checkpoint, folderOf(checkpoint), "comfyui");
            QVERIFY2(seen.size() > kFewestBytes, seen.constData());
            expected_[checkpoint] = seen;
        }
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
        QVERIFY2(fused.size() > kFewestBytes, fused.constData());
        QVERIFY(expected_[checkpoint] != dumpOf(checkpoint, folderOf(checkpoint), ""));
        const std::string problems = testing::disagreements(
            testing::tensorsIn(fused), testing::tensorsIn(expected_[checkpoint]));
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
        const QByteArray seen = dumpOf(checkpoint, folderOf(checkpoint), file);
        QVERIFY2(seen == expected_[checkpoint], seen.left(2000).constData());
    }

    void noPolicyChangesAByte_data() { everyCheckpoint_data(); }

    void noPolicyChangesAByte() {
        QFETCH(QString, checkpoint);
        for (const char* policy : {"model", "sequential", "block:1+stream", "leaf+stream"}) {
            const QByteArray seen =
                dumpOf(checkpoint, folderOf(checkpoint), "comfyui", "fake", policy);
            QVERIFY2(seen == expected_[checkpoint], seen.left(2000).constData());
        }
    }

    /// Two LoRAs: one after the other is both at once, and in a part of the schedule the LoRA of
    /// the noise model that does not run has no effect.
    void oneNoiseModelIsAdapted() {
        const auto ran = [&](const Json& noiseModels, const Json& part = Json::array()) {
            return dumpOfNoiseModels(noiseModels, part);
        };
        const QByteArray both = ran({"both"});
        QVERIFY2(both.size() > kFewestBytes, both.constData());
        QVERIFY(ran({"high_noise", "low_noise"}) == both);
        const QByteArray high = ran({"high_noise"});
        const QByteArray low = ran({"low_noise"});
        const QByteArray plain = ran(Json::array());
        QVERIFY(high != both && low != both && high != low && plain != high && plain != low);
        const Json first = {"denoise.end_step=2"};  // all of them the high-noise model's
        QVERIFY(ran({"low_noise"}, first) == ran(Json::array(), first));
        QVERIFY(ran({"high_noise"}, first) == ran({"both"}, first));
        const Json second = {"denoise.start_step=2"};
        QVERIFY(ran({"high_noise"}, second) == ran(Json::array(), second));
        QVERIFY(ran({"low_noise"}, second) == ran({"both"}, second));
        for (const char* policy : {"model", "leaf+stream"}) {
            QVERIFY(dumpOfNoiseModels({"high_noise"}, Json::array(), policy) == high);
            QVERIFY(dumpOfNoiseModels({"low_noise"}, Json::array(), policy) == low);
        }
    }

    void oneDenoiserHasNoNoiseModels() {
        const QByteArray message = dumpOf(
            "wan_t2v_0", folderOf("wan_t2v_0"), "comfyui", "cpu", "none", "quality", "low_noise");
        QVERIFY2(message.contains("has one denoiser") && message.contains("\"item\":\"expert\""),
                 message.constData());
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
        for (const auto& [policy, precision] : {std::pair("none", "quality"),
                                                {"leaf+stream", "quality"},
                                                {"none", "quality,storage=f32"},
                                                {"leaf+stream", "quality,storage=f32"}}) {
            const QByteArray seen =
                dumpOf(checkpoint, split + file, "comfyui", "fake", policy, precision);
            QVERIFY2(seen == expected, seen.left(2000).constData());
        }
    }

private:
    QString folderOf(const QString& checkpoint) const {
        return goldens_ + "/checkpoints/" + checkpoint;
    }

    /// Two steps of each noise model of the text-to-video example; a LoRA for `noiseModels`.
    QByteArray dumpOfNoiseModels(const Json& noiseModels,
                                 const Json& part,
                                 const QString& policy = "none") {
        Json graph = Json::parse(testing::exampleText("text_to_video"));
        std::string last = "load";
        for (const Json& noiseModel : noiseModels) {
            const std::string id = "lora_" + noiseModel.get<std::string>();
            graph["nodes"][id] = {
                {"type", "load.lora"},
                {"params",
                 {{"file", loras_.toStdString() + "/" + kBothNoiseModels + "/comfyui.safetensors"},
                  {"expert", noiseModel}}}};
            for (Json& link : graph["links"]) {
                if (link["from"] == Json({last, "model"})) {
                    link["from"] = {id, "model"};
                }
            }
            graph["links"].push_back({{"from", {last, "model"}}, {"to", {id, "model"}}});
            last = id;
        }
        Json set = {"video.width=64",
                    "video.height=48",
                    "video.frames=5",
                    "denoise.steps=4",
                    "denoise.shift=3",
                    "save_video.format=png",
                    "load.checkpoint=" + folderOf(kBothNoiseModels).toStdString()};
        set.insert(set.end(), part.begin(), part.end());
        return dumpWith(graph, set, policy == "none" ? "cpu" : "fake", policy, "quality");
    }

    /// The dump, or what went wrong; `model`: a checkpoint's folder, or the file
    /// of a denoiser next to the files of its other networks.
    QByteArray dumpOf(const QString& checkpoint,
                      const QString& model,
                      const QString& lora,
                      const QString& device = "cpu",
                      const QString& policy = "none",
                      const QString& precision = "quality",
                      const char* noiseModel = "both") {
        const bool isFile = model.endsWith(".safetensors") || model.endsWith(".gguf");
        const bool hasImage = beginsWithImage(checkpoint);
        const QString example = hasImage ? "image_to_video" : "text_to_video";
        Json set = {"video.width=64",
                    "video.height=48",
                    "video.frames=5",
                    "denoise.steps=2",
                    "save_video.format=png",
                    std::string("lora.strength=") + kStrength,
                    std::string("lora.expert=") + noiseModel,
                    (isFile ? "load.file=" : "load.checkpoint=") + model.toStdString()};
        if (!lora.isEmpty()) {
            set.push_back("lora.file=" +
                          (loras_ + "/" + checkpoint + "/" + lora + ".safetensors").toStdString());
        }
        if (hasImage) {
            set.push_back("load_image.image=" + goldens_.toStdString() + "/images/init.png");
        }
        for (const char* part : {"text_encoder", "autoencoder"}) {
            if (isFile) {
                set.push_back(part +
                              (".file=" + model.section('/', 0, -2) + "/" + part).toStdString() +
                              ".safetensors");
            }
        }
        return dumpWith(
            withLora(example + (isFile ? "_files" : "")), set, device, policy, precision);
    }

    /// Of the second run where weights are copied to a device, or what went wrong.
    static QByteArray dumpWith(const Json& graph,
                               const Json& set,
                               const QString& device,
                               const QString& policy,
                               const QString& precision) {
        const QTemporaryDir folder;
        Json options = {{"set", set},
                        {"device", device.toStdString()},
                        {"repeat", device == "fake" ? 2 : 1},
                        {"out", folder.path().toStdString()},
                        {"dump", folder.filePath("dump.safetensors").toStdString()}};
        for (const char* stage : {"encode=", "denoise=", "decode="}) {
            options["policies"].push_back(stage + policy.toStdString());
            options["precisions"].push_back(stage + precision.toStdString());
        }
        testing::EventLog log;
        const testing::ModuleRun ended = testing::runModule(graph.dump(), options, log);
        testing::openModule().runner()->release("all");
        return ended.status == Status::Ok
                   ? ended.dump
                   : QByteArray::fromStdString(ended.report.at("issues").dump());
    }

    QString goldens_;
    QString loras_;
    std::map<QString, QByteArray> expected_;  ///< by checkpoint: with ComfyUI's file
};

LOWTIDE_TEST(WanLoraTest)

}  // namespace wan_lora_test

#include "wan_lora_test.moc"
