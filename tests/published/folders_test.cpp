// Where published models lie: shards, folders of one network, Hugging Face's cache, folders of
// models.
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/published/published_rows.hpp"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace folders_test {

using namespace lowtide;

namespace {

const QString kVae = "models/vae/wan_2.1_vae.safetensors";
const QString kUmt5 = "models/text_encoders/umt5_xxl_fp8_e4m3fn_scaled.safetensors";

std::string at(const QString& relative) {
    return (testing::publishedFolder() + "/" + relative).toStdString();
}

Json recognised(const QString& relative) {
    std::string text;
    testing::publishedModule().call(
        "recognise", Json{{"path", at(relative)}}.dump(), nullptr, text);
    return Json::parse(text);
}

/// A plan of an example's graph with settings ("load.file", value); its answer.
Json planned(const QString& graph, const std::vector<std::pair<std::string, std::string>>& sets) {
    Json set = Json::array();
    for (const auto& [param, value] : sets) {
        set.push_back(param + "=" + value);
    }
    const QString path = testing::sourcePath("examples/graphs/" + graph + ".json");
    const Json options = {{"as", "RTX 4090"}, {"set", set}};
    std::string text;
    testing::publishedModule().runner()->plan(
        testing::contentsOf(path).toStdString(), options.dump(), text);
    return Json::parse(text);
}

std::vector<std::pair<std::string, std::string>> videoOf(const QString& file,
                                                         const QString& text = kUmt5,
                                                         const QString& vae = kVae) {
    return {{"load.file", at(file)},
            {"text_encoder.file", at(text)},
            {"autoencoder.file", at(vae)},
            {"video.width", "832"},
            {"video.height", "480"},
            {"video.frames", "33"}};
}

std::vector<std::string> codesOf(const Json& answer) {
    std::vector<std::string> codes;
    for (const Json& issue : answer.at("issues")) {
        codes.push_back(issue.value("code", ""));
    }
    return codes;
}

bool has(const std::vector<std::string>& codes, const char* code) {
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

Bytes fileBytesOf(const Json& answer, const char* role) {
    for (const Json& part : answer.at("plan").at("components")) {
        if (part.at("role") == role) {
            return part.at("file_bytes").get<Bytes>();
        }
    }
    return 0;
}

}  // namespace

class FoldersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void shardsAreTheModel_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("kind");
        const QString wan = "folders/Wan2.1-T2V-14B_original";
        const QString shard = "/diffusion_pytorch_model-00003-of-00006.safetensors";
        QTest::newRow("folder") << wan << "diffusion_model";
        QTest::newRow("index") << wan + "/diffusion_pytorch_model.safetensors.index.json"
                               << "diffusion_model";
        QTest::newRow("shard") << wan + shard << "diffusion_model";
        QTest::newRow("both models") << "folders/Wan2.2-T2V-A14B_original"
                                     << "diffusion_model";
        const QString text = "folders/Wan2.1-T2V-14B-Diffusers/text_encoder";
        QTest::newRow("text encoder's folder") << text << "text_encoder";
        QTest::newRow("text encoder's shard") << text + "/model-00002-of-00005.safetensors"
                                              << "text_encoder";
        QTest::newRow("Qwen's index") << "folders/Z-Image/text_encoder/model.safetensors.index.json"
                                      << "text_encoder";
    }

    void shardsAreTheModel() {
        QFETCH(QString, what);
        QTEST(QString::fromStdString(recognised(what).at("kind")), "kind");
        const Json known = recognised(what);
        QVERIFY2(known.at("runs").get<bool>(), known.dump().c_str());
    }

    void shardsPlanLikeOneFile() {
        const Json one =
            planned("text_to_video_files",
                    videoOf("models/diffusion_models/wan2.1_t2v_14B_bf16.safetensors"));
        QVERIFY2(one.contains("plan"), one.dump(1).c_str());
        for (const char* path : {"folders/Wan2.1-T2V-14B_original",
                                 "folders/Wan2.1-T2V-14B_original/"
                                 "diffusion_pytorch_model-00006-of-00006.safetensors"}) {
            const Json sharded = planned("text_to_video_files", videoOf(path));
            QVERIFY2(sharded.contains("plan"), sharded.dump(1).c_str());
            QVERIFY(fileBytesOf(sharded, "denoiser") >= fileBytesOf(one, "denoiser"));
        }
        const Json folders = planned(
            "text_to_video_files",
            videoOf(
                "folders/Wan2.1-T2V-14B_original", kUmt5, "folders/Wan2.1-T2V-1.3B-Diffusers/vae"));
        QVERIFY2(folders.contains("plan"), folders.dump(1).c_str());
    }

    /// As Alibaba publishes WAN 2.2.
    void aFolderOfBothModelsBringsTheSecond() {
        const Json plan =
            planned("text_to_video_files", videoOf("folders/Wan2.2-T2V-A14B_original"));
        QVERIFY2(plan.contains("plan"), plan.dump(1).c_str());
        QVERIFY(fileBytesOf(plan, "denoiser") > 0);
        QVERIFY(fileBytesOf(plan, "denoiser_2") > 0);
        QVERIFY(!has(codesOf(plan), "one_of_two_models"));
    }

    void oneOfTwoModelsReportsIt() {
        const QString high =
            "models/diffusion_models/wan2.2_t2v_high_noise_14B_fp8_scaled.safetensors";
        const QString low =
            "models/diffusion_models/wan2.2_t2v_low_noise_14B_fp8_scaled.safetensors";
        QCOMPARE(recognised(high).at("state"), Json("one_of_two"));
        QCOMPARE(recognised(high).at("needs"), Json("the low-noise model"));
        QCOMPARE(recognised(low).at("needs"), Json("the high-noise model"));
        QVERIFY(has(codesOf(planned("text_to_video_files", videoOf(high))), "one_of_two_models"));
        auto both = videoOf(high);
        both.emplace_back("load.low_noise", at(low));
        QVERIFY(!has(codesOf(planned("text_to_video_files", both)), "one_of_two_models"));
    }

    /// WAN 2.2's models see no image: the encoder is planned for nothing.
    void anImageEncoderThatNothingReadsIsReported() {
        const QString i2v =
            "models/diffusion_models/wan2.2_i2v_%1_noise_14B_fp8_scaled.safetensors";
        auto sets = videoOf(i2v.arg("high"));
        sets.emplace_back("image_encoder.file", at("models/clip_vision/clip_vision_h.safetensors"));
        sets.emplace_back("load_image.image", at("pictures/plain.png"));
        const Json alone = planned("image_to_video_files", sets);
        QVERIFY2(alone.contains("plan"), alone.dump(1).c_str());
        QVERIFY(has(codesOf(alone), "image_encoder_not_used"));
        QCOMPARE(fileBytesOf(alone, "image_encoder"), Bytes{0});
    }

    void aModelOfHuggingFacesCacheHasItsName() {
        const QTemporaryDir cache;
        const QString repository = cache.filePath("models--stabilityai--sd-turbo");
        QVERIFY(QDir().mkpath(repository + "/snapshots") && QDir().mkpath(repository + "/refs"));
        QVERIFY(QFile::link(testing::publishedFolder() + "/folders/sd-turbo",
                            repository + "/snapshots/b261bac6fd2cf515557d5d0707481eafa0485ec2"));
        QFile reference(repository + "/refs/main");
        QVERIFY(reference.open(QIODevice::WriteOnly));
        reference.write("b261bac6fd2cf515557d5d0707481eafa0485ec2");
        reference.close();

        const auto plan = [&](const QString& named) {
            return testing::runLowtide({"plan",
                                        testing::exampleGraph("text_to_image"),
                                        "--json",
                                        "--model-folder",
                                        cache.path(),
                                        "--set",
                                        "load.checkpoint=" + named});
        };
        for (const QString& named : {QString("stabilityai/sd-turbo"), repository}) {
            const testing::CommandResult result = plan(named);
            QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        }
        const testing::CommandResult listed = testing::runLowtide({"check", cache.path()});
        QCOMPARE(listed.exitCode, 0);
        QVERIFY2(listed.output.startsWith("stabilityai/sd-turbo: checkpoint"),
                 qPrintable(listed.output));
    }

    void aFolderOfModelsStatesWhatItHolds() {
        const QString folder = testing::publishedFolder() + "/models/vae";
        const testing::CommandResult listed = testing::runLowtide({"check", folder});
        QCOMPARE(listed.exitCode, 0);
        for (const QString& name : QDir(folder).entryList(QDir::Files)) {
            QVERIFY2(listed.output.contains(name + ": autoencoder"), qPrintable(listed.output));
        }
        const QTemporaryDir empty;
        const testing::CommandResult nothing = testing::runLowtide({"check", empty.path()});
        QCOMPARE(nothing.exitCode, 2);
        QVERIFY2(nothing.output.contains("is no model"), qPrintable(nothing.output));
    }

    void aFileWithoutAnAutoencoderStatesWhatFixesIt() {
        const QString file = "models/checkpoints/dreamshaper_8_noVAE.safetensors";
        QCOMPARE(recognised(file).at("state"), Json("runs_with"));
        QCOMPARE(recognised(file).at("needs"), Json("an autoencoder (vae)"));
        const Json refused = planned("text_to_image", {{"load.checkpoint", at(file)}});
        const std::string hint = refused.at("issues").at(0).value("hint", "");
        QVERIFY2(hint.find("(vae)") != std::string::npos, refused.dump(1).c_str());
        const Json fixed =
            planned("text_to_image",
                    {{"load.checkpoint", at(file)},
                     {"load.vae", at("models/vae/vae-ft-mse-840000-ema-pruned.safetensors")}});
        QVERIFY2(fixed.contains("plan"), fixed.dump(1).c_str());
    }

    /// Users pack a transformer with its text encoder: the one is read, the other is not.
    void aFileOfSeveralNetworksStatesWhichIsRead() {
        const QString file = "models/checkpoints/z_image_turbo_aio_fp8.safetensors";
        const Json known = recognised(file);
        QCOMPARE(known.at("kind"), Json("diffusion_model"));
        QCOMPARE(known.at("runs"), Json(true));
        QCOMPARE(known.at("state"), Json("in_part"));
        const testing::CommandResult reported =
            testing::runLowtide({"check", QString::fromStdString(at(file))});
        QCOMPARE(reported.exitCode, 0);
        QVERIFY2(
            reported.output.contains("with a text encoder and an autoencoder in files of their "
                                     "own; what else this file holds is not read"),
            qPrintable(reported.output));
        QCOMPARE(recognised("models/diffusion_models/zimageTurbo_civitai_prefix.safetensors")
                     .at("state"),
                 Json("runs"));
    }

    /// Of SD 1.x with matrices in place of convolutions of one pixel: same numbers, and nothing
    /// shows whether its heads are eight, or 64 channels wide as where matrices are published.
    void matricesInAFileOfSd1AreAskedAbout() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("squeezed.safetensors");
        squeeze(
            QString::fromStdString(at("models/checkpoints/v1-5-pruned-emaonly-fp16.safetensors")),
            path);
        const auto check = [&] { return testing::runLowtide({"check", path}); };
        const testing::CommandResult refused = check();
        QCOMPARE(refused.exitCode, 2);
        for (const char* part :
             {"attention heads", "squeezed.lowtide.json", "attention_head_dim"}) {
            QVERIFY2(refused.output.contains(part), qPrintable(refused.output));
        }
        testing::writeFile(folder.filePath("squeezed.lowtide.json"),
                           R"({"unet": {"attention_head_dim": 8}})");
        const testing::CommandResult runs = check();
        QVERIFY2(runs.exitCode == 0 && runs.output.contains("this version runs it"),
                 qPrintable(runs.output));
    }

