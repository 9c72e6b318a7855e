// Alternatives and wildcards in prompts, by the command. That its images are the studio's is in
// studio/prompts_test.
#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImageReader>
#include <QtTest/QtTest>

#include <set>

namespace drawn_prompts_test {

using namespace lowtide;
using testing::CommandResult;

namespace {

constexpr const char* kTemplate = "a {small|large} __colour__ boat";

/// The prompt that an image carries; Qt reads its lines as one.
QString promptOf(const QString& image) {
    return QImageReader(image).text("parameters").section(" Steps: ", 0, 0);
}

}  // namespace

class DrawnPromptsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;

    [[nodiscard]] QString out() const { return folder_->filePath("out"); }

    /// A command with the mini model's graph, small, and the wildcards of the test.
    [[nodiscard]] CommandResult lowtide(const char* command,
                                        const QString& prompt,
                                        const QStringList& more = {}) const {
        QStringList arguments = {command, testing::exampleGraph("text_to_image")};
        for (const QString& setting : {QStringLiteral("latent.width=64"),
                                       QStringLiteral("latent.height=64"),
                                       QStringLiteral("denoise.steps=1"),
                                       "encode.prompt=" + prompt}) {
            arguments << "--set" << setting;
        }
        return testing::runInProcess(arguments + more);
    }

    [[nodiscard]] CommandResult run(const QString& prompt, const QStringList& more = {}) const {
        return lowtide("run", prompt, QStringList{"--out", out()} + more);
    }

    void write(const QString& file, const QByteArray& text) const {
        testing::writeFile(folder_->filePath(file), text);
    }

private Q_SLOTS:

    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        qputenv("LOWTIDE_STUDIO_DATA", folder_->path().toUtf8());
        write("wildcards/colour.txt", "red\nblue\n");
    }

    /// The seed decides; repetitions of a run have its text.
    void theSeedDraws() {
        const QString report = folder_->filePath("report.json");
        std::set<QString> texts;
        for (int seed = 1; seed <= 6; ++seed) {
            const CommandResult made = run(kTemplate,
                                           {"--set",
                                            QString("denoise.seed=%1").arg(seed),
                                            "--repeat",
                                            "2",
                                            "--report",
                                            report});
            QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
            const QStringList images = made.output.split('\n', Qt::SkipEmptyParts);
            QCOMPARE(images.size(), 2);
            const QString text = promptOf(images.front());
            QVERIFY2(QRegularExpression("^a (small|large) (red|blue) boat$").match(text).hasMatch(),
                     qPrintable(text));
            QCOMPARE(promptOf(images.back()), text);
            texts.insert(text);
            const Json prompts = Json::parse(testing::contentsOf(report).toStdString())["prompts"];
            QCOMPARE(prompts,
                     Json::array({{{"node", "encode"},
                                   {"item", "prompt"},
                                   {"template", kTemplate},
                                   {"text", text.toStdString()}}}));
        }
        QVERIFY(texts.size() > 1);
    }

    void aFolderOfWildcardsIsNamed() {
        write("other/colour.txt", "green\n");
        const CommandResult made =
            run("a __colour__ boat", {"--wildcards", folder_->filePath("other")});
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        QCOMPARE(promptOf(made.output.trimmed()), QString("a green boat"));
    }

    void literalTextsRemain() {
        const CommandResult made = run(kTemplate, {"--literal"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        QCOMPARE(promptOf(made.output.trimmed()), QString(kTemplate));
    }

    /// As in the studio's sheets, the seed before anything is varied draws for all variants.
    void variantsHaveOneText() {
        const CommandResult made = lowtide("compare",
                                           "{a|b|c|d|e|f|g|h} __colour__ boat",
                                           {"--vary", "denoise.seed=1,2,3,4", "--out", out()});
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        const Json figures =
            Json::parse(testing::contentsOf(out() + "/comparison.json").toStdString());
        std::set<QString> texts;
        for (const Json& variant : figures.at("variants")) {
            texts.insert(promptOf(out() + "/" + QString::fromStdString(variant.at("files").at(0))));
        }
        QCOMPARE(texts.size(), 1U);
        QVERIFY2(QRegularExpression("^[a-h] (red|blue) boat$").match(*texts.begin()).hasMatch(),
                 qPrintable(*texts.begin()));
    }

    void whatCannotBeDrawnIsRefused_data() {
        testing::addTable<QByteArray, QStringList>(
            {"command", "more"},
            {{"run", "run", {}},
             {"compare", "compare", {"--vary", "denoise.steps=1,2"}},
             {"sensitivity", "compare", {"--sensitivity"}},
             {"calibrate-cache", "calibrate-cache", {"--seeds", "1", "--held-out", "2"}}});
    }

    /// With the node, the parameter, the file and its folder, before anything runs.
    void whatCannotBeDrawnIsRefused() {
        QFETCH(const QByteArray, command);
        QFETCH(const QStringList, more);
        write("wildcards/bad name!.txt", "x\n");

        const CommandResult made = lowtide(
            command.constData(), "a {wild|wild} __hare__", more + QStringList{"--out", out()});

        QCOMPARE(made.exitCode, 2);
        for (const QString& word : {QString("encode.prompt: there is no wildcard \"hare\""),
                                    QString("\"hare.txt\""),
                                    folder_->filePath("wildcards"),
                                    QString("\"bad name!\" is left out")}) {
            QVERIFY2(made.errors.contains(word), qPrintable(made.errors));
        }
        QVERIFY(QDir(out()).entryList({"*.png"}, QDir::Files).isEmpty());
    }

    void aFolderThatIsNotThereIsRefused() {
        const CommandResult made = run("a boat", {"--wildcards", folder_->filePath("nowhere")});
        QCOMPARE(made.exitCode, 2);
        QVERIFY2(made.errors.contains("--wildcards: there is no folder"), qPrintable(made.errors));
    }

    /// Both take texts as they stand.
    void checkAndPlanDrawNothing() {
        for (const char* command : {"check", "plan"}) {
            const CommandResult made = lowtide(command, "a {wild|wild} __hare__");
            QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        }
    }

    /// A value that is refused is refused with the words of ever.
    void aWrongValueIsRefused() {
        const CommandResult made = run(kTemplate, {"--set", "denoise.stepz=3"});
        QCOMPARE(made.exitCode, 2);
        QVERIFY2(made.errors.contains("has no parameter \"stepz\""), qPrintable(made.errors));
    }
};

LOWTIDE_TEST(DrawnPromptsTest)

}  // namespace drawn_prompts_test

#include "drawn_prompts_test.moc"
