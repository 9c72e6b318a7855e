#include "plugin/base/json.hpp"
#include "plugin/image/png.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

namespace text_to_image_test {

using namespace lowtide;

namespace {

image::DecodedImage imageAt(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    const QByteArray bytes = file.readAll();
    return image::decodePng(
        std::as_bytes(std::span(bytes.constData(), static_cast<size_t>(bytes.size()))),
        path.toStdString());
}

std::string textOf(const image::DecodedImage& png, const std::string& key) {
    for (const image::ImageText& text : png.texts) {
        if (text.key == key) {
            return text.text;
        }
    }
    return {};
}

}  // namespace

/// What a user gets: images with their graph and parameters inside, numbered, reproducible from
/// themselves.
class TextToImageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void demoMakesAnUpscaledImage() {
        const QTemporaryDir folder;
        const testing::CommandResult run =
            testing::runInProcess({"run", testing::exampleGraph("demo"), "--out", folder.path()});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        QCOMPARE(run.output.trimmed(), folder.filePath("demo_00001.png"));
        const image::DecodedImage png = imageAt(run.output.trimmed());
        QCOMPARE(png.image.widthPixels, 512);
        QCOMPARE(png.image.heightPixels, 512);
        const QImage image(run.output.trimmed());
        QVERIFY(image.pixelColor(4, 4).green() >
                image.pixelColor(4, 4).red());  // a green background
    }

    void carriesItsGraphAndParameters() {
        const QTemporaryDir folder;
        const QStringList settings = {"--set",
                                      "encode.prompt=a cat face, on a blue background",
                                      "--set",
                                      "encode.negative=ugly, \"bad\"",
                                      "--set",
                                      "denoise.seed=18446744073709551615",
                                      "--set",
                                      "denoise.steps=2",
                                      "--set",
                                      "denoise.sampler=euler_a"};
        const testing::CommandResult run = testing::runInProcess(
            QStringList{"run", testing::exampleGraph("text_to_image"), "--out", folder.path()} +
            settings);
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const image::DecodedImage png = imageAt(folder.filePath("lowtide_00001.png"));
        const std::string parameters = textOf(png, "parameters");
        QVERIFY2(
            parameters.starts_with(
                "a cat face, on a blue background\nNegative prompt: ugly, \"bad\"\nSteps: 2, "),
            parameters.c_str());
        for (const char* part : {"Sampler: Euler a",
                                 "CFG scale: 3",
                                 "Seed: 18446744073709551615",
                                 "Size: 128x128",
                                 "Model: "}) {
            QVERIFY2(parameters.find(part) != std::string::npos, parameters.c_str());
        }
        const std::string graph = textOf(png, "lowtide_graph");
        QVERIFY(graph.find(folder.path().toStdString()) == std::string::npos);
        QVERIFY(graph.find("18446744073709551615") != std::string::npos);

        const testing::CommandResult second = testing::runInProcess(
            {"run", folder.filePath("lowtide_00001.png"), "--out", folder.filePath("second")});
        QVERIFY2(second.exitCode == 0, qPrintable(second.errors));
        QCOMPARE(QImage(folder.filePath("second/lowtide_00001.png")),
                 QImage(folder.filePath("lowtide_00001.png")));
    }

    /// Of Stable Diffusion XL; the file is next to the image, where its graph looks for it.
    void reportsWhatASecondEncoderRead() {
        const QTemporaryDir folder;
        const QString checkpoint = testing::linkXlFile("sdxl_1_half", folder.path());
        QStringList arguments = {
            "run", testing::exampleGraph("text_to_image"), "--out", folder.path()};
        for (const QString& set : {"load.checkpoint=" + checkpoint,
                                   QString("latent.width=64"),
                                   QString("latent.height=64"),
                                   QString("denoise.steps=2"),
                                   QString("encode.prompt_2=a dog: large, wild"),
                                   QString("encode.negative_2=fog"),
                                   QString("encode.original_width=1024"),
                                   QString("encode.crop_top=16")}) {
            arguments << "--set" << set;
        }
        const testing::CommandResult run = testing::runInProcess(arguments);
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const image::DecodedImage png = imageAt(folder.filePath("lowtide_00001.png"));
        const std::string parameters = textOf(png, "parameters");
        QVERIFY2(
            parameters.find(", Second prompt: \"a dog: large, wild\", Second negative prompt: fog, "
                            "Original width: 1024, Crop top: 16, Version: ") != std::string::npos,
            parameters.c_str());
        const Json params =
            parseJson(textOf(png, "lowtide_graph"), "graph")["nodes"]["encode"]["params"];
        QCOMPARE(params.at("prompt_2"), Json("a dog: large, wild"));
        QCOMPARE(params.at("crop_top"), Json(16));

        const testing::CommandResult again = testing::runInProcess(
            {"run", folder.filePath("lowtide_00001.png"), "--out", folder.filePath("again")});
        QVERIFY2(again.exitCode == 0, qPrintable(again.errors));
        QCOMPARE(testing::contentsOf(again.output.trimmed()),
                 testing::contentsOf(folder.filePath("lowtide_00001.png")));
    }