private:
    /// A copy of a hollow file whose projections around attentions have no kernel.
    static void squeeze(const QString& from, const QString& to) {
        QFile source(from);
        QVERIFY(source.open(QIODevice::ReadOnly));
        uint64_t length = 0;
        QCOMPARE(source.read(reinterpret_cast<char*>(&length), sizeof length), 8);
        Json header = Json::parse(source.read(static_cast<qint64>(length)).toStdString());
        for (auto& [name, tensor] : header.items()) {
            const bool isProjection =
                name.ends_with(".proj_in.weight") || name.ends_with(".proj_out.weight");
            if (isProjection && name.starts_with("model.diffusion_model.")) {
                tensor["shape"] = {tensor["shape"][0], tensor["shape"][1]};
            }
        }
        std::string text = header.dump();
        text.resize((text.size() + 7) / 8 * 8, ' ');
        const qint64 data = source.size() - 8 - static_cast<qint64>(length);
        length = text.size();
        QFile copy(to);
        QVERIFY(copy.open(QIODevice::WriteOnly));
        copy.write(reinterpret_cast<const char*>(&length), sizeof length);
        copy.write(text.data(), static_cast<qint64>(length));
        QVERIFY(copy.resize(8 + static_cast<qint64>(length) + data));
    }
};

LOWTIDE_TEST(FoldersTest)

}  // namespace folders_test

#include "folders_test.moc"
