#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

#include <cmath>

namespace hires_test {

using namespace lowtide;

namespace {

constexpr const char* kExample = "hires";
/// For an image in a batch and the same alone: other blocks of the same sums, then 8 bits.
constexpr int kMostLevels = 1;

/// The example with the model connected to the upscaling node.
Json withModel() {
    Json graph = parseJson(testing::exampleText(kExample), "example");
    graph["links"].push_back({{"from", {"load", "model"}}, {"to", {"upscale", "model"}}});
    return graph;
}

int largestDifference(const QImage& a, const QImage& b) {
    int most = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            const QColor one = a.pixelColor(x, y);
            const QColor other = b.pixelColor(x, y);
            most = std::max({most,
                             std::abs(one.red() - other.red()),
                             std::abs(one.green() - other.green()),
                             std::abs(one.blue() - other.blue())});
        }
    }
    return most;
}

}  // namespace

/// Two passes over one image, and batches, as a user makes them.
class HiresTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    testing::CommandResult run(const QString& graph, const QString& out, const QStringList& more) {
        QStringList arguments = {"run", graph, "--out", folder_.filePath(out)};
        for (const QString& setting : QStringList{"latent.width=64",
                                                  "latent.height=48",
                                                  "denoise.steps=2",
                                                  "denoise.sampler=euler_a",
                                                  "refine.steps=4",
                                                  "refine.sampler=euler_a"} +
                                          more) {
            arguments << "--set" << setting;
        }
        return testing::runInProcess(arguments + QStringList{"--dump", folder_.filePath("dump")});
    }

    QString written(const Json& graph) {
        QFile file(folder_.filePath("graph.json"));
        if (file.open(QIODevice::WriteOnly | QIODevice::Truncate)) {
            file.write(graph.dump().c_str());
        }
        return file.fileName();
    }

    testing::TensorFile dump() const {
        return testing::readTensorFile(folder_.filePath("dump").toStdString());
    }

