#include "plugin/base/json.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

namespace presets_test {

using namespace lowtide;
using namespace lowtide::testing;

namespace {

QStringList builtinIds(const QString& below = {}) {
    QStringList ids;
    const QDir folder(sourcePath("resources/presets/" + below));
    for (const QString& name : folder.entryList({"*.json"})) {
        ids.push_back(name.chopped(5));
    }
    return ids;
}

/// What a preset's images depend on, except for its prompt, its image and the batch.
Json computedBy(const QString& id) {
    const QByteArray text = contentsOf(sourcePath("resources/presets/" + id + ".json"));
    Json preset = parseJson(text.toStdString(), "preset");
    for (Json& node : preset.at("nodes")) {
        node.erase("memory");
        node.erase("position");
        for (const char* choice : {"prompt", "batch", "image"}) {
            node.at("params").erase(choice);
        }
    }
    return Json::array({preset.at("nodes"), preset.at("links")});
}

}  // namespace

class PresetsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        home_ = std::make_unique<QTemporaryDir>();
        qputenv("XDG_DATA_HOME", home_->path().toUtf8());
    }

    void listsThoseThatComeWithTheProgram_andOnesOwn() {
        putOwn("mine", contentsOf(sourcePath("resources/presets/upscale_without_model.json")));

        const CommandResult result = runInProcess({"presets", "--json"});

        QCOMPARE(result.exitCode, 0);
        QStringList ids;
        for (const Json& preset : parseJson(result.output.toStdString(), "presets")) {
            ids.push_back(QString::fromStdString(preset.at("id").get<std::string>()));
        }
        QCOMPARE(ids, QStringList{"mine"} + builtinIds());
    }

    void acceptsEveryBuiltInPreset_data() {
        QTest::addColumn<QString>("id");
        for (const QString& id : builtinIds() + builtinIds("earlier")) {
            QTest::newRow(qPrintable(id)) << id;
        }
    }

    void acceptsEveryBuiltInPreset() {
        QFETCH(QString, id);

        const CommandResult result =
            runInProcess({"check", id, "--model-folder", hollowModelFolder()});

        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
    }

    void namesTheFileThatAPresetWants_data() {
        testing::addTable<QString, QString, QString>(
            {"id", "param", "file"},
            {{"checkpoint", "sdxl_base_refiner", "load.checkpoint", "sd_xl_base_1.0.safetensors"},
             {"ControlNet",
              "controlnet_08gib",
              "load_control.controlnet",
              "control_v11p_sd15_canny_fp16.safetensors"},
             {"IP-Adapter",
              "sdxl_ip_adapter_12gib",
              "load_ip.adapter",
              "ip-adapter_sdxl_vit-h.safetensors"},
             {"upscaler", "upscale_model", "load_upscaler.upscaler", "RealESRGAN_x4plus.pth"},
             {"folder",
              "image_to_video_folder_12gib",
              "load.checkpoint",
              "Wan2.1-I2V-14B-480P-Diffusers"},
             {"LoRA",
              "sdxl_lora_12gib",
              "lora.file",
              "sd_xl_offset_example-lora_1.0.safetensors"}});
    }

    void namesTheFileThatAPresetWants() {
        QFETCH(QString, id);
        QFETCH(QString, param);
        QFETCH(QString, file);

        const QTemporaryDir folder;  // what is next to that file
        for (const char* part : {"checkpoints", "pictures"}) {
            if (param != "load.checkpoint") {
                QVERIFY(QFile::link(hollowModelFolder() + "/" + part, folder.filePath(part)));
            }
        }

        const CommandResult result = runLowtide({"check", id, "--model-folder", folder.path()});

        QCOMPARE(result.exitCode, 2);
        QVERIFY2(result.errors.contains(param) && result.errors.contains(file),
                 qPrintable(result.errors));
    }

    void makesAnImage_ofABuiltInPreset_data() {
        testing::addTable<QString, int>(
            {"name", "width"},
            {{"by id", "text_to_image", 128},
             {"by the id of an earlier version", "text_to_image_speed", 128},
             {"by title", "IMAGE to image", 128},
             {"by the title of an earlier version", "image to image, SPEED", 128},
             {"with a mask", "inpaint", 128},
             {"enlarged", "upscale_without_model", 256}});
    }

    void makesAnImage_ofABuiltInPreset() {
        QFETCH(QString, name);
        QFETCH(int, width);

        const CommandResult result = runInProcess({"run", name, "--out", home_->path()});

        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QCOMPARE(QImage(home_->filePath("lowtide_00001.png")).width(), width);
    }

    /// By the id of the one that it replaces. What fits it to a GPU changes no image.
    void makesTheImagesOfAnEarlierPreset_data() {
        testing::addTable<QString>({"preset"},
                                   {{"text_to_image_balanced", "text_to_image"},
                                    {"image_to_image_balanced", "image_to_image"},
                                    {"inpaint_balanced", "inpaint"},
                                    {"upscale_balanced", "upscale"},
                                    {"upscale_speed", "upscale_without_model"},
                                    {"sdxl_08gib", "sdxl"},
                                    {"sdxl_12gib", "sdxl"},
                                    {"sdxl_24gib", "sdxl"},
                                    {"hidream_08gib", "hidream_fast"},
                                    {"hidream_12gib", "hidream_dev"},
                                    {"hidream_16gib", "hidream_full"},
                                    {"hidream_24gib", "hidream_full"},
                                    {"zimage_08gib", "zimage_turbo"},
                                    {"zimage_12gib", "zimage_turbo"},
                                    {"zimage_16gib", "zimage_turbo"},
                                    {"flux_12gib", "flux_dev"},
                                    {"flux_24gib", "flux_schnell"}});
    }

    void makesTheImagesOfAnEarlierPreset() {
        QFETCH(QString, preset);

        QCOMPARE(computedBy(preset), computedBy(QString("earlier/") + QTest::currentDataTag()));
    }

    /// Who reads "the fox turns its head" above a dog does not believe the rest.
    void aPromptThatKeepsTheImageNamesWhatItShows_data() {
        QTest::addColumn<QString>("id");
        for (const QString& id : builtinIds()) {
            const QByteArray text = contentsOf(sourcePath("resources/presets/" + id + ".json"));
            const bool keeps =
                text.contains("encode.video_start") || text.contains("finish.detail");
            if (keeps && text.contains("pictures/dog.png") && text.contains("prompt.encode")) {
                QTest::newRow(qPrintable(id)) << id;
            }
        }
    }

    void aPromptThatKeepsTheImageNamesWhatItShows() {
        QFETCH(QString, id);
        const Json preset = parseJson(
            contentsOf(sourcePath("resources/presets/" + id + ".json")).toStdString(), "preset");
        for (const auto& [name, node] : preset.at("nodes").items()) {
            if (node.at("type") == "prompt.encode") {
                const auto prompt = node.at("params").at("prompt").get<std::string>();
                QVERIFY2(prompt.find("dog") != std::string::npos, prompt.c_str());
            }
        }
    }

    void takesOnesOwnPreset_beforeABuiltInOne() {
        QByteArray own = contentsOf(sourcePath("resources/presets/upscale_without_model.json"));
        own.replace("\"scale\": 2.0", "\"scale\": 3.0");
        own.replace("pictures/dog.png", sourcePath("examples/pictures/dog.png").toUtf8());
        putOwn("upscale_without_model", own);

        const CommandResult result =
            runInProcess({"run", "upscale_without_model", "--out", home_->path()});

        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QCOMPARE(QImage(home_->filePath("lowtide_00001.png")).width(), 384);
    }

    void namesTheNearestPreset_whenThereIsNone() {
        const CommandResult result = runInProcess({"run", "upscale_modle"});

        QCOMPARE(result.exitCode, 2);
        QVERIFY2(result.errors.contains("upscale_model"), qPrintable(result.errors));
    }

    void reportsWhatIsWrongWithADamagedPreset() {
        putOwn("newer", R"({"format": 1, "nodes": {}, "preset": {"version": 9}})");

        const CommandResult listed = runInProcess({"presets"});
        const CommandResult run = runInProcess({"run", "newer"});

        QCOMPARE(listed.exitCode, 0);
        QVERIFY2(listed.errors.contains("newer.json"), qPrintable(listed.errors));
        QVERIFY2(listed.errors.contains("version 9"), qPrintable(listed.errors));
        QVERIFY2(run.exitCode != 0 && run.errors.contains("version 9"), qPrintable(run.errors));
    }

private:
    void putOwn(const QString& id, const QByteArray& bytes) const {
        testing::writeFile(home_->filePath("lowtide/presets/" + id + ".json"), bytes);
    }

    std::unique_ptr<QTemporaryDir> home_;
};

LOWTIDE_TEST(PresetsTest)

}  // namespace presets_test

#include "presets_test.moc"
