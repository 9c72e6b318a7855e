#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/ended_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/saved_file.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace journal_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

/// What is kept of unsaved work, and what is found of it at the next start.
class JournalTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;

    QStringList files() const {
        return QDir(folder_->path()).entryList(QDir::Files | QDir::Hidden, QDir::Name);
    }

    /// A journal that a program left which did not end in order.
    void leaveJournal(const QString& path) {
        const QString folder = folder_->path();
        runAndEnd([&] {
            Journal journal(folder, path);
            QString reason;
            journal.write(someGraph(), &reason);
            endAtOnce();
        });
    }

    void write(const QString& name, const QByteArray& bytes) {
        QFile file(folder_->filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }

    std::vector<QString> problemsFound(size_t recovered) {
        std::vector<QString> problems;
        const std::vector<Recovered> found = findRecovered(folder_->path(), &problems);
        if (found.size() != recovered) {
            problems.push_back(QString("%1 were recovered").arg(found.size()));
        }
        return problems;
    }

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        folder_ = std::make_unique<QTemporaryDir>();
    }

    void aKilledProgramsWorkIsFound() {
        leaveJournal("/somewhere/x.json");
        std::vector<QString> problems;
        const std::vector<Recovered> found = findRecovered(folder_->path(), &problems);
        QCOMPARE(found.size(), size_t{1});
        QCOMPARE(shown(found[0].document), someGraphText());
        QCOMPARE(found[0].path, QString("/somewhere/x.json"));
        QVERIFY(QDateTime::fromString(found[0].writtenAt, Qt::ISODate).isValid());
        QVERIFY(problems.empty());
        discard(found[0]);
        QVERIFY(files().isEmpty());
    }

    void twoDocumentsHaveTwoJournals() {
        leaveJournal("a.json");
        leaveJournal({});
        QCOMPARE(findRecovered(folder_->path(), nullptr).size(), size_t{2});
    }

    void aLiveProgramsJournalIsLeftAlone() {
        Journal journal(folder_->path(), {});
        QString reason;
        QVERIFY(journal.write(someGraph(), &reason));
        QVERIFY(findRecovered(folder_->path(), nullptr).empty());
        QCOMPARE(files().size(), 1);
    }

    void aProgramThatGotTheNumberLaterIsNotTheWriter_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<size_t>("found");
        QTest::newRow("as it is") << ""
                                  << "" << size_t{0};
        QTest::newRow("other start") << "started_at"
                                     << "1" << size_t{1};
        QTest::newRow("machine was started again") << "machine_start"
                                                   << "x" << size_t{1};
        QTest::newRow("the machine has another name now") << "machine"
                                                          << "elsewhere" << size_t{0};
    }

    void aProgramThatGotTheNumberLaterIsNotTheWriter() {
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(size_t, found);
        Journal journal(folder_->path(), {});
        QString reason;
        QVERIFY(journal.write(someGraph(), &reason));
        QFile file(folder_->filePath(files().front()));
        QVERIFY(file.open(QIODevice::ReadWrite));
        Json json = Json::parse(file.readAll().toStdString());
        if (!key.isEmpty()) {
            json["program"][key.toStdString()] = value.toStdString();
        }
        file.resize(0);
        file.seek(0);
        file.write(QByteArray::fromStdString(json.dump()));
        file.close();
        QCOMPARE(findRecovered(folder_->path(), nullptr).size(), found);
    }

    void whatNobodyCanDecideIsListedAndNamed_data() {
        QTest::addColumn<QStringList>("keys");
        QTest::addColumn<bool>("isDecided");
        QTest::newRow("as it was left") << QStringList() << true;
        QTest::newRow("the machine has another name now") << QStringList{"machine"} << true;
        QTest::newRow("it was started again and has another name")
            << QStringList{"machine", "machine_start"} << true;
        QTest::newRow("of another container") << QStringList{"machine", "processes"} << false;
        QTest::newRow("of another machine")
            << QStringList{"machine", "machine_start", "machine_id", "processes"} << false;
    }

    void whatNobodyCanDecideIsListedAndNamed() {
        QFETCH(QStringList, keys);
        QFETCH(bool, isDecided);
        leaveJournal("/somewhere/x.json");
        QFile file(folder_->filePath(files().front()));
        QVERIFY(file.open(QIODevice::ReadWrite));
        Json json = Json::parse(file.readAll().toStdString());
        for (const QString& key : keys) {
            json["program"][key.toStdString()] = "elsewhere";
        }
        file.resize(0);
        file.seek(0);
        file.write(QByteArray::fromStdString(json.dump()));
        file.close();
        const std::vector<Recovered> found = findRecovered(folder_->path(), nullptr);
        QCOMPARE(found.size(), size_t{1});
        QCOMPARE(found[0].perhapsOpenOn, isDecided ? QString() : QString("elsewhere"));
    }

    void aClosedDocumentLeavesNothing() {
        Journal journal(folder_->path(), {});
        QString reason;
        journal.write(someGraph(), &reason);
        journal.clear();
        QVERIFY(files().isEmpty());
    }

    /// By whoever starts next: in a container nobody can know whether a program has ended.
    void whatWasLeftInOrderIsFoundByAll() {
        Journal journal(folder_->path(), {});
        QString reason;
        journal.write(someGraph(), &reason);
        QVERIFY(findRecovered(folder_->path(), nullptr).empty());
        journal.leave();
        const std::vector<Recovered> found = findRecovered(folder_->path(), nullptr);
        QCOMPARE(found.size(), size_t{1});
        QCOMPARE(found[0].perhapsOpenOn, QString());
    }

    void whoGoesOnWithAJournalReplacesIt() {
        leaveJournal("/somewhere/x.json");
        const Recovered found = findRecovered(folder_->path(), nullptr).at(0);
        Journal journal(folder_->path(), {});
        journal.replace(found.journal);
        QString reason;
        QVERIFY(journal.write(someGraph(), &reason));
        QCOMPARE(files().size(), 1);
        QVERIFY(findRecovered(folder_->path(), nullptr).empty());  // this program runs
        journal.clear();
        QVERIFY(files().isEmpty());
    }

    void howADocumentStoodIsKept() {
        const QString folder = folder_->path();
        runAndEnd([&] {
            Journal journal(folder, {});
            journal.setTab({.name = "My fox",
                            .isUnsaved = false,
                            .position = 3,
                            .lastShown = 1'700'000'000'000,
                            .report = {{"source", "ComfyUI workflow"}}});
            QString reason;
            journal.write(someGraph(), &reason);
            endAtOnce();
        });
        const DocumentTab tab = findRecovered(folder, nullptr).at(0).tab;
        QCOMPARE(tab.name, QString("My fox"));
        QVERIFY(!tab.isUnsaved);
        QCOMPARE(tab.position, 3);
        QCOMPARE(tab.lastShown, qint64{1'700'000'000'000});
        QCOMPARE(tab.report, (Json{{"source", "ComfyUI workflow"}}));
    }

    void aLaterNameOfTheDocumentIsWritten() {
        const QString folder = folder_->path();
        runAndEnd([&] {
            Journal journal(folder, {});
            QString reason;
            journal.setPath("/b/later.json", "/a");
            journal.write(someGraph(), &reason);
            endAtOnce();
        });
        const Recovered found = findRecovered(folder, nullptr).at(0);
        QCOMPARE(found.path, QString("/b/later.json"));
        QCOMPARE(found.graphFolder, QString("/a"));
    }

    void aJournalThatCannotBeWrittenExplainsWhyOnce() {
        write("taken", "a file");
        const QString folder = folder_->filePath("taken");
        Journal journal(folder, {});
        QString reason;
        QVERIFY(!journal.write(someGraph(), &reason));
        QVERIFY2(reason.contains("taken"), qPrintable(reason));
        reason.clear();
        QVERIFY(!journal.write(someGraph(), &reason));
        QVERIFY(reason.isEmpty());
        QFile::remove(folder);
        QVERIFY(journal.write(someGraph(), &reason));
        QDir(folder).removeRecursively();
        write("taken", "a file");
        QVERIFY(!journal.write(someGraph(), &reason));
        QVERIFY(!reason.isEmpty());
    }

    void whatCannotBeReadIsKeptUnderAnotherNameAndNamed_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("noise") << QByteArray("\x01\x02\xff");
        QTest::newRow("other JSON") << QByteArray("{}");
        QTest::newRow("no program") << QByteArray(R"({"journal": 1})");
        QTest::newRow("no document") << QByteArray(
            R"({"journal": 1, "program": {"number": 1, "started_at": "", "machine_start": "",
                "machine": ""}})");
        QTest::newRow("deep") << QByteArray(200'000, '[');
    }

    void whatCannotBeReadIsKeptUnderAnotherNameAndNamed() {
        QFETCH(QByteArray, bytes);
        bytes.replace(R"("machine": "")",
                      "\"machine\": \"" + QSysInfo::machineHostName().toUtf8() + "\"");
        write("1.journal", bytes);
        leaveJournal("good.json");
        const std::vector<QString> problems = problemsFound(1);
        QCOMPARE(problems.size(), size_t{1});
        QVERIFY2(problems[0].contains("1.journal.broken"), qPrintable(problems[0]));
        QVERIFY(!files().contains("1.journal"));
        QFile kept(folder_->filePath("1.journal.broken"));
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), bytes);
        QVERIFY(problemsFound(1).empty());
    }

    void aSecondBrokenJournalOfANameDoesNotReplaceTheFirst() {
        write("1.journal", "first");
        QCOMPARE(problemsFound(0).size(), size_t{1});
        write("1.journal", "second");
        QCOMPARE(problemsFound(0).size(), size_t{1});
        QCOMPARE(files(), (QStringList{"1.journal.broken", "1.journal.broken-2"}));
    }

    void aDocumentOfANewerVersionIsLeftForIt() {
        leaveJournal({});
        QFile file(folder_->filePath(files().front()));
        QVERIFY(file.open(QIODevice::ReadWrite));
        QByteArray bytes = file.readAll();
        bytes.replace("\"format\":2", "\"format\":9");
        file.resize(0);
        file.seek(0);
        file.write(bytes);
        file.close();
        const std::vector<QString> problems = problemsFound(0);
        QCOMPARE(problems.size(), size_t{1});
        QVERIFY2(problems[0].startsWith("A newer version"), qPrintable(problems[0]));
        QCOMPARE(files().size(), 1);
    }

    void halfWrittenFilesOfDeadProgramsGoAfterAnHour() {
        write(".1.journal.0123456789abcdef.tmp", "{");
        write(".2.journal.0123456789abcdef.tmp", "{");
        QFile old(folder_->filePath(".1.journal.0123456789abcdef.tmp"));
        QVERIFY(old.open(QIODevice::ReadWrite));
        old.setFileTime(QDateTime::currentDateTime().addSecs(-7200), QFile::FileModificationTime);
        old.close();
        (void)findRecovered(folder_->path(), nullptr);
        QCOMPARE(files(), QStringList{".2.journal.0123456789abcdef.tmp"});
    }

    void aFolderThatIsNotThereIsEmpty() {
        QVERIFY(findRecovered(folder_->filePath("none"), nullptr).empty());
    }

    void aLargeGraphIsWrittenQuickly() {
        const graph::Document large = largeGraph(1000);
        Journal journal(folder_->path(), {});
        QString reason;
        CpuTimer timer;
        QVERIFY(journal.write(large, &reason));
        qInfo("journal of 1000 nodes computed in %.0f ms", timer.milliseconds());
        QVERIFY(timer.milliseconds() < 10 * 50);
    }
};

LOWTIDE_TEST(JournalTest)

}  // namespace journal_test

#include "journal_test.moc"
