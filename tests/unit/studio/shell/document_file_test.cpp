#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/image/png.hpp"
#include "plugin/video/video_writer.hpp"
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/sleeping_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/small_plugin.hpp"
#include "ui/document/journal.hpp"
#include "ui/studio/document_file.hpp"
#include "ui/studio/file_commands.hpp"

#include <QtTest/QtTest>

#include <atomic>
#include <functional>
#include <future>
#include <map>

namespace document_file_test {

using namespace lowtide;
using namespace lowtide::ui;
using testing::writeFile;

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
                .images = {}}) {}

    void changeSteps(int steps) {
        model.apply("Steps", [&](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = steps;
        });
    }

    graph::Catalog catalog{smallNodes()};
    GraphModel model;
    DocumentFile file;
};

OpenedGraph fresh() {
    return {.document = defaultGraph(), .name = "untitled", .folder = {}};
}

/// The same with a new document.
struct Fresh : Opened {
    explicit Fresh(const QTemporaryDir& folder) : Opened(folder) { file.setNew(fresh()); }
};

/// A graph that reads "in.bin", which lies in `p` next to it.
graph::Document reading() {
    graph::Document document = defaultGraph();
    document.nodes["picture"] = {.type = "load.image", .params = {{"image", "in.bin"}}};
    return document;
}

QString nameIn(const graph::Document& document) {
    return QString::fromStdString(document.nodes.at("picture").params.at("image"));
}

/// As the module looks for it.
bool isFound(const Opened& opened) {
    return QFileInfo::exists(QDir(opened.file.folder()).filePath(nameIn(opened.model.document())));
}

void openImage(Opened& opened, const QTemporaryDir& folder) {
    auto pixels = std::make_shared<uint8_t[]>(1);
    const Image8 image{.widthPixels = 1, .heightPixels = 1, .channels = 1, .pixels = pixels};
    writeFile(folder.filePath("p/x.png"),
              QByteArray::fromStdString(
                  image::encodePng(image, {{"lowtide_graph", graph::toText(reading())}})));
    QCOMPARE(test::open(opened.file, folder.filePath("p/x.png")), QString());
}

void openBackupOf(Opened& opened, const QTemporaryDir& folder) {
    const QString path = folder.filePath("p/g.json");
    QCOMPARE(test::open(opened.file, path), QString());
    opened.changeSteps(3);
    test::save(opened.file);
    const std::vector<Backup> backups = backupsOf(path, folder.filePath("backups"));
    QCOMPARE(backups.size(), size_t{1});
    opened.file.setNew(openedBackup(backups.front().path, path));
}

/// What a program that was killed had opened so.
void recoverWhatWas(Opened& opened, const QTemporaryDir& folder, const QString& path) {
    Journal journal(folder.filePath("killed"), {});
    journal.setPath(path, folder.filePath("p"));
    QString reason;
    QVERIFY2(journal.write(reading(), &reason), qPrintable(reason));
    const QDir location(folder.filePath("killed"));
    const QString file = location.filePath(location.entryList(QDir::Files).value(0));
    const JournalText found = journalFrom(testing::contentsOf(file).toStdString());
    test::recover(opened.file,
                  {.journal = file,
                   .path = found.path,
                   .graphFolder = found.graphFolder,
                   .writtenAt = {},
                   .document = found.document});
}

using Way = std::function<void(Opened&, const QTemporaryDir&)>;

void saveElsewhere(Opened& opened, const QTemporaryDir& folder) {
    QVERIFY(QDir(folder.path()).mkpath("q"));
    QCOMPARE(test::open(opened.file, folder.filePath("p/g.json")), QString());
    QCOMPARE(test::saveAs(opened.file, folder.filePath("q/g.json")), QString());
}

