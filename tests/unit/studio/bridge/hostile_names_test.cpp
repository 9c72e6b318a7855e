// Folders of names that no program expects: each is a row or a sentence, and all text is UTF-8.
#include "plugin/base/text.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/hostile_names.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/model_sample.hpp"
#include "ui/bridge/model_library.hpp"
#include "ui/bridge/model_plans.hpp"
#include "ui/prompts/prompt_choices.hpp"

#include <QtTest/QtTest>

namespace hostile_names_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

size_t notUtf8() {
    const std::vector<std::string> names = testing::hostileNames();
    return static_cast<size_t>(std::count_if(
        names.begin(), names.end(), [](const auto& name) { return !isValidUtf8(name); }));
}

}  // namespace

class HostileNamesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// The file inside the folder that is not UTF-8 is one more row.
    void everyModelIsARow_theUnnameableWithAProblem() {
        const QTemporaryDir folder;
        const QTemporaryDir other;
        const QString sample = other.filePath("sample.safetensors");
        testing::writeModel(sample, testing::kSd15);
        testing::makeHostile(folder.filePath("checkpoints"),
                             ".safetensors",
                             testing::contentsOf(sample).toStdString());
        ModelLibrary library(testing::sampleRecognise);
        QSignalSpy scanned(&library, &ModelLibrary::scanned);
        library.setFolders({folder.path()}, {});
        QVERIFY(scanned.wait(20000));

        QCOMPARE(library.models().size(), testing::hostileNames().size() + 1);
        size_t refused = 0;
        std::set<std::string> paths;
        for (const FoundModel& model : library.models()) {
            for (const std::string* text :
                 {&model.file.path, &model.file.name, &model.file.problem.str(), &model.value}) {
                QVERIFY2(isValidUtf8(*text), text->c_str());
            }
            QVERIFY(isValidUtf8(model.relative));
            QVERIFY(paths.insert(model.file.path).second);
            if (model.file.problem.empty()) {
                QVERIFY(!graphFor(model).empty());
            } else {
                ++refused;
                QVERIFY(!ModelPlans::canPlan(model));
                QCOMPARE(model.file.kind, ModelKind::Other);  // no list offers it
                QVERIFY2(model.file.problem.str().ends_with("is not UTF-8: rename it"),
                         model.file.problem.str().c_str());
            }
        }
        QCOMPARE(refused, notUtf8() + 1);
    }

    void wildcardsOfSuchNamesAreLeftOutWithASentence() {
        const QTemporaryDir folder;
        testing::makeHostile(folder.path(), ".txt", "red\nblue\n");

        const WildcardFiles read = readWildcards(folder.path().toStdString());

        for (const auto& [name, lines] : read.lists) {
            QVERIFY2(isValidUtf8(name), name.c_str());
            QCOMPARE(lines.size(), size_t{2});
        }
        for (const Message& problem : read.problems) {
            QVERIFY2(isValidUtf8(problem.str()), problem.str().c_str());
        }
        QVERIFY(read.lists.contains("\U0001F600"));
        QCOMPARE(read.lists.size() + read.problems.size(), testing::hostileNames().size() + 1);
        const auto isForEncoding = [](const Message& problem) {
            return problem.str().ends_with("its name is not UTF-8");
        };
        QCOMPARE(static_cast<size_t>(
                     std::count_if(read.problems.begin(), read.problems.end(), isForEncoding)),
                 notUtf8() + 1);
    }
};

LOWTIDE_TEST(HostileNamesTest)

}  // namespace hostile_names_test

#include "hostile_names_test.moc"
