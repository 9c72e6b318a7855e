#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace mini_model_test {

using namespace lowtide;

namespace {

const QString kJudge = testing::sourcePath("tests/golden/mini/judge.py");

// Fractions that the model reaches in its own evaluation (resources/mini/train/evaluation.json):
// objects and backgrounds all, sizes and positions 121 and 122 of the 122 images of one object.
constexpr double kSizeFraction = 121.0 / 122.0;

const int kPrompts = testing::isFullTest() ? 100 : 6;

}  // namespace

/// Images of the shipped model, made as the command makes them, before the model's own judge.
class MiniModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void imagesShowWhatThePromptsAskFor() {
        const QTemporaryDir folder;
        const std::string text =
            testing::runReference({kJudge, "prompts", QString::number(kPrompts)}).toStdString();
        const Json prompts = parseJson(text, "prompts");
        QFile list(folder.filePath("prompts.json"));
        QVERIFY(list.open(QIODevice::WriteOnly));
        list.write(text.c_str());
        list.close();
        for (size_t i = 0; i < prompts.size(); ++i) {
            makeImage(prompts[i], folder.filePath(QString::number(i)));
        }
        const Json verdict = parseJson(
            testing::runReference({kJudge, "judge", list.fileName(), folder.path()}).toStdString(),
            "verdict");
        const Json& total = verdict.at("total");
        qInfo("%s", total.dump().c_str());
        const std::string misses = verdict.at("misses").dump(1);
        const int count = total.at("count").get<int>();
        QVERIFY2(total.at("object").get<int>() == count, misses.c_str());
        QVERIFY2(total.at("background").get<int>() == count, misses.c_str());
        QVERIFY2(total.at("size").get<int>() >= static_cast<int>(kSizeFraction * count),
                 misses.c_str());
        QVERIFY2(total.at("place").get<int>() == count, misses.c_str());
    }

private:
    static void makeImage(const Json& prompt, const QString& path) {
        const QString seed = QString::number(prompt.at("seed").get<int>());
        const testing::CommandResult run = testing::runInProcess(
            {"run",
             testing::exampleGraph("text_to_image"),
             "--out",
             path,
             "--set",
             "encode.prompt=" + QString::fromStdString(prompt.at("text").get<std::string>()),
             "--set",
             "denoise.seed=" + seed,
             "--set",
             "denoise.steps=25"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        QVERIFY(QFile::rename(run.output.trimmed(), path + ".png"));
    }
};

LOWTIDE_TEST(MiniModelTest)

}  // namespace mini_model_test

#include "mini_model_test.moc"
