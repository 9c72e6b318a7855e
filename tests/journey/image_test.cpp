#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/turned_photo.hpp"

#include <QtGui>
#include <QtTest/QtTest>

#include <cmath>

namespace image_test {

using namespace lowtide;
using testing::contentsOf;
using testing::writeFile;

namespace {

/// Levels by which what the mini model's autoencoder makes of an image may differ from it, on
/// average (its notes: a mean squared error of 0.0008).
constexpr double kReconstruction = 12;

QString exampleImage(const QString& name) {
    return testing::sourcePath("examples/pictures/" + name);
}

/// Mean difference of levels over the pixels that `counts`.
template <class Counts>
double distance(const QImage& a, const QImage& b, Counts&& counts) {
    double sum = 0;
    int count = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            if (counts(x, y)) {
                const QColor first = a.pixelColor(x, y);
                const QColor second = b.pixelColor(x, y);
                sum += std::abs(first.red() - second.red()) +
                       std::abs(first.green() - second.green()) +
                       std::abs(first.blue() - second.blue());
                count += 3;
            }
        }
    }
    return sum / count;
}

bool anywhere(int /*x*/, int /*y*/) {
    return true;
}

/// Further from the example's mask than the autoencoder sees.
bool outsideOfTheMask(int /*x*/, int y) {
    return y < 8 || y > 116;
}

bool insideOfTheMask(int x, int y) {
    return std::hypot((x - 64) / 48.0, (y - 62) / 42.0) < 0.8;
}

struct BadFile {
    const char* row;
    const char* name;
    QByteArray bytes;
    int exitCode;
    const char* complaint;
};

std::vector<BadFile> badFiles() {
    const QByteArray good = contentsOf(exampleImage("dog.png"));
    QByteArray flipped = good;
    flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 1);
    return {{"JPEG",
             "photo.jpg",
             QByteArray::fromHex("ffd8ffe000104a46494600010100") + QByteArray(100, 'x'),
             2,
             "photo.jpg"},
            {"another format", "moving.png", "GIF89a" + QByteArray(100, 'x'), 2, "GIF"},
            {"no image", "notes.png", QByteArray(100, 'x'), 2, "notes.png"},
            {"empty", "empty.png", {}, 2, "empty.png"},
            {"cut off", "cut.png", good.left(good.size() / 2), 3, "cut.png"},
            {"one bit flipped", "flipped.png", flipped, 3, "flipped.png"}};
}

}  // namespace

/// Image to image and inpainting as a user does them: the examples, on images as users have
/// them.
class ImageTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString goldens_;

    testing::CommandResult run(const QString& example, const QStringList& settings) const {
        QStringList arguments = {"run", testing::exampleGraph(example), "--out", folder_.path()};
        for (const QString& setting : settings) {
            arguments << "--set" << setting;
        }
        return testing::runInProcess(arguments);
    }

    QImage imageOf(const QString& example, const QStringList& settings) const {
        const testing::CommandResult ended = run(example, settings);
        if (ended.exitCode != 0) {
            qWarning("%s", qPrintable(ended.errors));
        }
        return QImage(ended.output.trimmed());
    }

    void requireRefusal(const testing::CommandResult& ended,
                        int exitCode,
                        const QStringList& complaints) const {
        QVERIFY2(!ended.crashed && ended.exitCode == exitCode, qPrintable(ended.errors));
        for (const QString& complaint : complaints) {
            QVERIFY2(ended.errors.contains(complaint), qPrintable(ended.errors));
        }
    }

