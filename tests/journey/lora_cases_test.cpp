// What LoRAs do to users of other systems, as runs of the whole product: images that follow what
// was offloaded, and checkpoints that are not what they were when a LoRA has gone.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/graph_edits.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/policy_runs.hpp"

#include <QImage>
#include <QtTest/QtTest>

namespace lora_cases_test {

using namespace lowtide;

namespace {

constexpr const char* kDevice = "fake:64MiB";
constexpr const char* kStrong = "1.2";  ///< as in ComfyUI's pull request 15389

/// Files of two LoRAs for the checkpoint: every layer of the UNet and the encoder, and attention
/// alone.
constexpr const char* kFirst = "kohya.safetensors";
constexpr const char* kSecond = "old_processor.safetensors";

}  // namespace

class LoraCasesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string checkpoint_;
    std::string loras_;  ///< their folder

    [[nodiscard]] std::vector<std::string> settings() const {
        return {"load.checkpoint=" + checkpoint_,
                "latent.width=64",
                "latent.height=64",
                "denoise.steps=3",
                "denoise.sampler=euler_a"};
    }

    /// Of `graph`, which may have a node "lora"; an empty file is none.
    [[nodiscard]] Json options(const std::string& policy,
                               const std::string& device,
                               const std::string& precision,
                               const std::string& file,
                               const std::string& strength = "1") const {
        std::vector<std::string> set = settings();
        set.push_back("lora.file=" + (file.empty() ? "" : loras_ + "/" + file));
        set.push_back("lora.strength=" + strength);
        set.push_back("lora.text_strength=" + strength);
        return {{"device", device},
                {"set", set},
                {"out", folder_.path().toStdString()},
                {"forceExecution", true},
                {"precisions", {"denoise=" + precision}},
                {"policies", {"encode=" + policy, "denoise=" + policy, "decode=" + policy}}};
    }

    [[nodiscard]] testing::ModuleRun run(const std::string& graph, Json options) const {
        options["dump"] = folder_.filePath("dump.safetensors").toStdString();
        return testing::runModule(graph, options);
    }

    /// The run's values, which end with nothing on the device.
    [[nodiscard]] QByteArray valuesOf(const Json& options) const {
        const testing::ModuleRun ended = run(testing::exampleText("lora"), options);
        if (ended.status != Status::Ok) {
            qWarning("%s", ended.report.at("issues").dump().c_str());
            return {};
        }
        return ended.dump;
    }

private Q_SLOTS:

    void initTestCase() {
        const std::string goldens = testing::loraGoldenFolder().toStdString();
        checkpoint_ = goldens + "/checkpoints/sd15_1";
        loras_ = goldens + "/lora/sd15_1_1";
    }

    void cleanup() { testing::checkNothingIsLeft(); }

    /// Eight bits and a LoRA gave another image in every run, without it the same one.
    void comfyui15365_eightBitsAndALoraGiveOneImage_data() {
        testing::addRows("policy", {"model", "leaf+stream", "block", "auto"});
    }

    void comfyui15365_eightBitsAndALoraGiveOneImage() {
        QFETCH(QString, policy);
        const std::string eight = "quality,storage=f8";
        const QByteArray expected = valuesOf(options("none", "cpu", eight, kFirst));
        QVERIFY(expected.size() > 10000);
        QVERIFY(valuesOf(options("none", "cpu", eight, "")) != expected);
        const Json asked = options(policy.toStdString(), kDevice, eight, kFirst);

        for (int time = 0; time < 2; ++time) {
            QVERIFY2(valuesOf(asked) == expected, std::to_string(time).c_str());
            (void)valuesOf(options("model,after=keep", kDevice, eight, ""));  // what is left behind
        }
    }

    /// Layers that were offloaded had other weights than those that were kept.
    void comfyui15389_offloadedLayersHaveTheSameWeights_data() {
        testing::addRows("storage", {"bf16", "f16", "file"});
    }

    void comfyui15389_offloadedLayersHaveTheSameWeights() {
        QFETCH(QString, storage);
        const std::string precision = "quality,storage=" + storage.toStdString();
        const QByteArray expected = valuesOf(options("none", kDevice, precision, kFirst, kStrong));
        QVERIFY(expected.size() > 10000);

        std::vector<const char*> policies = {
            "leaf", "block+stream", "model", "leaf+stream,budget=1MiB"};
        if (testing::isFullTest()) {
            policies.insert(policies.end(),
                            {"sequential", "leaf+stream", "leaf+stream,budget=4MiB"});
        }
        for (const char* policy : policies) {
            QVERIFY2(valuesOf(options(policy, kDevice, precision, kFirst, kStrong)) == expected,
                     policy);
        }
    }

    /// By subtraction it would be the checkpoint within a tolerance.
    void aLoraThatIsGoneLeavesTheCheckpointAsItWas() {
        for (const char* policy : {"none,after=keep", "model,after=keep", "leaf+stream"}) {
            const auto plain = [&] { return valuesOf(options(policy, kDevice, "quality", "")); };
            const QByteArray before = plain();
            QVERIFY(before.size() > 10000);
            const QByteArray with = valuesOf(options(policy, kDevice, "quality", kFirst, "2"));
            QVERIFY(!with.isEmpty() && with != before);
            QVERIFY2(plain() == before, policy);
        }
    }

    /// Two sets of one checkpoint in one run share its files, not its weights.
    void twoSetsInOneGraphDoNotMeet() {
        const Json graph = testing::withCopies(parseJson(testing::exampleText("lora"), "graph"),
                                               {{"lora", "lora_b"},
                                                {"encode", "encode_b"},
                                                {"denoise", "denoise_b"},
                                                {"decode", "decode_b"},
                                                {"save", "save_b"}});
        const auto filesOf = [&](const std::string& first, const std::string& second) {
            Json asked = options("auto", kDevice, "quality", first);
            for (const std::string& setting : {"lora_b.file=" + loras_ + "/" + second,
                                               std::string("denoise_b.steps=3"),
                                               std::string("denoise_b.sampler=euler_a")}) {
                asked["set"].push_back(setting);
            }
            const testing::ModuleRun ended = testing::runModule(graph.dump(), asked);
            std::vector<QImage> images;
            for (const Json& file : ended.report.at("files")) {
                images.emplace_back(QString::fromStdString(file.at("path").get<std::string>()));
            }
            return images;
        };
        const std::vector<QImage> both = filesOf(kFirst, kSecond);
        const std::vector<QImage> swapped = filesOf(kSecond, kFirst);
        QCOMPARE(both.size(), size_t{2});
        QVERIFY(!both[0].isNull() && both[0] != both[1]);
        QVERIFY(both[0] == swapped[1] && both[1] == swapped[0]);
    }
};

LOWTIDE_TEST(LoraCasesTest)

}  // namespace lora_cases_test

#include "lora_cases_test.moc"
