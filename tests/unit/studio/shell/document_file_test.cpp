#include "plugin/base/error.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/small_plugin.hpp"
#include "ui/studio/document_file.hpp"
#include "ui/studio/file_commands.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace document_file_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 10000;

/// A document with its folders, as a window has it.
struct Opened {
    explicit Opened(const QTemporaryDir& folder)
        : model(catalog),
          file(model,
               {.resources = {},
                .settings = {},
                .presets = {},
                .nodes = {},
                .journals = folder.filePath("journal"),
                .backups = folder.filePath("backups"),
                .pictures = {}}) {}

    void changeSteps(int steps) {
        model.apply("Steps", [&](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = steps;
        });
    }

    graph::Catalog catalog{smallNodes()};
    GraphModel model;
    DocumentFile file;
};

int journalsIn(const QTemporaryDir& folder) {
    return static_cast<int>(QDir(folder.filePath("journal")).entryList(QDir::Files).size());
}

}  // namespace

class DocumentFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aSavedGraphComesBackAsItWas() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        Opened first(folder);
        first.file.setNew(defaultGraph(), "untitled");
        first.changeSteps(3);
        QVERIFY(first.model.isModified());
        QCOMPARE(first.file.saveAs(path), QString());
        QVERIFY(!first.model.isModified());
        QCOMPARE(first.file.name(), QString("one"));
        QCOMPARE(graph::toText(loadGraph(path)), graph::toText(first.model.document()));
    }

    void changesAreKeptInTheJournalUntilTheyAreSaved() {
        const QTemporaryDir folder;
        Opened opened(folder);
        opened.file.setNew(defaultGraph(), "untitled");
        QCOMPARE(journalsIn(folder), 0);
        opened.changeSteps(3);
        QTRY_COMPARE_WITH_TIMEOUT(journalsIn(folder), 1, kPatience);
        QCOMPARE(opened.file.saveAs(folder.filePath("one.json")), QString());
        QCOMPARE(journalsIn(folder), 0);
        opened.changeSteps(4);
        QTRY_COMPARE_WITH_TIMEOUT(journalsIn(folder), 1, kPatience);
        opened.file.save();
        QCOMPARE(journalsIn(folder), 0);
    }

    void aWindowThatClosesInOrderLeavesNothingToRecover() {
        const QTemporaryDir folder;
        {
            Opened opened(folder);
            opened.file.setNew(defaultGraph(), "untitled");
            opened.changeSteps(3);
            QTRY_COMPARE_WITH_TIMEOUT(journalsIn(folder), 1, kPatience);
        }
        QCOMPARE(journalsIn(folder), 0);
    }

    void aSecondWindowIsToldWhoHasTheFile() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        Opened first(folder);
        first.file.setNew(defaultGraph(), "untitled");
        QCOMPARE(first.file.saveAs(path), QString());
        Opened second(folder);
        second.file.setNew({}, "untitled");
        QVERIFY(!second.file.open(path).isEmpty());
        QCOMPARE(second.file.name(), QString("untitled"));
        second.file.openCopy(path);
        QCOMPARE(second.file.path(), QString());
        QVERIFY(second.file.name().contains("copy"));
        QVERIFY(!second.file.saveAs(path).isEmpty());
    }

    void whatIsRecoveredIsAStepOnTopOfTheFile() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        Opened opened(folder);
        opened.file.setNew(defaultGraph(), "untitled");
        QCOMPARE(opened.file.saveAs(path), QString());
        graph::Document changed = defaultGraph();
        changed.nodes.at("denoise").params["steps"] = 3;
        opened.file.setNew({}, "untitled");
        const QString journal = folder.filePath("of_a_killed_program");
        QVERIFY(QFile(journal).open(QIODevice::WriteOnly));
        opened.file.recover(
            {.journal = journal, .path = path, .writtenAt = {}, .document = changed});
        QVERIFY2(!QFile::exists(journal), "it would be offered at the next start again");
        QCOMPARE(journalsIn(folder), 1);
        QVERIFY(opened.model.isModified());
        QCOMPARE(opened.file.path(), path);
        QCOMPARE(graph::toText(opened.model.document()), graph::toText(changed));
        opened.model.undoStack().undo();
        QCOMPARE(graph::toText(opened.model.document()), graph::toText(defaultGraph()));
    }

    void aFileThatCannotBeReadLeavesTheDocumentAlone() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("broken.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"format\": 1, \"nodes\": [");
        file.close();
        Opened opened(folder);
        opened.file.setNew(defaultGraph(), "mine");
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(opened.file.open(path)), Error);
        QCOMPARE(opened.file.name(), QString("mine"));
        QCOMPARE(graph::toText(opened.model.document()), graph::toText(defaultGraph()));
    }
};

LOWTIDE_WINDOW_TEST(DocumentFileTest)

}  // namespace document_file_test

#include "document_file_test.moc"
