#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/interop/settings.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace comfyui_test {

using namespace lowtide;

namespace {

/// Text to image with values that ComfyUI has.
const QStringList kSettings = {"--set",
                               "encode.prompt=a cat face, on (blue:1.2)",
                               "--set",
                               "encode.negative=ugly",
                               "--set",
                               "encode.weights=comfyui",
                               "--set",
                               "denoise.noise=comfyui",
                               "--set",
                               "denoise.sampler=dpmpp_2m",
                               "--set",
                               "denoise.schedule=karras",
                               "--set",
                               "denoise.steps=3",
                               "--set",
                               "denoise.seed=18446744073709551615"};

QImage imageIn(const QString& folder, const char* ending = "png") {
    return QImage(folder + "/lowtide_00001." + ending);
}

std::string textIn(const QString& path, const std::string& key) {
    for (const image::ImageText& text :
         graph::readCarriedTexts(files::InputFile(path.toStdString()))) {
        if (text.key == key) {
            return text.text;
        }
    }
    return {};
}

}  // namespace

/// Graphs and images of this program, read as other programs do.
class ComfyuiTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QImage made_;

    QString at(const QString& name) const { return folder_.filePath(name); }

    /// The folder of its images; empty: it failed.
    QString run(const QString& graph, const QString& name, const QStringList& settings = {}) const {
        const testing::CommandResult result =
            testing::runInProcess(QStringList{"run", graph, "--out", at(name)} + settings);
        if (result.exitCode != 0) {
            qWarning("%s", qPrintable(result.errors));
        }
        return result.exitCode == 0 ? at(name) : QString();
    }

private Q_SLOTS:

    void initTestCase() {
        made_ = imageIn(run(testing::exampleGraph("text_to_image"), "made", kSettings));
        QVERIFY(!made_.isNull());
    }

    void anExportedGraphMakesTheSameImage_data() {
        QTest::addColumn<QStringList>("form");
        QTest::addRow("API") << QStringList();
        QTest::addRow("workflow") << QStringList{"--workflow"};
    }

    void anExportedGraphMakesTheSameImage() {
        QFETCH(QStringList, form);

        const testing::CommandResult exported = testing::runInProcess(
            QStringList{
                "export", testing::exampleGraph("text_to_image"), "--out", at("there.json")} +
            kSettings + form);

        QVERIFY2(exported.exitCode == 0, qPrintable(exported.errors));
        QVERIFY2(exported.output.contains("5 exact, 1 near"), qPrintable(exported.output));
        QCOMPARE(imageIn(run(at("there.json"), QString("again_%1").arg(form.size()))), made_);
    }

    void anImageMakesItselfAgainFromWhatComfyUiReads_data() {
        QTest::addColumn<QString>("key");
        QTest::addRow("prompt") << "prompt";
        QTest::addRow("workflow") << "workflow";
    }

    void anImageMakesItselfAgainFromWhatComfyUiReads() {
        QFETCH(QString, key);
        const std::string text = textIn(at("made/lowtide_00001.png"), key.toStdString());
        testing::writeFile(at(key + ".json"), QByteArray::fromStdString(text));

        QCOMPARE(imageIn(run(at(key + ".json"), "from_" + key)), made_);
    }

    void everyFormatCarriesTheSame_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("ending");
        QTest::addRow("JPEG") << "jpeg"
                              << "jpg";
        QTest::addRow("WebP") << "webp_lossless"
                              << "webp";
    }

    void everyFormatCarriesTheSame() {
        QFETCH(QString, format);
        QFETCH(QString, ending);

        const QString folder = run(testing::exampleGraph("text_to_image"),
                                   format,
                                   kSettings + QStringList{"--set", "save.format=" + format});

        const QString path = folder + "/lowtide_00001." + ending;
        for (const char* key : {"prompt", "workflow", "parameters"}) {
            QCOMPARE(textIn(path, key), textIn(at("made/lowtide_00001.png"), key));
        }
        QVERIFY(!textIn(path, "prompt").empty());
    }

    void a1111ReadsTheSettings() {
        const auto settings =
            interop::readA1111(textIn(at("made/lowtide_00001.png"), "parameters"));

        QVERIFY(settings.has_value());
        QCOMPARE(settings->prompt, std::string("a cat face, on (blue:1.2)"));
        QCOMPARE(settings->negative, std::string("ugly"));
        QCOMPARE(*settings->steps, int64_t{3});
        QCOMPARE(*settings->seed, UINT64_MAX);
        QCOMPARE(*settings->cfg, 3.0);
        QCOMPARE(*settings->widthPixels, int64_t{128});
        QCOMPARE(settings->sampler, std::string("DPM++ 2M"));
        QCOMPARE(settings->schedule, std::string("Karras"));
        QVERIFY(!settings->model.empty());
    }

    /// A node that ComfyUI lacks: the image carries our graph, and nothing that would be another.
    void whatDoesNotMapIsRefused_andNotCarried() {
        const QString graph = testing::exampleGraph("speed_then_finish");

        const testing::CommandResult exported =
            testing::runInProcess({"export", graph, "--out", at("none.json")});

        QCOMPARE(exported.exitCode, 2);
        QVERIFY2(exported.errors.contains("no node of ComfyUI stands for it"),
                 qPrintable(exported.errors));
        QVERIFY(!QFile::exists(at("none.json")));
        const QString folder = run(graph, "finished", {"--set", "denoise.steps=2"});
        const QStringList images = QDir(folder).entryList({"*.png"});
        QVERIFY(!images.isEmpty());
        QVERIFY(textIn(folder + "/" + images[0], "prompt").empty());
        QVERIFY(!textIn(folder + "/" + images[0], "lowtide_graph").empty());
    }

    void aWorkflowIsNotExported() {
        testing::writeFile(
            at("other.json"),
            QByteArray::fromStdString(textIn(at("made/lowtide_00001.png"), "prompt")));

        const testing::CommandResult exported =
            testing::runInProcess({"export", at("other.json"), "--out", at("again.json")});

        QCOMPARE(exported.exitCode, 2);
        QVERIFY2(exported.errors.contains("of another program"), qPrintable(exported.errors));
    }
};

LOWTIDE_TEST(ComfyuiTest)

}  // namespace comfyui_test

#include "comfyui_test.moc"
