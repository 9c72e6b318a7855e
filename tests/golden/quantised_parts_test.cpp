// Quantised weights with what changes them, and as a part of another checkpoint.
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/small_run.hpp"

#include <QtTest/QtTest>

#include <tuple>

namespace quantised_parts_test {

using namespace lowtide;
using testing::dumpOf;

class QuantisedPartsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// The case of ComfyUI #15365: weights in eight bits, a LoRA, offloading, and a second run.
    void aLoraIsAddedAfterDecoding_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("file");
        const auto row = [](const char* checkpoint, const char* file) {
            QTest::addRow("%s, %s", checkpoint, file) << checkpoint << file;
        };
        row("sd15_1", "q8_0.gguf");
        row("sd15_1", "fp8.safetensors");
        row("sd15_1", "fp8_plain.safetensors");
        row("sd15_1", "fp8_e5m2_plain.safetensors");
        row("sdxl_1", "nvfp4.safetensors");
    }

    void aLoraIsAddedAfterDecoding() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, file);
        const QString path = testing::quantisedFile(checkpoint, file);
        const QString decoded = testing::decodedFile(path);
        const QString lora =
            testing::loraGoldenFolder() + "/lora/" + checkpoint + "_1/kohya.safetensors";
        const QByteArray expected = dumpOf({.checkpoint = decoded, .lora = lora});
        QVERIFY2(expected.size() > 100000, expected.constData());
        QVERIFY(expected != dumpOf({.checkpoint = decoded}));

        for (const auto& [device, policy, precision] :
             {std::tuple("cpu", "none", ""),
              {"fake", "leaf+stream", ""},
              {"cpu", "leaf+stream", "quality,storage=f32"},
              {"fake", "model", "quality,storage=f32"},
              {"fake", "leaf+stream", "quality,storage=file"}}) {
            const QByteArray seen = dumpOf({.checkpoint = path,
                                            .device = device,
                                            .policy = policy,
                                            .precision = precision,
                                            .lora = lora});
            QVERIFY2(seen == expected, seen.left(2000).constData());
        }
    }

    void aDenoiserOfItsOwnReplacesIt_data() {
        const testing::Rows<QString, QString, QString> add("checkpoint", "unet", "whole");
        const auto row = [&](const char* name, const QString& plain, const QString& unet) {
            add(name, plain, unet, testing::decodedFile(unet));
        };
        const QString plain = testing::singleFileFolder() + "/sd15_1.safetensors";
        const QString fp8 = testing::quantisedFile("sd15_1", "unet_fp8.safetensors");
        row("GGUF without a prefix", plain, testing::quantisedFile("sd15_1", "unet_q8_0.gguf"));
        row("fp8 with a prefix", plain, fp8);
        row("GGUF of SDXL",
            testing::xlFileFolder() + "/sdxl_1.safetensors",
            testing::quantisedFile("sdxl_1", "unet_q4_k.gguf"));
        add("diffusers' names",
            testing::decodedFile(fp8),
            testing::goldenFolder() +
                "/checkpoints/sd15_1/unet/diffusion_pytorch_model.safetensors",
            plain);
    }

    void aDenoiserOfItsOwnReplacesIt() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, unet);
        QFETCH(QString, whole);
        const QByteArray expected = dumpOf({.checkpoint = whole});
        QVERIFY2(expected.size() > 100000, expected.constData());
        QVERIFY(dumpOf({.checkpoint = checkpoint}) != expected);

        for (const auto& [device, policy] :
             {std::pair("cpu", "none"), {"cpu", "leaf+stream"}, {"fake", "block:1+stream"}}) {
            const QByteArray seen = dumpOf(
                {.checkpoint = checkpoint, .device = device, .policy = policy, .unet = unet});
            QVERIFY2(seen == expected, seen.left(2000).constData());
        }
    }
};

LOWTIDE_TEST(QuantisedPartsTest)

}  // namespace quantised_parts_test

#include "quantised_parts_test.moc"