    void anImageWithoutAGraphIsRefusedAsAGraph() {
        const testing::CommandResult check =
            testing::runInProcess({"check", testing::sourcePath("examples/pictures/dog.png")});
        QCOMPARE(check.exitCode, 2);
        QVERIFY2(check.errors.contains("the image \"dog.png\" carries no graph"),
                 qPrintable(check.errors));
    }

    void numbersGoOnAndBatchesAreOneFileEach() {
        const QTemporaryDir folder;
        const QStringList arguments = {"run",
                                       testing::exampleGraph("text_to_image"),
                                       "--out",
                                       folder.path(),
                                       "--set",
                                       "denoise.steps=1",
                                       "--set",
                                       "latent.batch=2",
                                       "--set",
                                       "save.prefix=deep/er/cat"};
        QCOMPARE(testing::runInProcess(arguments).exitCode, 0);
        QCOMPARE(testing::runInProcess(arguments).exitCode, 0);
        QCOMPARE(QDir(folder.filePath("deep/er")).entryList(QDir::Files, QDir::Name),
                 QStringList({"cat_00001.png", "cat_00002.png", "cat_00003.png", "cat_00004.png"}));
    }

    void operatorsThreadsSleepSoon_data() {
        testing::addTable<QString, QString, QString>(
            {"variable", "value", "expected"},
            {{"by itself", "", "", "GOMP_SPINCOUNT = '10000'"},
             {"a count of one's own", "GOMP_SPINCOUNT", "77", "GOMP_SPINCOUNT = '77'"},
             {"a policy of one's own", "OMP_WAIT_POLICY", "active", "OMP_WAIT_POLICY = 'ACTIVE'"}});
    }

    /// libgomp prints its settings when it is loaded, with the module.
    void operatorsThreadsSleepSoon() {
        QFETCH(QString, variable);
        QFETCH(QString, value);
        QFETCH(QString, expected);
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove("GOMP_SPINCOUNT");
        environment.remove("OMP_WAIT_POLICY");
        environment.insert("OMP_DISPLAY_ENV", "verbose");
        if (!variable.isEmpty()) {
            environment.insert(variable, value);
        }
        program.setProcessEnvironment(environment);
        program.start(testing::buildPath("bin/lowtide"),
                      {"plan", testing::exampleGraph("text_to_image")});
        QVERIFY(program.waitForFinished(60000));
        const QString reported = program.readAllStandardError();
        QVERIFY2(reported.contains(expected), qPrintable(reported));
        QCOMPARE(reported.contains("GOMP_SPINCOUNT = '10000'"), variable.isEmpty());
    }

    void reportsAndEventsAreJson() {
        const QTemporaryDir folder;
        const QString report = folder.filePath("report.json");
        const testing::CommandResult run =
            testing::runInProcess({"run",
                                   testing::exampleGraph("text_to_image"),
                                   "--out",
                                   folder.path(),
                                   "--set",
                                   "denoise.steps=2",
                                   "--report",
                                   report,
                                   "--repeat",
                                   "2",
                                   "--events"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        QStringList names;
        for (const QString& line : run.output.split('\n', Qt::SkipEmptyParts)) {
            names << QString::fromStdString(
                parseJson(line.toStdString(), "event").at("event").get<std::string>());
        }
        QCOMPARE(names.first(), QString("runStarted"));
        QCOMPARE(names.last(), QString("runFinished"));
        QCOMPARE(names.count("nodeFinished"), 12);
        const Json json = parseJson(testing::contentsOf(report).toStdString(), "report");
        QCOMPARE(json.at("repetitions").size(), size_t{2});
        QVERIFY(json.at("repetitions")[0].at("executed") ==
                json.at("repetitions")[1].at("executed"));
        QVERIFY(json.dump().find("unaccounted") != std::string::npos);
        const testing::CommandResult printed = testing::runInProcess({"report", report});
        QCOMPARE(printed.exitCode, 0);
        QVERIFY2(printed.output.contains("predicted") && printed.output.contains(" planned; "),
                 qPrintable(printed.output));
    }
};

LOWTIDE_TEST(TextToImageTest)

}  // namespace text_to_image_test

#include "text_to_image_test.moc"
