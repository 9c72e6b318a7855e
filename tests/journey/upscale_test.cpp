#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

#include <cmath>

namespace upscale_test {

using namespace lowtide;
using testing::contentsOf;
using testing::writeFile;

namespace {

constexpr const char* kExample = "upscale_esrgan";

using Damage = std::function<QByteArray(const QByteArray&)>;

/// A file that is no upscaler, and what the message names.
struct BadFile {
    const char* row;
    const char* name;
    Damage damage;
    QStringList complaints;
};

Damage renaming(const char* before, const char* after) {
    return [=](QByteArray bytes) {
        const bool isThere = bytes.contains(before);
        return isThere ? bytes.replace(before, after) : QByteArray("no such name");
    };
}

std::vector<BadFile> badFiles() {
    return {{"truncated",
             "cut.safetensors",
             [](const QByteArray& bytes) { return bytes.left(bytes.size() / 2); },
             {"cut.safetensors"}},
            {"a missing tensor",
             "other.safetensors",
             renaming("\"conv_hr.bias\"", "\"conv_hx.bias\""),
             {"other.safetensors", "1 missing: conv_hr.bias", "conv_hx.bias"}},
            {"another network",
             "unknown.safetensors",
             renaming("\"body.", "\"soul."),
             {"unknown.safetensors", "no upscaler that is built (ESRGAN)"}},
            {"other channels",
             "channels.safetensors",
             renaming("[16,3,3,3]", "[16,9,3,1]"),
             {"channels.safetensors", "conv_first.weight", "[16, 9, 3, 1]"}}};
}

}  // namespace

/// Upscaling with a network as a user does it: the example, on files as users have them.
class UpscaleTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString upscalers_;

    QStringList argumentsWith(const QString& upscaler, const QStringList& more = {}) const {
        QStringList arguments = {"run", testing::exampleGraph(kExample), "--out", folder_.path()};
        for (const QString& setting : QStringList{"load_upscaler.upscaler=" + upscaler,
                                                  "latent.width=64",
                                                  "latent.height=48",
                                                  "denoise.steps=1",
                                                  "denoise.sampler=ddim"} +
                                          more) {
            arguments << "--set" << setting;
        }
        return arguments;
    }

private Q_SLOTS:

    void initTestCase() { upscalers_ = testing::upscaleGoldenFolder() + "/upscalers/"; }

    void theExampleEnlargesAnImage() {
        const QString dump = folder_.filePath("dump.safetensors");
        const testing::CommandResult run =
            testing::runLowtide(argumentsWith(upscalers_ + "esrgan_0/esrgan_old.safetensors",
                                              {"upscale.tile=32", "upscale.overlap=8"}) +
                                QStringList{"--dump", dump});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const QImage image(run.output.trimmed());
        QCOMPARE(image.size(), QSize(256, 192));
        QVERIFY(image.text("parameters")
                    .contains("Postprocess upscale by: 4, Postprocess upscaler: esrgan_old"));
        QVERIFY(!image.text("lowtide_graph").contains(upscalers_));

        const testing::TensorFile tensors = testing::readTensorFile(dump.toStdString());
        QCOMPARE(tensors.at("upscale_in").bytes, tensors.at("image").bytes);
        const std::vector<double> enlarged = tensors.at("upscale_out").values();
        QCOMPARE(tensors.at("upscale_out").shape, (Shape{1, 3, 192, 256}));
        for (const auto& [x, y] : {QPoint(0, 0), QPoint(100, 57), QPoint(255, 191)}) {
            const auto found = static_cast<size_t>(y * 256 + x);
            QCOMPARE(image.pixelColor(x, y).red(),
                     static_cast<int>(std::nearbyint(255 * enlarged[found])));
        }
    }

    void badFilesAreRefusedByNameAndKey_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const BadFile& file : badFiles()) {
            QTest::newRow(file.row) << index++;
        }
    }

    void badFilesAreRefusedByNameAndKey() {
        QFETCH(int, index);
        const BadFile file = badFiles()[static_cast<size_t>(index)];
        const QString path = folder_.filePath(file.name);
        writeFile(path,
                  file.damage(contentsOf(upscalers_ + "esrgan_0/esrgan_basicsr.safetensors")));
        const testing::CommandResult run = testing::runInProcess(argumentsWith(path));
        QVERIFY2(!run.crashed && run.exitCode == 2, qPrintable(run.errors));
        for (const QString& complaint : file.complaints) {
            QVERIFY2(run.errors.contains(complaint), qPrintable(run.errors));
        }
        QVERIFY2(run.errors.contains("load_upscaler.upscaler"), qPrintable(run.errors));
    }

    void whatCannotBeIsRefused_data() {
        const QString good = upscalers_ + "esrgan_0/esrgan_old.safetensors";
        testing::addTable<QString, QString, QString>(
            {"upscaler", "setting", "complaint"},
            {{"no file", "", "upscale.tile=0", "load_upscaler.upscaler"},
             {"missing file", "no-such.safetensors", "upscale.tile=0", "no-such.safetensors"},
             {"overlap", good, "upscale.tile=100", "upscale.overlap"}});
    }

    void whatCannotBeIsRefused() {
        QFETCH(QString, upscaler);
        QFETCH(QString, setting);
        QFETCH(QString, complaint);
        const testing::CommandResult run =
            testing::runInProcess(argumentsWith(upscaler, {setting}));
        QVERIFY2(!run.crashed && run.exitCode == 2, qPrintable(run.errors));
        QVERIFY2(run.errors.contains(complaint), qPrintable(run.errors));
    }

    /// The file is part of the result's key; what is upstream of it is not made again.
    void anotherFileIsAnotherResult() {
        const QString path = folder_.filePath("upscaler.safetensors");
        const std::string graph = contentsOf(testing::exampleGraph(kExample)).toStdString();
        const Json options = {{"set",
                               {"load_upscaler.upscaler=" + path.toStdString(),
                                "latent.width=32",
                                "latent.height=32",
                                "denoise.steps=1",
                                "denoise.sampler=ddim"}},
                              {"out", folder_.path().toStdString()}};
        const auto executed = [&] {
            const testing::ModuleRun ended = testing::runModule(graph, options);
            const std::string report = ended.report.dump();
            if (ended.status != Status::Ok) {
                qWarning("%s", report.c_str());
            }
            return ended.report.at("repetitions").back().at("executed");
        };
        const auto has = [](const Json& list, const char* node) {
            return std::find(list.begin(), list.end(), node) != list.end();
        };
        writeFile(path, contentsOf(upscalers_ + "esrgan_0/esrgan_old.safetensors"));
        QVERIFY(has(executed(), "upscale"));
        QVERIFY(!has(executed(), "upscale"));

        writeFile(path, contentsOf(upscalers_ + "esrgan_1/esrgan_old.safetensors"));
        const Json second = executed();
        QVERIFY(has(second, "upscale"));
        QVERIFY(!has(second, "denoise"));
        testing::openModule().runner()->release("all");
    }
};

LOWTIDE_TEST(UpscaleTest)

}  // namespace upscale_test

#include "upscale_test.moc"
