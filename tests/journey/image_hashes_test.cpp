// Hashes of adapters in images, by which A1111 and Civitai find the files again.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

namespace image_hashes_test {

using namespace lowtide;
using testing::CommandResult;

namespace {

QString sha256(const QByteArray& bytes) {
    return QString::fromLatin1(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex());
}

/// As kohya's trainer and A1111 hash a LoRA: what lies behind the header and its length.
QString adapterHash(const QString& path) {
    const QByteArray bytes = testing::contentsOf(path);
    const auto header = qFromLittleEndian<quint64>(bytes.constData());
    return sha256(bytes.mid(8 + static_cast<qsizetype>(header))).first(12);
}

/// A1111's first hash of models, which its ControlNet extension shows behind their names.
QString modelHash(const QString& path) {
    return sha256(testing::contentsOf(path).mid(1 << 20, 1 << 16)).first(8);
}

}  // namespace

class ImageHashesTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    const QTemporaryDir cache_;
    QString goldens_;
    QString controlGoldens_;
    QString ipGoldens_;
    QString loras_;

    /// The "parameters" of the image that a graph makes; empty: it makes none.
    [[nodiscard]] QString messageOf(const QString& graph, const QStringList& settings) const {
        QStringList arguments = {"run", graph, "--out", folder_->path()};
        for (const QString& setting :
             settings + QStringList{"latent.width=64", "latent.height=64", "denoise.steps=2"}) {
            arguments << "--set" << setting;
        }
        const CommandResult ran = testing::runInProcess(arguments);
        if (ran.exitCode != 0) {
            qWarning("%s", qPrintable(ran.errors));
            return {};
        }
        const QStringList images =
            QDir(folder_->path()).entryList({"*.png"}, QDir::Files, QDir::Name);
        return images.isEmpty() ? QString()
                                : QImage(folder_->filePath(images.last())).text("parameters");
    }

    [[nodiscard]] QString copiedLora(const QString& name, const QString& as) const {
        QFile::copy(loras_ + "/" + name, folder_->filePath(as));
        return folder_->filePath(as);
    }

    [[nodiscard]] static QString checkpoint(const QString& goldens, const QString& name) {
        return "load.checkpoint=" + goldens + "/checkpoints/" + name;
    }

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::loraGoldenFolder();
        controlGoldens_ = testing::controlGoldenFolder();
        ipGoldens_ = testing::ipGoldenFolder();
        loras_ = goldens_ + "/lora/sd15_1_1";
        // Hashes are those of this process. The module reads it when it is opened.
        qputenv("LOWTIDE_CACHE", cache_.path().toUtf8());
    }

    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void namesLorasInTheirOrder() {
        const QString first = copiedLora("kohya.safetensors", "z ink.safetensors");
        const QString second = copiedLora("old_processor.safetensors", "a,b: c.safetensors");

        const QString message = messageOf(testing::exampleGraph("lora_stack"),
                                          {checkpoint(goldens_, "sd15_1"),
                                           "loras.file_1=" + first,
                                           "loras.file_2=" + second,
                                           "loras.file_3=" + first});

        QVERIFY2(message.contains("Lora hashes: \"z ink: " + adapterHash(first) +
                                  ", ab c: " + adapterHash(second) + "\", "),
                 qPrintable(message));
        QVERIFY2(!message.contains(QRegularExpression("[0-9a-f]{64}")), qPrintable(message));
    }

    /// Without a header to leave out.
    void hashesOtherFilesWhole() {
        const QString path = folder_->filePath("made.pt");
        testing::runReference({"-c",
                               "import sys, torch; from safetensors.torch import load_file; "
                               "torch.save(load_file(sys.argv[1]), sys.argv[2])",
                               loras_ + "/kohya.safetensors",
                               path});

        const QString message = messageOf(testing::exampleGraph("lora"),
                                          {checkpoint(goldens_, "sd15_1"), "lora.file=" + path});

        const QString hash = sha256(testing::contentsOf(path)).first(12);
        QVERIFY2(message.contains("Lora hashes: \"made: " + hash + "\", "), qPrintable(message));
    }

    /// The checkpoint's own hash remains what it is, and an image without adapters names none.
    void leavesTheCheckpointsHash() {
        const QString own = checkpoint(goldens_, "sd15_1");
        const auto hashIn = [](const QString& message) {
            return message.mid(message.indexOf("Model hash: "), 22);
        };

        const QString with = messageOf(testing::exampleGraph("lora"),
                                       {own, "lora.file=" + loras_ + "/kohya.safetensors"});
        const QString without = messageOf(testing::exampleGraph("lora"), {own});

        QVERIFY2(without.contains("Model hash: "), qPrintable(without));
        QCOMPARE(hashIn(with), hashIn(without));
        QVERIFY2(!without.contains("Lora hashes"), qPrintable(without));
    }

    void namesControlNetsAsTheExtensionDoes() {
        const QString net = controlGoldens_ + "/files/sd15_0_0/cldm.safetensors";

        const QString message = messageOf(testing::exampleGraph("controlnet"),
                                          {checkpoint(controlGoldens_, "sd15_0"),
                                           "load_control.controlnet=" + net,
                                           "control.strength=0.5",
                                           "control.end=0.75"});

        QVERIFY2(message.contains("ControlNet 0: \"Model: cldm [" + modelHash(net) +
                                  "], Weight: 0.5, Guidance Start: 0, Guidance End: 0.75, "
                                  "Control Mode: Balanced\", "),
                 qPrintable(message));
    }

    void namesAFolderWithoutAHash() {
        const QString message =
            messageOf(testing::exampleGraph("controlnet"),
                      {checkpoint(controlGoldens_, "sd15_0"),
                       "load_control.controlnet=" + controlGoldens_ + "/controlnet/sd15_0_0"});

        QVERIFY2(message.contains("ControlNet 0: \"Model: sd15_0_0, Weight: 1, "),
                 qPrintable(message));
    }

    void namesIpAdapters() {
        const QString adapter = ipGoldens_ + "/ip/sd15_0_0/ip-adapter_sd15.safetensors";

        const QString message =
            messageOf(testing::exampleGraph("ip_adapter"),
                      {checkpoint(ipGoldens_, "sd15_0"), "load_ip.adapter=" + adapter});

        QVERIFY2(message.contains("IP-Adapter 0: \"Model: ip-adapter_sd15 [" + modelHash(adapter) +
                                  "], Pictures: 1, Weight: 1, "),
                 qPrintable(message));
    }
};

LOWTIDE_TEST(ImageHashesTest)

}  // namespace image_hashes_test

#include "image_hashes_test.moc"
