#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/small_run.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace single_file_image_test {

using namespace lowtide;

namespace {

/// Of a deterministic sampler.
QByteArray sampled(const char* example, const QString& checkpoint, const QStringList& more) {
    const QStringList sampler = {"--set", "denoise.sampler=ddim"};
    return testing::dumpOfExample(example, checkpoint, sampler + more);
}

QByteArray dumpOf(const QString& checkpoint, const QStringList& more = {}) {
    const QStringList small = {"--set", "latent.width=64", "--set", "latent.height=64"};
    return sampled("text_to_image", checkpoint, small + more);
}

}  // namespace

/// One checkpoint in three layouts gives one image, to the last bit of every value.
class SingleFileImageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void theLayoutChangesNoByte_data() {
        QTest::addColumn<QString>("variant");
        QTest::newRow("nothing stated") << "sd15_0";
        QTest::newRow("stated next to the file") << "sd15_1";
    }

    void theLayoutChangesNoByte() {
        QFETCH(QString, variant);
        const QString single = testing::singleFileFolder() + "/" + variant;
        const QByteArray expected = dumpOf(testing::goldenFolder() + "/checkpoints/" + variant);
        QVERIFY2(expected.size() > 100000, expected.constData());
        QVERIFY(dumpOf(single + ".safetensors") == expected);
        QVERIFY(dumpOf(single + ".ckpt") == expected);
    }

    /// The reference warns of them and goes on.
    void tensorsThatNothingHasAreReportedAndLeftOut() {
        const QString singles = testing::singleFileFolder();
        const QByteArray expected = dumpOf(singles + "/sd15_1.safetensors");
        QVERIFY2(expected.size() > 100000, expected.constData());
        QVERIFY(dumpOf(singles + "/surplus_1.safetensors") == expected);
        const QTemporaryDir folder;
        const testing::CommandResult run =
            testing::runLowtide({"run",
                                 testing::exampleGraph("text_to_image"),
                                 "--out",
                                 folder.path(),
                                 "--set",
                                 "load.checkpoint=" + singles + "/surplus_1.safetensors",
                                 "--set",
                                 "denoise.steps=1"});
        for (const char* name : {"text_projection.weight", "0.more.weight", "decoder.more.bias"}) {
            QVERIFY2(run.errors.contains(name), qPrintable(run.errors));
        }
    }

    void aNetworkOfNineChannelsIsFound() {
        const QStringList images = {
            "--set",
            "load_image.image=" + testing::sourcePath("examples/pictures/dog_with_hole.png")};
        const QByteArray expected = sampled(
            "inpaint_model", testing::imageGoldenFolder() + "/checkpoints/inpaint_1", images);
        QVERIFY2(expected.size() > 100000, expected.constData());
        QVERIFY(sampled("inpaint_model",
                        testing::singleFileFolder() + "/inpaint_1.safetensors",
                        images) == expected);
    }

    void streamingAnArchiveChangesNoByte() {
        const QString ckpt = testing::singleFileFolder() + "/half_1.ckpt";
        const QByteArray expected = dumpOf(testing::goldenFolder() + "/checkpoints/half_1");
        QVERIFY2(expected.size() > 100000, expected.constData());
        QVERIFY(dumpOf(ckpt) == expected);
        QVERIFY(dumpOf(ckpt, {"--policy", "denoise=leaf+stream"}) == expected);
    }

    void anAutoencoderOfItsOwnDecodes() {
        const QString singles = testing::singleFileFolder();
        const QByteArray expected = dumpOf(singles + "/sd15_1.safetensors");
        const QByteArray same = dumpOf(singles + "/sd15_1.safetensors",
                                       {"--set", "load.vae=" + singles + "/vae_ldm.ckpt"});
        QVERIFY2(expected.size() > 100000, expected.constData());
        QVERIFY(same == expected);
    }
};

LOWTIDE_TEST(SingleFileImageTest)

}  // namespace single_file_image_test

#include "single_file_image_test.moc"
