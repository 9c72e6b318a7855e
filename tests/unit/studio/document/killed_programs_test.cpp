#include "plugin/base/error.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/ended_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/saved_file.hpp"

#include <QtTest/QtTest>

#include <csignal>
#include <random>
#include <sys/resource.h>
#include <unistd.h>

namespace killed_programs_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kKills = 50;
constexpr uint32_t kSeed = 11;
/// Several times as long as saving the graph of these tests takes.
constexpr uint32_t kLongestLifeMicroseconds = 120'000;
constexpr int kNodes = 200;

graph::Document numbered(int64_t number) {
    graph::Document document = largeGraph(kNodes);
    document.extra["number"] = number;
    document.extra["number_again"] = number;
    return document;
}

int64_t numberOf(const graph::Document& document) {
    const int64_t number = document.extra.at("number").get<int64_t>();
    const bool isWhole = document.nodes.size() == size_t{kNodes} &&
                         document.extra.at("number_again").get<int64_t>() == number;
    return isWhole ? number : -1;
}

/// Does `work` with 1, 2, 3, ... until it is killed at a random moment.
void killWhile(std::mt19937& random, const std::function<void(int64_t)>& work) {
    const pid_t child = startChild([&] {
        for (int64_t number = 1;; ++number) {
            work(number);
        }
    });
    ::usleep(static_cast<useconds_t>(random() % kLongestLifeMicroseconds));
    killChild(child);
}

/// As a disk that has no more space: writing beyond so many bytes of a file fails.
void fillDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace

/// Programs that are killed while they write, and disks that are full.
class KilledProgramsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        folder_ = std::make_unique<QTemporaryDir>();
    }

    void aFileIsWholeWheneverItsWriterIsKilled() {
        const QString path = folder_->filePath("graph.json");
        const QString backups = folder_->filePath("backups");
        saveGraph(path, numbered(0), backups);
        std::mt19937 random(kSeed);
        std::set<int64_t> seen;
        for (int kill = 0; kill < kKills; ++kill) {
            killWhile(random, [&](int64_t number) { saveGraph(path, numbered(number), backups); });
            const int64_t number = numberOf(loadGraph(path));
            QVERIFY(number >= 0);
            seen.insert(number);
            for (const Backup& backup : backupsOf(path, backups)) {
                QVERIFY(numberOf(loadGraph(backup.path)) >= 0);
            }
        }
        qInfo("killed %d times, %zu different states were found", kKills, seen.size());
        QVERIFY(seen.size() > 1);
    }

    void aJournalIsWholeWheneverItsWriterIsKilled() {
        std::mt19937 random(kSeed);
        size_t found = 0;
        for (int kill = 0; kill < kKills; ++kill) {
            const QString folder = folder_->filePath(QString::number(kill));
            QString reason;
            const auto journal = std::make_unique<Journal>(folder, "x.json");
            killWhile(random, [&](int64_t number) { journal->write(numbered(number), &reason); });
            std::vector<QString> problems;
            for (const Recovered& recovered : findRecovered(folder, &problems)) {
                QVERIFY(numberOf(recovered.document) > 0);
                ++found;
            }
            QVERIFY2(problems.empty(), problems.empty() ? "" : qPrintable(problems.front()));
        }
        qInfo("killed %d times, %zu journals were recovered", kKills, found);
        QVERIFY(found > 0);
    }

    void aFullDiskLeavesTheOldFileAndReportsIt() {
        const QString path = folder_->filePath("graph.json");
        saveGraph(path, numbered(1), folder_->path());
        const int status = runAndEnd([&] {
            fillDisk(10'000);
            try {
                saveGraph(path, numbered(2), folder_->filePath("backups"));
            } catch (const Error& error) {
                const bool isRight =
                    error.kind() == ErrorKind::Device &&
                    error.message() == "cannot write \"graph.json\": the disk is full" &&
                    error.hint().str().find("still there") != std::string::npos;
                endAtOnce(isRight ? 7 : 8);
            }
        });
        QCOMPARE(status, 7);
        QCOMPARE(numberOf(loadGraph(path)), int64_t{1});
        const QDir folder(folder_->path());
        QCOMPARE(folder.entryList(QDir::Files | QDir::Hidden), QStringList{"graph.json"});
    }

    void aFullDiskLeavesTheOldJournalAndReportsIt() {
        const QString folder = folder_->path();
        const int status = runAndEnd([&] {
            Journal journal(folder, {});
            QString reason;
            const bool first = journal.write(numbered(1), &reason);
            fillDisk(10'000);
            const bool second = journal.write(numbered(2), &reason);
            endAtOnce(first && !second && reason.endsWith("the disk is full") ? 7 : 8);
        });
        QCOMPARE(status, 7);
        const std::vector<Recovered> found = findRecovered(folder, nullptr);
        QCOMPARE(found.size(), size_t{1});
        QCOMPARE(numberOf(found[0].document), int64_t{1});
    }
};

LOWTIDE_TEST(KilledProgramsTest)

}  // namespace killed_programs_test

#include "killed_programs_test.moc"