private Q_SLOTS:

    void initTestCase() { goldens_ = testing::imageGoldenFolder(); }

    void anImageIsKeptTheMoreTheLowerTheStrength() {
        const QImage dog(exampleImage("dog.png"));
        const auto distanceAt = [&](double strength) {
            const QImage made =
                imageOf("image_to_image",
                        {"denoise.strength=" + QString::number(strength), "denoise.steps=10"});
            return made.size() == dog.size() ? distance(made, dog, anywhere) : -1.0;
        };
        const double least = distanceAt(0.1);
        const double middle = distanceAt(0.6);
        const double most = distanceAt(1);
        qInfo("distances %.1f, %.1f, %.1f levels", least, middle, most);
        QVERIFY(least >= 0 && least < kReconstruction);
        QVERIFY(least < middle && middle < most);
    }

    void whatTheMaskLeavesRemains() {
        const QImage dog(exampleImage("dog.png"));
        const QImage made = imageOf("inpaint", {"denoise.steps=10"});
        QCOMPARE(made.size(), dog.size());
        const double outside = distance(made, dog, outsideOfTheMask);
        const double inside = distance(made, dog, insideOfTheMask);
        qInfo("distances %.1f outside, %.1f inside", outside, inside);
        QVERIFY(outside < kReconstruction);
        QVERIFY(inside > 2 * kReconstruction);
        QVERIFY(made.text("parameters").contains("Denoising strength: 1,"));
    }

    /// What a camera stores lying and a user sees upright; two images of it, as JPEG.
    void aPhotographIsFitted() {
        const testing::CommandResult ended = run(
            "photo_to_image", {"denoise.steps=10", "denoise.strength=0.1", "save.prefix=photo"});
        QVERIFY2(ended.exitCode == 0, qPrintable(ended.errors));
        const QStringList files = ended.output.trimmed().split('\n');
        QCOMPARE(files.size(), 2);
        QVERIFY(files.front().endsWith("photo_00001.jpg"));
        const QImage first(files.front());
        QCOMPARE(first.size(), QSize(128, 160));
        QVERIFY(first != QImage(files.back()));
        QImageReader reader(exampleImage("dog_turned.jpg"));
        reader.setAutoTransform(true);
        const QImage seen = reader.read();
        QCOMPARE(seen.size(), QSize(150, 190));
        const QImage fitted = seen.scaled(128, 162).copy(0, 1, 128, 160);
        const double least = distance(first, fitted, anywhere);
        qInfo("distance %.1f levels", least);
        QVERIFY(least < kReconstruction);
    }

    /// Twelve megapixels, held upright.
    void aPhonesPhotographIsFitted() {
        const QImage upright =
            QImage(exampleImage("dog.png"))
                .scaled(3024, 4032, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
        const QString path = folder_.filePath("IMG_0001.JPG");
        writeFile(path, testing::turnedPhoto(upright));
        const testing::CommandResult ended = run("photo_to_image",
                                                 {"load_image.image=" + path,
                                                  "repeat.count=1",
                                                  "denoise.steps=10",
                                                  "denoise.strength=0.1",
                                                  "save.prefix=phone"});
        QVERIFY2(ended.exitCode == 0, qPrintable(ended.errors));
        const QImage made(ended.output.trimmed());
        QCOMPARE(made.size(), QSize(128, 168));
        const QImage fitted =
            upright.copy(0, 32, 3024, 3968)
                .scaled(128, 168, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
        const double least = distance(made, fitted, anywhere);
        qInfo("distance %.1f levels", least);
        QVERIFY(least < kReconstruction);
    }

    /// Outside of the mask and its soft edge pasting back keeps every level.
    void whatIsPastedBackKeepsTheRest() {
        const QImage dog(exampleImage("dog.png"));
        const QImage made = imageOf("inpaint_paste_back", {"denoise.steps=10"});
        QCOMPARE(made.size(), dog.size());
        const auto farOutside = [](int /*x*/, int y) { return y < 4 || y > 123; };
        QCOMPARE(distance(made, dog, farOutside), 0.0);
        QVERIFY(distance(made, dog, insideOfTheMask) > 2 * kReconstruction);
    }

    void aCheckpointThatFillsMasksRuns() {
        const QString checkpoint = goldens_ + "/checkpoints/inpaint_1";
        const QImage made = imageOf(
            "inpaint_model", {"load.checkpoint=" + checkpoint, "denoise.steps=2", "denoise.cfg=2"});
        QCOMPARE(made.size(), QSize(128, 128));
        QVERIFY(!made.text("lowtide_graph").contains(goldens_));
    }

    void badFilesAreRefusedByName_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const BadFile& file : badFiles()) {
            QTest::newRow(file.row) << index++;
        }
    }

    void badFilesAreRefusedByName() {
        QFETCH(int, index);
        const BadFile file = badFiles()[static_cast<size_t>(index)];
        const QString path = folder_.filePath(file.name);
        writeFile(path, file.bytes);
        requireRefusal(run("image_to_image", {"load_image.image=" + path}),
                       file.exitCode,
                       {file.complaint, "load_image.image"});
    }

    void missingFilesAreRefused_data() {
        testing::addTable<QString, QString>({"path", "complaint"},
                                            {{"missing", "no-such.png", "no-such.png"},
                                             {"none", "", "no image is chosen"},
                                             {"folder", folder_.path(), "load_image.image"}});
    }

    void missingFilesAreRefused() {
        QFETCH(QString, path);
        QFETCH(QString, complaint);
        requireRefusal(
            run("image_to_image", {"load_image.image=" + path}), 2, {complaint, "load_image"});
    }

    void whatDoesNotFitIsRefusedBeforeTheRun_data() {
        QTest::addColumn<QString>("example");
        QTest::addColumn<QStringList>("settings");
        QTest::addColumn<QStringList>("complaints");
        const QString odd = folder_.filePath("odd.png");
        const QString small = folder_.filePath("small.png");
        QVERIFY(QImage(130, 128, QImage::Format_RGB32).save(odd));
        QVERIFY(QImage(64, 64, QImage::Format_RGB32).save(small));
        QTest::newRow("size") << "image_to_image" << QStringList{"load_image.image=" + odd}
                              << QStringList{"encode_image.image", "130 x 128", "multiples of 8"};
        QTest::newRow("mask") << "inpaint" << QStringList{"load_mask.image=" + small}
                              << QStringList{"denoise.mask", "64 x 64", "128 x 128"};
        const QString filling = "load.checkpoint=" + goldens_ + "/checkpoints/inpaint_1";
        QTest::newRow("no mask") << "image_to_image" << QStringList{filling}
                                 << QStringList{"denoise.mask", "inpaint_1 fills masks"};
        QTest::newRow("no masked image")
            << "inpaint" << QStringList{filling} << QStringList{"denoise.masked"};
        QTest::newRow("four channels")
            << "inpaint_model" << QStringList{"load.checkpoint=builtin:mini"}
            << QStringList{"denoise.masked", "takes no masked image"};
        QTest::newRow("strength") << "image_to_image" << QStringList{"denoise.strength=0.01"}
                                  << QStringList{"denoise.strength", "takes none of 20 steps"};
    }

    void whatDoesNotFitIsRefusedBeforeTheRun() {
        QFETCH(QString, example);
        QFETCH(QStringList, settings);
        QFETCH(QStringList, complaints);
        requireRefusal(run(example, settings), 2, complaints);
    }

    /// The sample is the denoiser's: another seed encodes nothing again. The file is part of the
    /// result's key.
    void onlyAnotherImageIsEncodedAgain() {
        const QString path = folder_.filePath("picture.png");
        writeFile(path, contentsOf(exampleImage("dog.png")));
        Json options = {
            {"set",
             {"load_image.image=" + path.toStdString(), "denoise.steps=2", "denoise.seed=1"}},
            {"out", folder_.path().toStdString()}};
        const auto executes = [&](const char* node) {
            const testing::ModuleRun ended =
                testing::runModule(testing::exampleText("image_to_image"), options);
            const Json executed = ended.report.at("repetitions").back().at("executed");
            return ended.status == Status::Ok &&
                   std::find(executed.begin(), executed.end(), node) != executed.end();
        };
        QVERIFY(executes("encode_image"));
        options["set"][2] = "denoise.seed=2";
        QVERIFY(!executes("encode_image"));
        options["set"][2] = "denoise.seed=3";
        QVERIFY(executes("denoise"));

        QVERIFY(QImage(exampleImage("dog.png")).mirrored(true, false).save(path));
        QVERIFY(executes("encode_image"));
        testing::openModule().runner()->release("all");
    }
};

LOWTIDE_TEST(ImageTest)

}  // namespace image_test

#include "image_test.moc"
