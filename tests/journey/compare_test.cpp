#include "plugin/base/json.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

namespace compare_test {

using namespace lowtide;

namespace {

Json jsonIn(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? Json::parse(file.readAll().toStdString()) : Json();
}

}  // namespace

/// `lowtide compare` as a user runs it.
class CompareTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    [[nodiscard]] QString out() const { return folder_.filePath("out"); }

    [[nodiscard]] testing::CommandResult compare(const QStringList& more,
                                                 const QStringList& settings = {}) const {
        QDir(out()).removeRecursively();
        QStringList arguments = {"compare", testing::exampleGraph("text_to_image"), "--out", out()};
        for (const QString& setting :
             QStringList{"latent.width=64", "latent.height=64", "denoise.steps=4"} + settings) {
            arguments << "--set" << setting;
        }
        return testing::runInProcess(arguments + more);
    }

    [[nodiscard]] Json figures() const { return jsonIn(out() + "/comparison.json"); }

    /// Its file is named as seen from the folder, which may be moved.
    [[nodiscard]] QImage imageOf(const Json& variant) const {
        const QString file = QString::fromStdString(variant.at("files").at(0));
        return QDir::isRelativePath(file) ? QImage(out() + "/" + file) : QImage();
    }

private Q_SLOTS:

    void variantsAreMeasuredAgainstTheFirst() {
        const testing::CommandResult run =
            compare({"--vary", "denoise.cfg=3,3,6", "--vary", "denoise.sampler=ddim,euler"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const Json variants = figures().at("variants");
        QCOMPARE(variants.size(), 6U);
        QVERIFY(variants[0].at("difference").is_null());

        const Json& same = variants[2];
        QCOMPARE(same.at("name").get<std::string>(),
                 std::string("denoise.cfg=3 denoise.sampler=ddim"));
        QVERIFY(same.at("difference").at("all").at("equal").get<bool>());
        QCOMPARE(same.at("difference").at("all").at("ssim").get<double>(), 1.0);

        const Json& other = variants[4].at("difference");
        QVERIFY(other.at("all").at("psnr").get<double>() > 5);
        const Json& latents = other.at("latent_cosine").at(0);
        QCOMPARE(latents.at("steps").size(), 4U);
        for (const Json& cosine : latents.at("steps")) {
            QVERIFY(cosine > 0.5 && cosine < 1.0);
        }
        QCOMPARE(latents.at("steps").at(3), latents.at("last"));
        for (const char* word : {"PSNR", "denoise.cfg=6 denoise.sampler=euler", "equal"}) {
            QVERIFY2(run.output.contains(word), qPrintable(run.output));
        }
        const QImage first = imageOf(variants[0]);
        QVERIFY(!first.isNull());
        QCOMPARE(first, imageOf(same));
        QVERIFY(variants[0].at("peak_bytes").get<int64_t>() > 1000000);  // its weights alone
        QCOMPARE(QDir(out() + "/variant_0").entryList(QDir::Files).size(), 1);
    }

    /// A precision is varied as parameters are; the commas in it are escaped.
    void precisionsAreVaried() {
        const testing::CommandResult run =
            compare({"--vary", "denoise.precision=quality,speed,quality\\,compute=bf16"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const Json variants = figures().at("variants");
        QCOMPARE(variants.size(), 3U);
        QCOMPARE(variants[2].at("name"), Json("denoise.precision=quality,compute=bf16"));
        // A CPU gains nothing from half types: `speed` is f32 there.
        QVERIFY(variants[1].at("difference").at("all").at("equal").get<bool>());
        QVERIFY(!variants[2].at("difference").at("all").at("equal").get<bool>());

        const testing::CommandResult wrong = compare({"--vary", "denoise.precision=quality,fast"});
        QCOMPARE(wrong.exitCode, 2);
        QVERIFY2(wrong.errors.contains("there is no preset \"fast\""), qPrintable(wrong.errors));
    }

    void sheetsShowTheImages() {
        const testing::CommandResult run =
            compare({"--vary", "denoise.cfg=3,6", "--vary", "denoise.sampler=ddim,euler,heun"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const QImage image = imageOf(figures().at("variants")[4]);
        const QImage sheet(out() + "/contact_sheet.png");
        const QImage heat(out() + "/heat_map.png");
        QCOMPARE(sheet.width(), heat.width());
        const int cell = sheet.width() / 3;  // as many columns as the last parameter has values
        // The middle of the second row's second image, four times as large.
        bool isFound = false;
        for (int y = 0; y + 256 <= sheet.height() && !isFound; ++y) {
            const QImage part = sheet.copy(cell + 1, y, 270, 256);
            for (int x = 0; x < 14 && !isFound; ++x) {
                isFound =
                    part.pixel(x, 0) == image.pixel(0, 0) &&
                    part.copy(x, 0, 256, 256).scaled(64, 64).convertToFormat(image.format()) ==
                        image;
            }
        }
        QVERIFY(isFound);
    }

    /// So many steps that what else a busy machine does in between weighs less.
    void whatIsFasterIsComparedWithFewerSteps() {
        const testing::CommandResult run =
            compare({"--vary", "denoise.end_step=-1,5", "--repeat", "2"}, {"denoise.steps=50"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const Json variant = figures().at("variants")[1];
        const Json& fewer = variant.at("fewer_steps");
        QVERIFY2(!fewer.is_null(), variant.dump().c_str());
        const QString name = QString::fromStdString(fewer.at("name"));
        const int steps = name.mid(QString("denoise.steps=").size()).toInt();
        QVERIFY2(steps >= 1 && steps < 50, qPrintable(name));
        QVERIFY(fewer.at("difference").at("all").at("psnr").is_number());
        QVERIFY(run.output.contains("same time: " + name));
    }

    void variedStepsAreTheirOwnBaseline() {
        const testing::CommandResult run = compare({"--vary", "denoise.steps=4,2"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const Json variant = figures().at("variants")[1];
        QVERIFY(variant.at("fewer_steps").is_null());
        QVERIFY(variant.at("difference").at("latent_cosine").at(0).at("steps").empty());
        QVERIFY(run.output.contains("another number of steps itself"));
    }

    void imagesOfAnotherSizeAreShownAndNotMeasured() {
        const testing::CommandResult run = compare({"--vary", "latent.width=64,72", "--json"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const Json printed = Json::parse(run.output.toStdString());
        QCOMPARE(printed, figures());
        const Json& difference = printed.at("variants")[1].at("difference");
        QVERIFY(difference.at("all").is_null());
        QVERIFY(QString::fromStdString(difference.at("problem")).contains("72 x 64"));
        QVERIFY(QFile::exists(out() + "/heat_map.png"));
    }

    void everyImageOfABatchIsMeasured() {
        const testing::CommandResult run =
            compare({"--vary", "denoise.cfg=3,6"}, {"latent.batch=2"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const Json variant = figures().at("variants")[1];
        QCOMPARE(variant.at("files").size(), 2U);
        QCOMPARE(variant.at("difference").at("pictures").size(), 2U);
    }

    void aVariantThatFailsLeavesTheOthers() {
        const testing::CommandResult run =
            compare({"--vary", "latent.width=64,2048,72", "--memory-budget", "16MiB"});
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.errors.contains("latent.width=2048 failed"), qPrintable(run.errors));
        QVERIFY2(run.errors.contains("16.0 MiB"), qPrintable(run.errors));
        const Json variants = figures().at("variants");
        QCOMPARE(variants.size(), 3U);
        QCOMPARE(variants[1].at("status").get<int>(), 2);
        QVERIFY(!variants[1].at("issues").empty());
        QCOMPARE(variants[2].at("status").get<int>(), 0);
        QVERIFY(run.output.contains("failed"));
        QVERIFY(!QImage(out() + "/contact_sheet.png").isNull());
    }

    void badInputIsRefusedBeforeAnythingRuns_data() {
        testing::addTable<QStringList, QString>(
            {"arguments", "complaint"},
            {{"unknown node", {"--vary", "denois.steps=4,8"}, "no node \"denois\""},
             {"unknown parameter", {"--vary", "denoise.stepps=4,8"}, "did you mean \"steps\""},
             {"out of range", {"--vary", "denoise.steps=4,0"}, "denoise.steps=0 cannot be run"},
             {"no number", {"--vary", "denoise.steps=4,many"}, "denoise.steps=many cannot be run"},
             {"no value", {"--vary", "denoise.steps"}, "node.param=a,b,c"},
             {"one variant", {"--vary", "denoise.steps=4"}, "nothing to compare it with"},
             {"twice",
              {"--vary", "denoise.steps=4,5", "--vary", "denoise.steps=6"},
              "denoise.steps is varied twice"},
             {"nothing varied", {}, "--vary"}});
    }

    void badInputIsRefusedBeforeAnythingRuns() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, complaint);
        const testing::CommandResult run = compare(arguments);
        QVERIFY2(!run.crashed && run.exitCode == 2, qPrintable(run.errors));
        QVERIFY2(run.errors.contains(complaint), qPrintable(run.errors));
        QVERIFY(!QDir(out()).exists());
    }

    void aGraphWithoutImagesIsRefused() {
        const testing::CommandResult run =
            compare({"--vary", "denoise.steps=2,3", "--until", "decode"});
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.errors.contains("writes no image"), qPrintable(run.errors));
    }
};

LOWTIDE_TEST(CompareTest)

}  // namespace compare_test

#include "compare_test.moc"