const std::map<QString, Way> kWays = {
    {"its file",
     [](Opened& opened, const QTemporaryDir& folder) {
         QCOMPARE(test::open(opened.file, folder.filePath("p/g.json")), QString());
     }},
    {"a copy",
     [](Opened& opened, const QTemporaryDir& folder) {
         test::openCopy(opened.file, folder.filePath("p/g.json"));
     }},
    {"an image", openImage},
    {"a backup", openBackupOf},
    {"what was recovered, with a file",
     [](Opened& opened, const QTemporaryDir& folder) {
         recoverWhatWas(opened, folder, folder.filePath("p/g.json"));
     }},
    {"what was recovered, without one",
     [](Opened& opened, const QTemporaryDir& folder) { recoverWhatWas(opened, folder, {}); }},
    {"saved elsewhere", saveElsewhere},
    {"saved elsewhere, and a step back",
     [](Opened& opened, const QTemporaryDir& folder) {
         QCOMPARE(test::open(opened.file, folder.filePath("p/g.json")), QString());
         opened.changeSteps(3);
         QCOMPARE(test::saveAs(opened.file, folder.filePath("q.json")), QString());
         opened.model.undoStack().undo();
     }},
    {"saved elsewhere, opened again", [](Opened& opened, const QTemporaryDir& folder) {
         saveElsewhere(opened, folder);
         QCOMPARE(test::open(opened.file, folder.filePath("q/g.json")), QString());
     }}};

int journalsIn(const QTemporaryDir& folder) {
    return static_cast<int>(QDir(folder.filePath("journal")).entryList(QDir::Files).size());
}

/// Those of documents with changes that are not saved.
int unsavedIn(const QTemporaryDir& folder) {
    int count = 0;
    const QDir journals(folder.filePath("journal"));
    for (const QString& name : journals.entryList(QDir::Files)) {
        const std::string text = testing::contentsOf(journals.filePath(name)).toStdString();
        count += journalFrom(text).tab.isUnsaved ? 1 : 0;
    }
    return count;
}

/// The journals as a killed program leaves them.
void copyAsKilled(const QTemporaryDir& from, const QTemporaryDir& to) {
    const QDir journals(from.filePath("journal"));
    for (const QString& name : journals.entryList(QDir::Files)) {
        Json json = Json::parse(testing::contentsOf(journals.filePath(name)).toStdString());
        json["program"]["started_at"] = "1";
        writeFile(to.filePath("journal/" + name), QByteArray::fromStdString(json.dump()));
    }
}

DocumentFile::LeftOver restore(DocumentFile& file) {
    return test::waitedFor<DocumentFile::LeftOver>([&](auto then) { file.restore(then); });
}

}  // namespace

class DocumentFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aSavedGraphComesBackAsItWas() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        Fresh first(folder);
        first.changeSteps(3);
        QVERIFY(first.model.isModified());
        QCOMPARE(test::saveAs(first.file, path), QString());
        QVERIFY(!first.model.isModified());
        QCOMPARE(first.file.name(), QString("one"));
        QCOMPARE(graph::toText(loadGraph(path)), graph::toText(first.model.document()));
    }

    /// What it holds decides, whatever it is called.
    void anImageIsNeverWrittenOver() {
        const QTemporaryDir folder;
        const Image8 dot{.widthPixels = 1,
                         .heightPixels = 1,
                         .channels = 1,
                         .pixels = std::make_shared<uint8_t[]>(1)};
        for (const image::ImageFormat format :
             {image::ImageFormat::Png, image::ImageFormat::Jpeg, image::ImageFormat::WebP}) {
            const QString path = folder.filePath("photo.data");
            writeFile(path,
                      QByteArray::fromStdString(image::encodeImage(
                          dot, {{"lowtide_graph", graph::toText(reading())}}, {.format = format})));
            Opened opened(folder);
            QCOMPARE(test::open(opened.file, path), QString());
            QVERIFY(opened.model.node("picture"));
            QCOMPARE(opened.file.path(), QString());
        }
    }

    void aVideoIsNeverWrittenOver() {
        const QTemporaryDir folder;
        constexpr int kSide = 16;
        const Image8 frame{.widthPixels = kSide,
                           .heightPixels = kSide,
                           .channels = 3,
                           .pixels = std::make_shared<uint8_t[]>(3 * kSide * kSide)};
        for (const video::FormatInfo& format : video::formats()) {
            const QString path = folder.filePath("film.data");
            files::OutputFile output(path.toStdString());
            const auto writer = video::openVideo(
                output,
                {.format = &format, .size = {kSide, kSide}, .frames = 1, .rate = 8},
                {{"lowtide_graph", graph::toText(reading())}});
            writer->add(frame, {});
            writer->finish({});
            output.commit();
            Opened opened(folder);
            QCOMPARE(test::open(opened.file, path), QString());
            QVERIFY2(opened.model.node("picture"), format.id);
            QCOMPARE(opened.file.path(), QString());
        }
    }

    void changesAreKeptInTheJournalUntilTheyAreSaved() {
        const QTemporaryDir folder;
        Fresh opened(folder);
        QTRY_COMPARE_WITH_TIMEOUT(unsavedIn(folder), 0, kPatience);
        opened.changeSteps(3);
        QTRY_COMPARE_WITH_TIMEOUT(unsavedIn(folder), 1, kPatience);
        QCOMPARE(test::saveAs(opened.file, folder.filePath("one.json")), QString());
        QTRY_COMPARE_WITH_TIMEOUT(unsavedIn(folder), 0, kPatience);
        opened.changeSteps(4);
        QTRY_COMPARE_WITH_TIMEOUT(unsavedIn(folder), 1, kPatience);
        test::save(opened.file);
        QTRY_COMPARE_WITH_TIMEOUT(unsavedIn(folder), 0, kPatience);
    }

    /// Who is asked for nothing throws away the next one that matters.
    void whatIsNoChangeIsNotKept() {
        const QTemporaryDir folder;
        Fresh opened(folder);
        opened.model.adjust(
            [](graph::Document& document) { document.nodes.at("denoise").params["seed"] = 4711; });
        constexpr int kLongerThanTheRest = 1500;
        QTest::qWait(kLongerThanTheRest);
        QCOMPARE(unsavedIn(folder), 0);
        opened.changeSteps(3);
        QTRY_COMPARE_WITH_TIMEOUT(unsavedIn(folder), 1, kPatience);
        opened.model.undoStack().undo();
        QTRY_COMPARE_WITH_TIMEOUT(unsavedIn(folder), 0, kPatience);
        opened.model.undoStack().redo();
        QTRY_COMPARE_WITH_TIMEOUT(unsavedIn(folder), 1, kPatience);
    }

    void whatWasOpenIsOpenedAgain_data() {
        testing::addTable<bool>({"isKilled"}, {{"closed", false}, {"killed", true}});
    }

    /// A file, a preset and a graph that was never saved, each as it was, in their order.
    void whatWasOpenIsOpenedAgain() {
        QFETCH(bool, isKilled);
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        const QTemporaryDir after;
        const QTemporaryDir& next = isKilled ? after : folder;
        {
            Fresh first(folder);
            first.changeSteps(3);
            QCOMPARE(test::saveAs(first.file, path), QString());
            first.changeSteps(4);
            OpenedGraph preset = fresh();
            preset.name = "My fox";
            first.file.setNew(preset);
            const DocumentId fox = first.model.shown();
            first.file.setNew(fresh());
            first.changeSteps(5);
            first.file.show(fox);
            QVERIFY(first.file.keepAll().empty());
            copyAsKilled(folder, after);
        }

        Opened second(next);
        const DocumentFile::LeftOver leftOver = restore(second.file);

        QVERIFY(leftOver.elsewhere.empty() && leftOver.problems.empty());
        const std::vector<DocumentId> open = second.file.documents();
        QCOMPARE(open.size(), size_t{3});
        QCOMPARE(second.file.path(open[0]), path);
        QCOMPARE(second.model.document(open[0]).nodes.at("denoise").params.at("steps"), Json(4));
        QVERIFY(!second.model.undoStack(open[0]).isClean());
        QCOMPARE(second.file.name(open[1]), QString("My fox"));
        QVERIFY(second.model.undoStack(open[1]).isClean());
        QCOMPARE(second.model.shown(), open[1]);
        QCOMPARE(second.model.document(open[2]).nodes.at("denoise").params.at("steps"), Json(5));
        QVERIFY(!second.model.undoStack(open[2]).isClean());
        QTRY_COMPARE_WITH_TIMEOUT(journalsIn(next), 3, kPatience);
    }

    void theReportOfAnImportIsThereAgain() {
        const QTemporaryDir folder;
        const Json report = {{"source", "ComfyUI workflow"}};
        {
            Opened first(folder);
            OpenedGraph imported = fresh();
            imported.report = report;
            first.file.setNew(imported);
        }
        Opened second(folder);
        restore(second.file);
        QCOMPARE(second.file.report(), report);
    }

    void aSavedFileIsOpenedAsItIsNow() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        {
            Fresh first(folder);
            QCOMPARE(test::saveAs(first.file, path), QString());
        }
        writeFile(path, QByteArray::fromStdString(graph::toText(reading())));
        Opened second(folder);
        restore(second.file);
        QCOMPARE(second.file.path(), path);
        QVERIFY(second.model.node("picture"));
        QVERIFY(!second.model.isModified());
        QCOMPARE(test::save(second.file), QString());
    }

    void aFileThatIsGoneIsOpenedAsItWas() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        {
            Fresh first(folder);
            QCOMPARE(test::saveAs(first.file, path), QString());
        }
        QVERIFY(QFile::remove(path));
        Opened second(folder);
        restore(second.file);
        QCOMPARE(graph::toText(second.model.document()), graph::toText(defaultGraph()));
        QVERIFY(second.model.isModified());
    }

    void whatARunningProgramHasOpenIsLeftToIt() {
        const QTemporaryDir folder;
        Fresh first(folder);
        first.changeSteps(3);
        QVERIFY(first.file.keepAll().empty());
        Opened second(folder);
        restore(second.file);
        QCOMPARE(second.file.documents().size(), size_t{1});
        QVERIFY(second.model.document().nodes.empty());
    }

    /// Of two that start at once.
    void oneProgramOpensWhatWasOpen() {
        const QTemporaryDir folder;
        {
            Fresh first(folder);
            first.changeSteps(3);
        }
        os::FileLock other;
        QCOMPARE(other.tryLock(folder.filePath("journal/.restore.lock").toStdString()),
                 os::LockState::Held);
        Opened second(folder);
        restore(second.file);
        QVERIFY(second.model.document().nodes.empty());
        QCOMPARE(journalsIn(folder), 1);
    }

    void aNewGraphThatNobodyEditedIsNotKept() {
        const QTemporaryDir folder;
        {
            Opened first(folder);
            OpenedGraph blank = fresh();
            blank.isBlank = true;
            first.file.setNew(blank);
        }
        QCOMPARE(journalsIn(folder), 0);
    }

    void aSecondWindowLearnsWhoHasTheFile() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        Fresh first(folder);
        QCOMPARE(test::saveAs(first.file, path), QString());
        Opened second(folder);
        second.file.setNew({.document = {}, .name = "untitled", .folder = {}});
        QVERIFY(!test::open(second.file, path).isEmpty());
        QCOMPARE(second.file.name(), QString("untitled"));
        test::openCopy(second.file, path);
        QCOMPARE(second.file.path(), QString());
        QVERIFY(second.file.name().contains("copy"));
        QVERIFY(!test::saveAs(second.file, path).isEmpty());
    }

    void whatIsRecoveredIsUnsaved() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        Fresh opened(folder);
        QCOMPARE(test::saveAs(opened.file, path), QString());
        graph::Document changed = defaultGraph();
        changed.nodes.at("denoise").params["steps"] = 3;
        const DocumentId saved = opened.model.shown();
        opened.file.setNew({.document = {}, .name = "untitled", .folder = {}});
        opened.file.close(saved);
        const QString journal = folder.filePath("of_a_killed_program");
        writeFile(journal, QByteArray::fromStdString(textOf(JournalText{.document = changed})));
        test::recover(opened.file,
                      {.journal = journal,
                       .path = path,
                       .graphFolder = folder.path(),
                       .writtenAt = {},
                       .document = changed});
        QTRY_VERIFY2_WITH_TIMEOUT(
            !QFile::exists(journal), "it would be offered at the next start again", kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(unsavedIn(folder), 1, kPatience);
        QVERIFY(opened.model.isModified());
        QCOMPARE(opened.file.path(), path);
        QCOMPARE(graph::toText(opened.model.document()), graph::toText(changed));
    }

    void filesInTheFolderOfTheGraphAreFound_data() {
        QTest::addColumn<QString>("way");
        for (const auto& [way, open] : kWays) {
            QTest::newRow(qPrintable(way)) << way;
        }
    }

    void filesInTheFolderOfTheGraphAreFound() {
        QFETCH(QString, way);
        const QTemporaryDir folder;
        writeFile(folder.filePath("p/in.bin"), "x");
        writeFile(folder.filePath("p/g.json"), QByteArray::fromStdString(graph::toText(reading())));
        Fresh opened(folder);
        kWays.at(way)(opened, folder);
        QVERIFY(isFound(opened));
    }

    void aFileNamesWhatLiesElsewhereByItsFullPath() {
        const QTemporaryDir folder;
        writeFile(folder.filePath("p/in.bin"), "x");
        writeFile(folder.filePath("p/g.json"), QByteArray::fromStdString(graph::toText(reading())));
        Opened opened(folder);
        QCOMPARE(test::open(opened.file, folder.filePath("p/g.json")), QString());
        QCOMPARE(test::saveAs(opened.file, folder.filePath("q.json")), QString());
        QCOMPARE(nameIn(loadGraph(folder.filePath("q.json"))), QString("p/in.bin"));
        QVERIFY(QDir(folder.path()).mkpath("q"));
        QCOMPARE(test::saveAs(opened.file, folder.filePath("q/g.json")), QString());
        QCOMPARE(nameIn(loadGraph(folder.filePath("q/g.json"))), folder.filePath("p/in.bin"));
        QCOMPARE(test::saveAs(opened.file, folder.filePath("p/back.json")), QString());
        QCOMPARE(nameIn(loadGraph(folder.filePath("p/back.json"))), QString("in.bin"));
    }

    void aDocumentWithoutFilesMovesWithItsOwn() {
        const QTemporaryDir folder;
        writeFile(folder.filePath("p/in.bin"), "x");
        Fresh opened(folder);
        QCOMPARE(test::saveAs(opened.file, folder.filePath("p/g.json")), QString());
        opened.model.apply("Image", [](graph::Document& document) { document = reading(); });
        QVERIFY(isFound(opened));
    }

    void whatLiesInMemoryAloneCountsAsModified() {
        const QTemporaryDir folder;
        Opened opened(folder);
        OpenedGraph lost = fresh();
        lost.isKept = false;
        opened.file.setNew(lost);
        QVERIFY(opened.model.isModified());
        QTRY_COMPARE_WITH_TIMEOUT(unsavedIn(folder), 1, kPatience);
        QCOMPARE(test::saveAs(opened.file, folder.filePath("one.json")), QString());
        QVERIFY(!opened.model.isModified());
        QTRY_COMPARE_WITH_TIMEOUT(unsavedIn(folder), 0, kPatience);
        opened.file.setNew(fresh());
        QVERIFY(!opened.model.isModified());
    }

    void theJournalIsWrittenOnAnotherThread() {
        const QTemporaryDir folder;
        Fresh opened(folder);
        QVERIFY(QDir(folder.filePath("journal")).removeRecursively());
        writeFile(folder.filePath("journal"), "in the way");
        QSignalSpy failed(&opened.file, &DocumentFile::journalFailed);
        qsizetype atOnce = -1;
        opened.file.recover({.journal = folder.filePath("journal/x"),
                             .path = {},
                             .graphFolder = {},
                             .writtenAt = {},
                             .document = defaultGraph()},
                            [&](const FileOutcome&) { atOnce = failed.count(); });
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
        QCOMPARE(atOnce, 0);
    }

    void aFileThatAnotherProgramWroteIsNoticed() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        Fresh opened(folder);
        QCOMPARE(test::saveAs(opened.file, path), QString());
        QCOMPARE(test::save(opened.file), QString());
        const QByteArray theirs = QByteArray::fromStdString(graph::toText(reading()));
        writeFile(path, theirs);
        QCOMPARE(test::save(opened.file), QString("changed on the disk"));
        QCOMPARE(testing::contentsOf(path), theirs);
        QCOMPARE(test::saveAs(opened.file, path), QString());
        QCOMPARE(test::save(opened.file), QString());
        const DocumentId stale = opened.model.shown();
        opened.file.setNew(fresh());
        opened.file.close(stale);
        writeFile(path, theirs);
        QCOMPARE(test::open(opened.file, path), QString());
        QCOMPARE(test::save(opened.file), QString());
        QVERIFY(QFile::remove(path));
        QCOMPARE(test::save(opened.file), QString());  // nothing is lost by saving
    }

    /// Two saves in a row end in the order in which they were asked for.
    void edits_andASaveBesidesOneThatItsDiskKeepsUp_areAllWritten() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        const test::SleepingFile disk(folder.filePath("one.json"));
        Fresh opened(folder);
        opened.changeSteps(3);
        QStringList ended;
        const auto note = [&](const QString& name) {
            return [&ended, name](const FileOutcome& outcome) {
                ended << name + test::problemOf(outcome);
            };
        };

        opened.file.saveAs(path, note("first"));
        QVERIFY2(disk.isAsleep(), "the GUI thread waited for the disk");
        opened.changeSteps(4);
        opened.file.saveAs(path, note("second"));
        opened.changeSteps(5);
        QTest::qWait(100);
        QCOMPARE(ended, QStringList());
        QVERIFY(opened.model.isModified());
        disk.wake();

        QTRY_COMPARE_WITH_TIMEOUT(ended, (QStringList{"first", "second"}), kPatience);
        QCOMPARE(loadGraph(path).nodes.at("denoise").params.at("steps"), Json(5));
        QVERIFY(!opened.model.isModified());
        Opened second(folder);
        QVERIFY(!test::open(second.file, path).isEmpty());  // the first one has the lock
    }

    void whatIsEditedWhileASaveGoesOnRemainsUnsaved() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        const test::SleepingFile disk(folder.filePath("one.json"));
        Fresh opened(folder);
        opened.changeSteps(3);
        std::optional<FileOutcome> ended;
        opened.file.saveAs(path, [&](const FileOutcome& outcome) { ended = outcome; });
        opened.changeSteps(4);
        disk.wake();
        QTRY_VERIFY_WITH_TIMEOUT(ended.has_value(), kPatience);
        QCOMPARE(test::problemOf(*ended), QString());
        QCOMPARE(loadGraph(path).nodes.at("denoise").params.at("steps"), Json(3));
        QVERIFY(opened.model.isModified());
        opened.model.undoStack().undo();
        opened.model.undoStack().undo();
        QVERIFY(opened.model.isModified());  // what it was at first is not what the file holds
        QTRY_COMPARE_WITH_TIMEOUT(unsavedIn(folder), 1, kPatience);
        QCOMPARE(test::save(opened.file), QString());
        QVERIFY(!opened.model.isModified());
    }

    /// Whoever leaves while a disk does not answer finds it at the next start.
    void whatADiskDoesNotTakeIsLeftInTheJournal() {
        const QTemporaryDir folder;
        const test::SleepingFile disk(folder.filePath("one.json"));
        {
            Fresh opened(folder);
            opened.changeSteps(3);
            std::optional<FileOutcome> ended;
            opened.file.saveAs(folder.filePath("one.json"),
                               [&](const FileOutcome& outcome) { ended = outcome; });
            opened.file.leaveBehind();
            QVERIFY(ended && ended->kind == FileOutcome::Kind::GivenUp);
        }
        QVERIFY2(disk.isAsleep(), "the end waited for the disk");
        QCOMPARE(journalsIn(folder), 1);
    }

    void anOpenThatIsGivenUpLeavesTheDocumentAlone() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        const QString other = folder.filePath("two.json");
        writeFile(other, QByteArray::fromStdString(graph::toText(defaultGraph())));
        const test::SleepingFile file(path);
        Opened opened(folder);
        opened.file.setNew({.document = {}, .name = "mine", .folder = {}});
        std::optional<FileOutcome> ended;
        opened.file.open(path, [&](const FileOutcome& outcome) { ended = outcome; });
        QVERIFY2(file.isAsleep(), "the GUI thread waited for the disk");
        QSignalSpy waits(&opened.file, &DocumentFile::waits);
        QTRY_COMPARE_WITH_TIMEOUT(waits.count(), 1, kPatience);
        QVERIFY(waits.front().front().toString().contains("one.json"));
        opened.file.stopReading();
        QCOMPARE(waits.count(), 2);
        QVERIFY(ended && ended->kind == FileOutcome::Kind::GivenUp);
        QCOMPARE(opened.file.name(), QString("mine"));
        QCOMPARE(test::open(opened.file, other), QString());  // the disk of that one is awake
        QVERIFY(file.isAsleep());
        file.wake();
        QTest::qWait(100);
        QCOMPARE(opened.file.path(), other);
    }

    void aLongImportIsCalledThat_andOpeningSomethingElseDoesNotEndIt() {
        const QTemporaryDir folder;
        const QString other = folder.filePath("two.json");
        writeFile(other, QByteArray::fromStdString(graph::toText(defaultGraph())));
        Opened opened(folder);
        std::promise<void> gate;
        opened.file.setImporter(
            [mayEnd = gate.get_future().share()](const std::string&, const QString&) {
                mayEnd.wait();
                return ImportedGraph{.document = defaultGraph(), .report = Json::object()};
            });
        QSignalSpy waits(&opened.file, &DocumentFile::waits);
        std::optional<FileOutcome> imported;
        std::optional<FileOutcome> seen;
        opened.file.openText(
            "{}", "pasted", [&](const FileOutcome& outcome) { imported = outcome; });
        QTRY_COMPARE_WITH_TIMEOUT(waits.count(), 1, kPatience);
        const QString sentence = waits.front().front().toString();
        QVERIFY2(sentence.contains("pasted") && !sentence.contains("disk"), qPrintable(sentence));

        opened.file.open(other, [&](const FileOutcome& outcome) { seen = outcome; });
        QVERIFY(!imported);
        gate.set_value();

        QTRY_VERIFY_WITH_TIMEOUT(seen.has_value(), kPatience);
        QVERIFY(imported && imported->kind == FileOutcome::Kind::Done);
        QCOMPARE(opened.file.documents().size(), size_t{2});
        QCOMPARE(opened.file.name(opened.file.documents().front()), QString("pasted"));
    }

    /// The module that imports may end behind it.
    void theEndWaitsForAnImportThatWasGivenUp() {
        const QTemporaryDir folder;
        std::atomic<bool> hasBegun = false;
        std::atomic<bool> isDone = false;
        {
            Opened opened(folder);
            opened.file.setImporter([&](const std::string&, const QString&) {
                hasBegun = true;
                QThread::msleep(300);
                isDone = true;
                return ImportedGraph{};
            });
            opened.file.openText("{}", "pasted", [](const FileOutcome&) {});
            QTRY_VERIFY_WITH_TIMEOUT(hasBegun, kPatience);
            opened.file.stopReading();
            QVERIFY(!isDone);
        }
        QVERIFY(isDone);
    }

    void whatIsOpenedStandsBehindTheOthers() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("p/g.json");
        writeFile(path, QByteArray::fromStdString(graph::toText(reading())));
        Fresh opened(folder);
        const DocumentId first = opened.model.shown();
        opened.changeSteps(3);

        QCOMPARE(test::open(opened.file, path), QString());

        const DocumentId second = opened.model.shown();
        QCOMPARE(opened.file.documents(), (std::vector<DocumentId>{first, second}));
        QCOMPARE(opened.file.path(second), path);
        opened.file.show(first);
        QCOMPARE(opened.file.path(), QString());
        QCOMPARE(opened.model.node("denoise")->params.at("steps"), Json(3));
        QCOMPARE(test::open(opened.file, path), QString());  // it is open already
        QCOMPARE(opened.model.shown(), second);
        QCOMPARE(opened.file.documents().size(), size_t{2});
    }

    void aNewGraphGivesWayUnlessItWasEdited_data() {
        testing::addTable<bool>({"isEdited"}, {{"as it was", false}, {"edited", true}});
    }

    void aNewGraphGivesWayUnlessItWasEdited() {
        QFETCH(bool, isEdited);
        const QTemporaryDir folder;
        Opened opened(folder);
        OpenedGraph blank = fresh();
        blank.isBlank = true;
        opened.file.setNew(blank);
        QCOMPARE(opened.file.documents().size(), size_t{1});
        if (isEdited) {
            opened.changeSteps(3);
        }
        opened.file.setNew(fresh());
        QCOMPARE(opened.file.documents().size(), size_t{isEdited ? 2u : 1u});
    }

    void documentsAreMoved() {
        const QTemporaryDir folder;
        Fresh opened(folder);
        opened.file.setNew(fresh());
        opened.file.setNew(fresh());
        const std::vector<DocumentId> before = opened.file.documents();
        QCOMPARE(before.size(), size_t{3});
        opened.file.move(before[0], 2);
        QCOMPARE(opened.file.documents(),
                 (std::vector<DocumentId>{before[1], before[2], before[0]}));
        opened.file.move(before[0], 1);
        QCOMPARE(opened.file.documents(),
                 (std::vector<DocumentId>{before[1], before[0], before[2]}));
    }

    /// Its neighbour comes forward, and its file can be opened by others.
    void aClosedDocumentLeavesNothing() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        Fresh opened(folder);
        const DocumentId first = opened.model.shown();
        opened.file.setNew(fresh());
        QCOMPARE(test::saveAs(opened.file, path), QString());
        opened.changeSteps(3);
        QTRY_COMPARE_WITH_TIMEOUT(journalsIn(folder), 2, kPatience);

        opened.file.close(opened.model.shown());

        QCOMPARE(opened.model.shown(), first);
        QTRY_COMPARE_WITH_TIMEOUT(journalsIn(folder), 1, kPatience);
        Opened second(folder);
        QTRY_VERIFY_WITH_TIMEOUT(test::open(second.file, path).isEmpty(), kPatience);
    }

    void aHiddenDocumentIsSavedToItsOwnFile() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("one.json");
        const test::SleepingFile disk(folder.filePath("one.json"));
        Fresh opened(folder);
        const DocumentId first = opened.model.shown();
        opened.changeSteps(3);
        std::optional<FileOutcome> ended;
        opened.file.saveAs(path, [&](const FileOutcome& outcome) { ended = outcome; });
        opened.file.setNew(fresh());
        opened.changeSteps(4);
        disk.wake();
        QTRY_VERIFY_WITH_TIMEOUT(ended.has_value(), kPatience);
        QCOMPARE(loadGraph(path).nodes.at("denoise").params.at("steps"), Json(3));
        QCOMPARE(opened.file.path(first), path);
        QVERIFY(opened.model.undoStack(first).isClean());
        QCOMPARE(opened.file.path(), QString());
        QVERIFY(opened.model.isModified());
    }

    void anOpenReplacesNothingThatWasEditedMeanwhile() {
        const QTemporaryDir folder;
        const test::SleepingFile file(folder.filePath("one.json"),
                                      QByteArray::fromStdString(graph::toText(reading())));
        Fresh opened(folder);
        std::optional<FileOutcome> ended;
        opened.file.open(folder.filePath("one.json"),
                         [&](const FileOutcome& outcome) { ended = outcome; });
        opened.changeSteps(3);
        const DocumentId edited = opened.model.shown();
        file.wake();
        QTRY_VERIFY_WITH_TIMEOUT(ended.has_value(), kPatience);
        QCOMPARE(test::problemOf(*ended), QString());
        QCOMPARE(opened.file.path(), folder.filePath("one.json"));
        QCOMPARE(opened.model.document(edited).nodes.at("denoise").params.at("steps"), Json(3));
    }

    void aFileThatCannotBeReadLeavesTheDocumentAlone() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("broken.json");
        writeFile(path, "{\"format\": 1, \"nodes\": [");
        Opened opened(folder);
        opened.file.setNew({.document = defaultGraph(), .name = "mine", .folder = {}});
        const QString problem = test::open(opened.file, path);
        QVERIFY2(problem.contains("broken.json"), qPrintable(problem));
        QCOMPARE(opened.file.name(), QString("mine"));
        QCOMPARE(graph::toText(opened.model.document()), graph::toText(defaultGraph()));
    }
};

LOWTIDE_WINDOW_TEST(DocumentFileTest)

}  // namespace document_file_test

#include "document_file_test.moc"
