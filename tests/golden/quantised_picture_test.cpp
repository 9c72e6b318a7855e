// Pictures of quantised checkpoints: every value is that of the same weights decoded before.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace quantised_picture_test {

using namespace lowtide;

class QuantisedPictureTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    /// Every value of a small run, as the dump's bytes; what went wrong, if anything did.
    QByteArray dumpOf(const QString& checkpoint,
                      const std::string& device,
                      const std::string& policy,
                      const std::string& precision = {},
                      const std::string& lora = {},
                      const QString& unet = {}) const {
        Json options = {{"set",
                         {"load.checkpoint=" + checkpoint.toStdString(),
                          "load.unet=" + unet.toStdString(),
                          "latent.width=64",
                          "latent.height=64",
                          "denoise.steps=2",
                          "denoise.sampler=euler_a"}},
                        {"device", device},
                        {"policies", {"encode=" + policy, "denoise=" + policy, "decode=" + policy}},
                        {"out", folder_.path().toStdString()},
                        {"dump", folder_.filePath("dump.safetensors").toStdString()}};
        if (!precision.empty()) {
            options["precisions"] = {"denoise=" + precision};
        }
        if (!lora.empty()) {
            options["set"].push_back("lora.file=" + lora);
            options["repeat"] = 2;
        }
        testing::EventLog log;
        const testing::ModuleRun ended = testing::runModule(
            testing::exampleText(lora.empty() ? "text_to_image" : "lora"), options, log);
        testing::openModule().runner()->release("all");
        return ended.status == Status::Ok
                   ? ended.dump
                   : QByteArray::fromStdString(ended.report.at("issues").dump());
    }

private Q_SLOTS:

    void isThatOfDecodedWeights_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("decoded");
        const auto row = [](const char* name, const char* decoded) {
            QTest::newRow(name) << name << decoded;
        };
        row("q8_0.gguf", "q8_0");
        row("q5_1.gguf", "q5_1");
        row("fp8.safetensors", "fp8");
        row("fp8_of_old_files.safetensors", "fp8");
        row("int8_rotated.safetensors", "int8_rotated");
        row("mxfp8.safetensors", "mxfp8");
        row("nvfp4.safetensors", "nvfp4");
    }

    /// Under policies that copy once, stream, and hold in eight bits of our own.
    void isThatOfDecodedWeights() {
        QFETCH(QString, name);
        QFETCH(QString, decoded);
        const QString folder = testing::quantisedFileFolder() + "/";
        const QString plain = folder + decoded + "_decoded.safetensors";
        const QByteArray expected = dumpOf(plain, "cpu", "none");
        QVERIFY2(expected.size() > 100000, expected.constData());

        for (const auto& [device, policy] : {std::pair("cpu", "none"),
                                             {"cpu", "leaf+stream"},
                                             {"fake", "auto"},
                                             {"fake", "block:1+stream"}}) {
            const QByteArray seen = dumpOf(folder + name, device, policy);
            QVERIFY2(seen == expected, seen.left(2000).constData());
        }
        // Held as the file has it, decoded with every lease.
        for (const auto& [device, policy] : {std::pair("cpu", "none"),
                                             {"cpu", "leaf"},
                                             {"cpu", "block:1+stream"},
                                             {"fake", "leaf+stream"},
                                             {"fake", "auto"}}) {
            const QByteArray seen = dumpOf(folder + name, device, policy, "quality,storage=file");
            QVERIFY2(seen == expected, seen.left(2000).constData());
        }
        const char* ours = "quality,storage=f8";
        QVERIFY(dumpOf(folder + name, "cpu", "leaf", ours) == dumpOf(plain, "cpu", "leaf", ours));
    }

    /// The case of ComfyUI #15365: weights in eight bits, a LoRA, offloading, and a second run.
    void aLoraIsAddedAfterDecoding_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("decoded");
        QTest::newRow("q8_0") << "q8_0.gguf"
                              << "q8_0";
        QTest::newRow("fp8") << "fp8.safetensors"
                             << "fp8";
    }

    void aLoraIsAddedAfterDecoding() {
        QFETCH(QString, name);
        QFETCH(QString, decoded);
        const QString folder = testing::quantisedFileFolder() + "/";
        const QString plain = folder + decoded + "_decoded.safetensors";
        const std::string lora =
            testing::loraGoldenFolder().toStdString() + "/lora/sd15_0_0/kohya.safetensors";
        const QByteArray expected = dumpOf(plain, "cpu", "none", {}, lora);
        QVERIFY2(expected.size() > 100000, expected.constData());
        QVERIFY(expected != dumpOf(plain, "cpu", "none"));

        for (const char* precision : {"quality", "quality,storage=file"}) {
            for (const auto& [device, policy] : {std::pair("cpu", "none"),
                                                 {"cpu", "leaf+stream"},
                                                 {"fake", "model"},
                                                 {"fake", "leaf+stream"}}) {
                const QByteArray seen = dumpOf(folder + name, device, policy, precision, lora);
                QVERIFY2(seen == expected, seen.left(2000).constData());
            }
        }
    }

    void aDenoiserOfItsOwnTakesThePlace_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("unet");
        QTest::addColumn<QString>("whole");
        const QString quantised = testing::quantisedFileFolder() + "/";
        const QString plain = testing::singleFileFolder() + "/sd15_0.safetensors";
        QTest::newRow("GGUF without a prefix")
            << plain << quantised + "unet_q8_0.gguf" << quantised + "unet_q8_0_decoded.safetensors";
        QTest::newRow("fp8 with a prefix") << plain << quantised + "unet_fp8.safetensors"
                                           << quantised + "unet_fp8_decoded.safetensors";
        QTest::newRow("diffusers' names")
            << quantised + "unet_fp8_decoded.safetensors"
            << testing::goldenFolder() +
                   "/checkpoints/sd15_0/unet/diffusion_pytorch_model.safetensors"
            << plain;
    }

    void aDenoiserOfItsOwnTakesThePlace() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, unet);
        QFETCH(QString, whole);
        const QByteArray expected = dumpOf(whole, "cpu", "none");
        QVERIFY2(expected.size() > 100000, expected.constData());
        QVERIFY(dumpOf(checkpoint, "cpu", "none") != expected);

        for (const auto& [device, policy] :
             {std::pair("cpu", "none"), {"cpu", "leaf+stream"}, {"fake", "block:1+stream"}}) {
            const QByteArray seen = dumpOf(checkpoint, device, policy, {}, {}, unet);
            QVERIFY2(seen == expected, seen.left(2000).constData());
        }
    }
};

LOWTIDE_TEST(QuantisedPictureTest)

}  // namespace quantised_picture_test

#include "quantised_picture_test.moc"
