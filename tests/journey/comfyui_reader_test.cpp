#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/image/image_file.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <set>
#include <stdexcept>
#include <string>

namespace comfyui_reader_test {

using namespace lowtide;

namespace {

std::string textIn(const QString& path, const std::string& key) {
    for (const image::ImageText& text :
         graph::readCarriedTexts(files::InputFile(path.toStdString()))) {
        if (text.key == key) {
            return text.text;
        }
    }
    return {};
}

/// Texts of prompts that the server is sent.
Json textsOf(const Json& prompt) {
    std::multiset<std::string> texts;
    for (const auto& [id, node] : prompt.items()) {
        if (node.at("class_type") == "CLIPTextEncode") {
            texts.insert(node.at("inputs").at("text").get<std::string>());
        }
    }
    return texts;
}

/// The reader of a video gives values, that of an image texts.
Json valueOf(const Json& read) {
    return read.is_string() ? parseJson(read.get<std::string>(), "what was read") : read;
}

}  // namespace

/// Images and videos of this program, read by the parser of ComfyUI's frontend itself, in node.
class ComfyuiReaderTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    /// The file that an example writes with a prompt whose braces have no partners.
    QString made(const QString& graph, const QStringList& settings, const QString& name) const {
        QStringList arguments = {
            "run",
            testing::exampleGraph(graph),
            "--out",
            folder_.path(),
            "--model-folder",
            testing::wanGoldenFolder() + "/checkpoints",
            "--set",
            "encode.prompt=a fox } in \"snow\" \\{, 猫 http://a.b /* c */\nby night",
            "--set",
            "denoise.steps=2"};
        for (const QString& setting : settings) {
            arguments << "--set" << setting;
        }
        const testing::CommandResult result = testing::runInProcess(arguments);
        if (result.exitCode != 0) {
            throw std::runtime_error(result.errors.toStdString());
        }
        return folder_.filePath(name);
    }

    QString image(const QString& format, const QString& ending) const {
        return made("text_to_image",
                    {"save.format=" + format, "save.prefix=" + format},
                    format + "_00001." + ending);
    }

    QString video(const QString& format, const QString& ending) const {
        return made("text_to_video",
                    {"load.checkpoint=wan_t2v_0",
                     "video.width=64",
                     "video.height=48",
                     "video.frames=5",
                     "save_video.format=" + format,
                     "save_video.prefix=video_" + format},
                    "video_" + format + "_00001." + ending);
    }

    static Json readByComfyUi(const QString& file) {
        const QString node = QStandardPaths::findExecutable("node");
        if (node.isEmpty()) {
            throw std::runtime_error("node is not there: install the Debian package nodejs");
        }
        const testing::Ended ended =
            testing::runProgram(node,
                                {testing::sourcePath("tests/journey/read_as_comfyui.mjs"),
                                 testing::publishedPackageFile("comfyui_frontend_package"),
                                 file});
        if (ended.exitCode != 0) {
            throw std::runtime_error(ended.errors.right(2000).toStdString());
        }
        return parseJson(ended.output.toStdString(), "what was read").at(0);
    }

private Q_SLOTS:

    void itReadsWhatIsInTheFile_data() {
        QTest::addColumn<bool>("isVideo");
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("ending");
        QTest::addRow("PNG") << false << "png"
                             << "png";
        QTest::addRow("WebP") << false << "webp"
                              << "webp";
        QTest::addRow("WebP, lossless") << false << "webp_lossless"
                                        << "webp";
        QTest::addRow("MP4") << true << "mp4"
                             << "mp4";
        QTest::addRow("WebM") << true << "webm"
                              << "webm";
        QTest::addRow("animated WebP") << true << "webp"
                                       << "webp";
        QTest::addRow("animated PNG") << true << "png"
                                      << "png";
    }

    void itReadsWhatIsInTheFile() {
        QFETCH(bool, isVideo);
        QFETCH(QString, format);
        QFETCH(QString, ending);
        const QString file = isVideo ? video(format, ending) : image(format, ending);

        const Json read = readByComfyUi(file);

        for (const char* key : {"prompt", "workflow"}) {
            const std::string written = textIn(file, key);
            QVERIFY2(written.find("fox") != std::string::npos, key);
            QCOMPARE(valueOf(read.at(key)), parseJson(written, key));
        }
        QCOMPARE(read.at("sentTexts"), textsOf(parseJson(textIn(file, "prompt"), "prompt")));
    }

    void itReadsTheParametersOfPng() {
        const QString file = image("png", "png");

        QCOMPARE(readByComfyUi(file).at("parameters"), Json(textIn(file, "parameters")));
    }

    /// docs/output_files.md: JPEG is none of its formats.
    void itTakesNoJpeg() { QVERIFY(readByComfyUi(image("jpeg", "jpg")).is_null()); }
};

LOWTIDE_TEST(ComfyuiReaderTest)

}  // namespace comfyui_reader_test

#include "comfyui_reader_test.moc"
