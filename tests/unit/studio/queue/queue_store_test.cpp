// The file of the queue: what comes back of it, what several programs do with it, and what it
// refuses.
#include "plugin/base/error.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/queue/queue_store.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <csignal>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace queue_store_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

using Keys = std::vector<std::string>;

QueueEntry entryNamed(const std::string& key) {
    QueueEntry entry;
    entry.key = key;
    entry.title = "boat, seed 42";
    entry.graph = "{\"format\": 2, \"nodes\": {}}";
    entry.options = "{\"previews\": true}";
    entry.asked = 1000;
    return entry;
}

std::vector<QueueEntry> entriesNamed(const Keys& keys) {
    std::vector<QueueEntry> entries;
    for (const std::string& key : keys) {
        entries.push_back(entryNamed(key));
    }
    return entries;
}

QueueEntry ended(const std::string& key, RunState state, int64_t at) {
    QueueEntry entry;
    entry.key = key;
    entry.state = state;
    entry.ended = at;
    return entry;
}

Keys keysOf(const std::vector<QueueEntry>& entries) {
    Keys keys;
    for (const QueueEntry& entry : entries) {
        keys.push_back(entry.key);
    }
    return keys;
}

/// That no compression makes smaller.
std::string noise(size_t bytes, unsigned seed) {
    std::mt19937 random(seed);
    std::string text(bytes, '\0');
    for (char& each : text) {
        each = static_cast<char>(random() & 0xff);
    }
    return text;
}

/// Adds large graphs until one is refused; why. How many were added.
std::optional<Error> fill(QueueStore& store, int& added) {
    constexpr int kMany = 40;
    for (int i = 0; i < kMany; ++i) {
        std::vector<QueueEntry> one = entriesNamed({"big:" + std::to_string(i)});
        one.front().graph = noise(100'000, static_cast<unsigned>(i));
        if (auto refused = testing::errorOf([&] { store.add(one); })) {
            return refused;
        }
        ++added;
    }
    return std::nullopt;
}

bool isOneSentence(const Error& error) {
    const std::string text = error.message().str() + " " + error.hint().str();
    return text.find("the disk is full") != text.npos && text.find('\n') == text.npos &&
           !error.hint().empty();
}

}  // namespace

class QueueStoreTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    int files_ = 0;

    std::string newFile() {
        return folder_.filePath(QString("runs%1.sqlite").arg(++files_)).toStdString();
    }