private Q_SLOTS:

    void theExampleMakesALargerImage() {
        const testing::CommandResult ended = run(testing::exampleGraph(kExample), "larger", {});
        QVERIFY2(ended.exitCode == 0, qPrintable(ended.errors));
        const QImage image(ended.output.trimmed());
        QCOMPARE(image.size(), QSize(128, 96));
        const QString text = image.text("parameters");
        QVERIFY2(text.contains("Size: 128x96"), qPrintable(text));
        QVERIFY2(text.contains("Hires upscale: 2, Hires upscaler: Latent (bislerp)"),
                 qPrintable(text));

        const testing::TensorFile tensors = dump();
        QCOMPARE(tensors.at("latent_upscale_in").bytes, tensors.at("latents.final").bytes);
        QCOMPARE(tensors.at("latent_upscale_out").shape, (Shape{1, 4, 12, 16}));
        QCOMPARE(tensors.at("refine/random.000").shape, (Shape{1, 4, 12, 16}));
        QVERIFY(tensors.contains("refine/model_in.001") &&
                !tensors.contains("refine/model_in.002"));
    }

    void theOtherExampleEnlargesPixelsBetweenTheStages() {
        const testing::CommandResult ended =
            run(testing::exampleGraph("hires_pixels"), "pixels", {"enlarge.scale=1.5"});
        QVERIFY2(ended.exitCode == 0, qPrintable(ended.errors));
        const QImage image(ended.output.trimmed());
        QCOMPARE(image.size(), QSize(96, 72));
        const QString text = image.text("parameters");
        QVERIFY2(text.contains("Size: 96x72") && text.contains("Denoising strength: 0.5"),
                 qPrintable(text));
        const testing::TensorFile tensors = dump();
        QCOMPARE(tensors.at("upscale_in").bytes, tensors.at("image").bytes);
        QCOMPARE(tensors.at("upscale_out").shape, (Shape{1, 3, 72, 96}));
        QCOMPARE(tensors.at("refine/latents.final").shape, (Shape{1, 4, 9, 12}));
    }

    void theSizeMayBeGivenInPixels() {
        const testing::CommandResult ended =
            run(written(withModel()), "pixels", {"upscale.by=size", "upscale.width=104"});
        QVERIFY2(ended.exitCode == 0, qPrintable(ended.errors));
        QCOMPARE(QImage(ended.output.trimmed()).size(),
                 QSize(104, 80));  // 78, in latent pixels 9.75
    }

    void whatCannotBeIsRefused_data() {
        QTest::addColumn<bool>("hasModel");
        QTest::addColumn<QStringList>("settings");
        QTest::addColumn<QString>("blamed");
        QTest::addColumn<QString>("expected");
        QTest::newRow("no model") << false << QStringList{"upscale.by=size", "upscale.width=128"}
                                  << "upscale.model"
                                  << "connect the model";
        QTest::newRow("no multiple")
            << true << QStringList{"upscale.by=size", "upscale.width=100"} << "upscale.width"
            << "multiple of 8";
        QTest::newRow("no size") << true << QStringList{"upscale.by=size"} << "upscale.width"
                                 << "both 0";
        QTest::newRow("scale") << false << QStringList{"upscale.scale=9"} << "upscale"
                               << "scale";
    }

    void whatCannotBeIsRefused() {
        QFETCH(bool, hasModel);
        QFETCH(QStringList, settings);
        QFETCH(QString, blamed);
        QFETCH(QString, expected);
        const QString graph = hasModel ? written(withModel()) : testing::exampleGraph(kExample);
        const testing::CommandResult ended = run(graph, "refused", settings);
        QVERIFY2(!ended.crashed && ended.exitCode == 2, qPrintable(ended.errors));
        QVERIFY2(ended.errors.contains(blamed) && ended.errors.contains(expected),
                 qPrintable(ended.errors));
    }

    void anEmptyLatentIsRefused() {
        Json graph = parseJson(testing::exampleText(kExample), "example");
        for (Json& link : graph["links"]) {
            if (link["to"] == Json({"upscale", "latent"})) {
                link["from"] = {"latent", "latent"};
            }
        }
        const testing::CommandResult ended = run(written(graph), "refused", {});
        QVERIFY2(!ended.crashed && ended.exitCode == 2, qPrintable(ended.errors));
        QVERIFY2(ended.errors.contains("upscale.latent") && ended.errors.contains("empty"),
                 qPrintable(ended.errors));
    }

    /// The second pass has seeds of its own too: what an image states is what it needs.
    void imagesOfABatchAreMadeAgainAlone() {
        const QStringList own = {"denoise.batch_seeds=each", "refine.batch_seeds=each"};
        const testing::CommandResult batch =
            run(testing::exampleGraph(kExample), "batch", own + QStringList{"latent.batch=3"});
        QVERIFY2(batch.exitCode == 0, qPrintable(batch.errors));
        const QStringList files = batch.output.trimmed().split('\n');
        QCOMPARE(files.size(), 3);
        for (int i = 0; i < 3; ++i) {
            const QImage image(files[i]);
            const QString seed = QString::number(1 + i);
            QVERIFY2(image.text("parameters").contains("Seed: " + seed + ", Size: 128x96"),
                     qPrintable(image.text("parameters")));
            const testing::CommandResult alone =
                run(testing::exampleGraph(kExample),
                    "alone",
                    {"denoise.seed=" + seed, "refine.seed=" + seed});
            QVERIFY2(alone.exitCode == 0, qPrintable(alone.errors));
            const int difference = largestDifference(QImage(alone.output.trimmed()), image);
            qInfo("image %d: %d levels from the one made alone", i, difference);
            QVERIFY(difference <= kMostLevels);
        }
    }
};

LOWTIDE_TEST(HiresTest)

}  // namespace hires_test

#include "hires_test.moc"