private Q_SLOTS:

    void whatWasKeptComesBack() {
        const std::string file = newFile();
        QueueEntry entry = entryNamed("a:1");
        entry.title = "Größe, 灯塔";
        entry.graph = std::string("{\"seed\": 18446744073709551615}\0 and more", 40);
        entry.name = "boat";
        entry.prompt = "a boat\nat sea";
        entry.models = "sd15.safetensors\nboats.safetensors";
        entry.seed = "42";
        {
            QueueStore store(file);
            store.add({{entry}});
            store.begin("a:1", 2000);
            QueueEntry over = ended("a:1", RunState::Failed, 3000);
            over.milliseconds = 12.5;
            over.peak = int64_t{6} << 30;
            over.executed = 3;
            over.problem = "out of memory";
            over.result = "{\"files\": [\"/p/a.png\"]}";
            store.end({{over}});
        }
        QueueStore store(file, DatabaseUse::OnlyRead);
        const std::optional<QueueEntry> again = store.entry("a:1");
        QVERIFY(again);
        QCOMPARE(again->state, RunState::Failed);
        QCOMPARE(again->title, entry.title);
        QCOMPARE(again->graph, entry.graph);
        QCOMPARE(again->options, entry.options);
        QCOMPARE(again->name, entry.name);
        QCOMPARE(again->prompt, entry.prompt);
        QCOMPARE(again->models, entry.models);
        QCOMPARE(again->seed, entry.seed);
        QCOMPARE(again->asked, int64_t{1000});
        QCOMPARE(again->begun, int64_t{2000});
        QCOMPARE(again->ended, int64_t{3000});
        QCOMPARE(again->milliseconds, 12.5);
        QCOMPARE(again->peak, int64_t{6} << 30);
        QCOMPARE(again->executed, 3);
        QCOMPARE(again->problem, std::string("out of memory"));
        QCOMPARE(again->result, std::string("{\"files\": [\"/p/a.png\"]}"));
        QVERIFY(!store.entry("a:2"));
    }

    void emptyTextsAreKept() {
        QueueStore store(newFile());
        QueueEntry entry;
        entry.key = "a:1";
        store.add({{entry}});
        const std::optional<QueueEntry> again = store.entry("a:1");
        QVERIFY(again && again->graph.empty() && again->title.empty() && again->result.empty());
        QCOMPARE(again->executed, -1);
    }

    void theNextOneIsTheFirstOfItsProgram() {
        QueueStore store(newFile());
        store.add(entriesNamed({"b:1", "a:1", "a:2", "a:3"}));
        store.setOrder(Keys{"a:3", "a:1"});
        QCOMPARE(store.beginNext("a:", 5)->key, std::string("a:3"));
        QCOMPARE(store.entry("a:3")->state, RunState::Running);
        QCOMPARE(store.entry("a:3")->begun, int64_t{5});
        QCOMPARE(store.beginNext("a:", 6)->key, std::string("a:1"));
        QCOMPARE(store.beginNext("a:", 7)->key, std::string("a:2"));
        QVERIFY(!store.beginNext("a:", 8));
        QCOMPARE(store.entry("b:1")->state, RunState::Waiting);
    }

    /// Each of several programs takes what is first; what one was refused for now it tries again.
    void processesTakeEachRunOnce() {
        constexpr int kProcesses = 4;
        constexpr int kRuns = 120;
        const std::string file = newFile();
        {
            QueueStore store(file);
            Keys keys;
            for (int i = 0; i < kRuns; ++i) {
                keys.push_back("shared:" + std::to_string(i));
            }
            store.add(entriesNamed(keys));
        }
        const auto listOf = [&](int number) { return file + "." + std::to_string(number); };
        QVERIFY(testing::inProcesses(kProcesses, [&](int number) {
            std::ofstream taken(listOf(number));
            std::optional<QueueStore> store;
            bool isDone = false;
            while (!isDone) {
                std::optional<QueueEntry> next;
                const auto take = [&] {
                    if (!store) {
                        store.emplace(file);
                    }
                    next = store->beginNext("shared:", 1);
                    isDone = !next;
                };
                if (testing::errorOf(take)) {
                    ::usleep(1000);
                } else if (next) {
                    taken << next->key << "\n" << std::flush;
                }
            }
        }));
        std::multiset<std::string> all;
        for (int number = 0; number < kProcesses; ++number) {
            std::ifstream taken(listOf(number));
            for (std::string key; std::getline(taken, key);) {
                all.insert(key);
            }
        }
        QCOMPARE(all.size(), size_t{kRuns});
        QCOMPARE(std::set<std::string>(all.begin(), all.end()).size(), size_t{kRuns});
    }

    /// A program that was killed leaves one that was interrupted and two that waited.
    void interruptedRunsAreListedAndRunAgain() {
        const std::string file = newFile();
        QueueStore store(file);
        store.add(entriesNamed({"b:1"}));
        const pid_t child = ::fork();
        if (child == 0) {
            try {
                QueueStore own(file);
                own.add(entriesNamed({"a:1", "a:2", "a:3"}));
                (void)own.beginNext("a:", 10);
                ::raise(SIGKILL);
            } catch (...) {
            }
            ::_exit(1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        QVERIFY(WIFSIGNALED(status));

        const std::vector<QueueEntry> left = store.leftOpen(Keys{"b:"});
        QCOMPARE(keysOf(left), (Keys{"a:1", "a:2", "a:3"}));
        QCOMPARE(left[0].state, RunState::Running);
        QCOMPARE(left[1].state, RunState::Waiting);

        const std::vector<QueueStore::Handover> handovers = {{"a:1", "b:2"}, {"a:3", "b:3"}};
        QueueStore other(file);
        QCOMPARE(store.takeOver(handovers, 100'000), (Keys{"b:2", "b:3"}));
        QCOMPARE(other.takeOver({{{"a:1", "c:1"}}}, 100'000), Keys());
        QCOMPARE(keysOf(store.leftOpen({})), (Keys{"b:1", "a:2", "b:2", "b:3"}));
        QCOMPARE(store.entry("a:1")->state, RunState::Cancelled);
        const std::optional<QueueEntry> again = store.entry("b:2");
        QCOMPARE(again->state, RunState::Waiting);
        QCOMPARE(again->graph, left[0].graph);
        QCOMPARE(again->options, left[0].options);
        QCOMPARE(again->begun, int64_t{0});
        QCOMPARE(again->asked, int64_t{100'000});
    }

    /// A studio asks its user first, and holds them for that long.
    void whatAnotherOneClaimedIsNotTakenOver() {
        QueueStore store(newFile());
        store.add(entriesNamed({"a:1"}));
        QCOMPARE(store.claim(Keys{"a:1"}, 100'000), Keys{"a:1"});
        QCOMPARE(store.takeOver({{{"a:1", "b:1"}}}, 105'000), Keys());
        QCOMPARE(store.takeOver({{{"a:1", "b:1"}}}, 110'001), Keys{"b:1"});
    }

    void whatEndedLastIsFirst() {
        QueueStore store(newFile());
        store.add(entriesNamed({"a:1", "a:2", "a:3", "a:4"}));
        store.end({{ended("a:2", RunState::Finished, 10),
                    ended("a:1", RunState::Failed, 20),
                    ended("a:4", RunState::Cancelled, 15)}});
        QCOMPARE(keysOf(store.lastEnded(10)), (Keys{"a:1", "a:4", "a:2"}));
        QCOMPARE(keysOf(store.lastEnded(1)), Keys{"a:1"});
    }

    void oldRunsAreForgotten() {
        QueueStore store(newFile());
        Keys keys;
        std::vector<QueueEntry> over;
        for (int i = 0; i < 20; ++i) {
            keys.push_back("a:" + std::to_string(i));
            over.push_back(ended(keys.back(), RunState::Finished, i));
            over.back().result = "{}";
        }
        store.add(entriesNamed(keys));
        over.pop_back();  // the last one waits
        store.end(over);
        store.database().execute(
            "INSERT INTO pictures(run, path, found, width, height, starred, made) "
            "VALUES('a:0', '/p/a.png', 'a.png', 0, 0, 0, 1)");
        store.prune(5);
        QCOMPARE(store.count(), int64_t{7});
        QVERIFY(store.entry("a:0") && store.entry("a:14") && store.entry("a:19"));
        QVERIFY(!store.entry("a:13"));
        Statement results = store.database().prepare("SELECT count(*) FROM run_results");
        QVERIFY(results.next());
        QCOMPARE(results.number(0), int64_t{6});
    }

    void allOrNoneAreAdded() {
        QueueStore store(newFile());
        store.add(entriesNamed({"a:2"}));
        QVERIFY(testing::errorOf([&] { store.add(entriesNamed({"a:1", "a:2", "a:3"})); }));
        QCOMPARE(store.count(), int64_t{1});
    }

    void whatIsTooLargeIsRefused_data() {
        const testing::Rows<int, int> row("graphBytes", "textBytes");
        row("a graph", static_cast<int>(QueueStore::kMostGraphBytes) + 1, 0);
        row("a text", 0, static_cast<int>(QueueStore::kMostTextBytes) + 1);
    }

    void whatIsTooLargeIsRefused() {
        QFETCH(int, graphBytes);
        QFETCH(int, textBytes);
        QueueStore store(newFile());
        QueueEntry entry = entryNamed("a:1");
        entry.graph = std::string(static_cast<size_t>(graphBytes), 'g');
        entry.prompt = std::string(static_cast<size_t>(textBytes), 'p');
        const auto refused = testing::errorOf([&] { store.add({{entryNamed("a:0"), entry}}); });
        QVERIFY(refused && refused->kind() == ErrorKind::InvalidInput);
        QCOMPARE(store.count(), int64_t{0});
        entry.graph.resize(entry.graph.empty() ? 0 : QueueStore::kMostGraphBytes);
        entry.prompt.resize(entry.prompt.empty() ? 0 : QueueStore::kMostTextBytes);
        store.add({{entry}});
        QCOMPARE(store.entry("a:1")->graph, entry.graph);
    }

    void aResultThatIsTooLargeIsRefused() {
        QueueStore store(newFile());
        store.add(entriesNamed({"a:1"}));
        QueueEntry over = ended("a:1", RunState::Finished, 1);
        over.result = std::string(QueueStore::kMostTextBytes + 1, 'r');
        const auto refused = testing::errorOf([&] { store.end({{over}}); });
        QVERIFY(refused && refused->kind() == ErrorKind::InvalidInput);
        QCOMPARE(store.entry("a:1")->state, RunState::Waiting);
    }

    void aFileHoldsSoManyThatWait() {
        QueueStore store(newFile());
        store.add(entriesNamed({"a:1"}));
        store.database()
            .prepare(
                "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) "
                "INSERT "
                "INTO runs SELECT 'a:' || i, 0, i, '', 1, '{}', '', '', '', '', '', 0, 0, 0, 0, 0, "
                "-1, '' FROM n")
            .run(QueueStore::kMostOpen);
        const auto refused = testing::errorOf([&] { store.add(entriesNamed({"b:1"})); });
        QVERIFY(refused && refused->kind() == ErrorKind::InvalidInput);
        QVERIFY(!store.entry("b:1"));
        store.end({{ended("a:7", RunState::Cancelled, 1)}});
        store.add(entriesNamed({"b:1"}));
    }

    /// As a quota or a file system's largest file: the system refuses to write more.
    void aFullDiskIsOneSentenceAndLosesNothing() {
        const std::string file = newFile();
        QVERIFY(testing::inProcesses(1, [&](int) {
            const auto require = [](bool holds) {
                if (!holds) {
                    throw std::runtime_error("not so");
                }
            };
            ::signal(SIGXFSZ, SIG_IGN);
            QueueStore store(file);
            store.add(entriesNamed({"a:1", "a:2"}));
            rlimit limit{};
            ::getrlimit(RLIMIT_FSIZE, &limit);
            const rlimit before = limit;
            limit.rlim_cur = 1'000'000;
            ::setrlimit(RLIMIT_FSIZE, &limit);
            int added = 0;
            const std::optional<Error> refused = fill(store, added);
            require(refused && refused->kind() == ErrorKind::OutOfMemory && added > 0);
            require(isOneSentence(*refused));
            require(store.count() == 2 + added);  // what is there can still be read
            ::setrlimit(RLIMIT_FSIZE, &before);   // somebody made space
            store.add(entriesNamed({"a:3"}));
            require(store.count() == 3 + added);
        }));
        QueueStore store(file);
        QVERIFY(store.isValid());
        QVERIFY(store.entry("a:1") && store.entry("a:3") && store.entry("big:0"));
        QCOMPARE(store.entry("big:0")->graph, noise(100'000, 0));
    }

    /// As SQLite reports a disk without space.
    void aFileThatMayNotGrowIsFull() {
        QueueStore store(newFile());
        store.add(entriesNamed({"a:1"}));
        store.database().execute("PRAGMA max_page_count = 200");
        int added = 0;
        const std::optional<Error> refused = fill(store, added);
        QVERIFY(refused && refused->kind() == ErrorKind::OutOfMemory && added > 0);
        QVERIFY2(isOneSentence(*refused), refused->what());
        QCOMPARE(store.count(), int64_t{1 + added});
        store.end({{ended("a:1", RunState::Finished, 1)}});
        QCOMPARE(store.entry("a:1")->state, RunState::Finished);
    }

    /// Another program writes for longer than one waits: an error, and nothing is half written.
    void aFileThatIsHeldIsAnError() {
        const std::string file = newFile();
        QueueStore one(file);
        QueueStore other(file);
        {
            const Transaction held(other.database());
            const auto refused = testing::errorOf([&] { one.add(entriesNamed({"a:1"})); });
            QVERIFY(refused && refused->kind() == ErrorKind::Device);
        }
        one.add(entriesNamed({"a:1"}));
        QCOMPARE(other.count(), int64_t{1});
    }

    void otherFilesAreRefused() {
        const std::string file = newFile();
        const QString path = QString::fromStdString(file);
        testing::writeFile(path, QByteArray(5000, 'x'));
        const auto damaged = testing::errorOf([&] { QueueStore store(file); });
        QVERIFY(damaged && damaged->kind() == ErrorKind::Corrupt);
        QCOMPARE(testing::contentsOf(path), QByteArray(5000, 'x'));
        const auto nowhere = testing::errorOf(
            [&] { QueueStore store(folder_.filePath("no/such/runs.sqlite").toStdString()); });
        QVERIFY(nowhere && nowhere->kind() == ErrorKind::NotFound);
    }

    /// A page that the disk gives back as something else is found, by whom reads it or by the
    /// check.
    void aDamagedPageIsFound() {
        const std::string file = newFile();
        const QString path = QString::fromStdString(file);
        {
            QueueStore store(file);
            int added = 0;
            store.database().execute("PRAGMA journal_mode = DELETE");
            (void)fill(store, added);
        }
        QByteArray bytes = testing::contentsOf(path);
        QVERIFY(bytes.size() > 100 * 4096);
        for (qsizetype page = 1; page < bytes.size() / 4096; page += 2) {
            bytes.replace(page * 4096, 4096, QByteArray(4096, '\x5a'));
        }
        testing::writeFile(path, bytes);
        bool isValid = true;
        const auto refused = testing::errorOf([&] { isValid = QueueStore(file).isValid(); });
        QVERIFY(refused ? refused->kind() == ErrorKind::Corrupt : !isValid);
    }

    void aNewerFileIsLeftAlone() {
        const std::string file = newFile();
        {
            Database database(file);
            database.execute("PRAGMA user_version = 7; CREATE TABLE later(x)");
        }
        const auto refused = testing::errorOf([&] { QueueStore store(file); });
        QVERIFY(refused && refused->kind() == ErrorKind::Unsupported);
        QVERIFY(QString::fromStdString(refused->message().str()).contains("version 7"));
        QVERIFY(!refused->hint().empty());
        Database database(file);
        Statement tables = database.prepare("SELECT count(*) FROM sqlite_master");
        QVERIFY(tables.next());
        QCOMPARE(tables.number(0), int64_t{1});
    }

    /// The studio of tests/unit/studio/earlier; earlier_files_test compares every value.
    void theQueueOfAnEarlierStudioIsTaken() {
        const QString path = folder_.filePath("earlier.sqlite");
        testing::writeFile(
            path,
            testing::contentsOf(testing::sourcePath("tests/unit/studio/earlier/runs.sqlite")));
        {
            QueueStore store(path.toStdString());
            const std::vector<QueueEntry> left = store.leftOpen({});
            QCOMPARE(keysOf(left), (Keys{"3f9a:5", "3f9a:6"}));
            QCOMPARE(left[0].state, RunState::Running);
            QCOMPARE(left[0].title, std::string("frog, at work"));
            QVERIFY(left[0].graph.starts_with("{"));
            QCOMPARE(store.count(), int64_t{9});
            QCOMPARE(store.entry("3f9a:3")->problem, std::string("denoise: out of memory"));
            QCOMPARE(store.takeOver({{{"3f9a:5", "b:1"}, {"3f9a:6", "b:2"}}}, 1), Keys());
            QCOMPARE(store.takeOver({{{"3f9a:5", "b:1"}, {"3f9a:6", "b:2"}}}, 1'700'000'000'000),
                     (Keys{"b:1", "b:2"}));
        }
        QueueStore again(path.toStdString());
        QCOMPARE(keysOf(again.leftOpen({})), (Keys{"b:1", "b:2"}));
        QCOMPARE(again.count(), int64_t{11});
    }
};

LOWTIDE_TEST(QueueStoreTest)

}  // namespace queue_store_test

#include "queue_store_test.moc"
