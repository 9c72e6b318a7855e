// Runs that are kept for good: written before they are reported, found again by the next program.
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/resident_memory.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/quick_runner.hpp"
#include "ui/bridge/run_library.hpp"
#include "ui/document/journal.hpp"

#include <QDir>
#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <future>
#include <set>
#include <thread>

namespace run_library_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

Json writesAnImage(ScriptedRunner::Stage& stage) {
    stage.send({{"event", "runStarted"}, {"nodes", {"a", "b"}}, {"repetitions", 1}});
    stage.send({{"event", "nodeFinished"}, {"node", "a"}, {"files", {"/p/a.png"}}, {"ms", 5}});
    stage.waitAtGate();
    return {{"status", "ok"},
            {"executed", 2},
            {"ms", 12.5},
            {"repetitions", {{{"ledger", {{"cpu", {{"peak", 7}}}, {"cuda:0", {{"peak", 90}}}}}}}}};
}

Json fails(ScriptedRunner::Stage& stage) {
    stage.send({{"event", "runStarted"}, {"nodes", {"a"}}, {"repetitions", 1}});
    return {{"status", "failed"},
            {"issues", {{{"severity", "error"}, {"code", "x"}, {"message", "no such model"}}}}};
}

/// What an ask*() gets.
template <class Result, class Ask>
Result answerTo(Ask&& ask) {
    std::optional<Result> got;
    ask([&](Result result) { got = std::move(result); });
    [&] { QTRY_VERIFY_WITH_TIMEOUT(got, kPatience); }();
    return std::move(*got);
}

}  // namespace

class RunLibraryTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    int folders_ = 0;

    QString newFolder() { return folder_.filePath(QString("runs%1").arg(++folders_)); }

    static QString fileIn(const QString& folder) { return folder + "/runs.sqlite"; }

    static std::vector<ImageRecord> imagesIn(RunLibrary& library) {
        return answerTo<std::vector<ImageRecord>>([&](auto done) {
            library.ask([](RunStore& store) { return store.images({}); }, &library, done);
        });
    }

    static std::optional<RunRecord> runIn(RunLibrary& library, quint64 id) {
        return answerTo<std::optional<RunRecord>>([&](auto done) {
            library.ask([key = library.keyOf(id)](RunStore& store) { return store.run(key); },
                        &library,
                        done);
        });
    }

    static std::vector<RunRecord> leftOpenIn(RunLibrary& library) {
        return answerTo<std::vector<RunRecord>>(
            [&](auto done) { library.askLeftOpen(&library, done); });
    }

    /// One, when it is made.
    static RunLibrary::Thumbnail thumbnailIn(RunLibrary& library) {
        return answerTo<std::vector<RunLibrary::Thumbnail>>([&](auto done) {
                   library.askThumbnails(imagesIn(library), 256, &library, done);
               })
            .front();
    }

    static std::set<int64_t> missingIn(RunLibrary& library) {
        return answerTo<std::set<int64_t>>(
            [&](auto done) { library.askMissing(imagesIn(library), &library, done); });
    }

    /// What visitGraphs() gives, and why it is not all.
    static std::pair<std::set<std::string>, QString> graphsIn(RunLibrary& library) {
        const auto graphs = std::make_shared<std::set<std::string>>();
        const QString problem = answerTo<QString>([&](auto done) {
            library.visitGraphs(
                [graphs](const std::string& text) { graphs->insert(text); }, &library, done);
        });
        return {*graphs, problem};
    }

private Q_SLOTS:

    /// As two studios that are asked for the same after a crash.
    void oneOfTwoTakesWhatWasLeftOpen() {
        const QString folder = newFolder();
        std::vector<RunKey> keys;
        {
            RunLibrary gone(folder);
            for (quint64 run = 1; run <= 3; ++run) {
                keys.push_back(gone.keyOf(run));
                gone.add({{.key = keys.back(), .title = "t", .graph = "g", .options = "{}"}});
            }
        }
        RunLibrary one(folder);
        RunLibrary other(folder);
        QCOMPARE(leftOpenIn(one).size(), size_t{3});
        QCOMPARE(leftOpenIn(other).size(), size_t{3});
        const auto claimedBy = [&](RunLibrary& library) {
            return answerTo<std::vector<RunKey>>([&](auto done) {
                library.write(
                    [&](RunStore& store) {
                        return store.claim(keys, QDateTime::currentMSecsSinceEpoch());
                    },
                    &library,
                    done);
            });
        };
        QCOMPARE(claimedBy(one), keys);
        QCOMPARE(claimedBy(other), std::vector<RunKey>());
        QCOMPARE(leftOpenIn(other).size(), size_t{3});  // until they are queued again and ended
    }

    /// As in a home folder of the network that has no locks: a link cannot be locked.
    void whatAKilledStudioLeftOpenIsOfferedWhereNothingIsLocked() {
        const QString folder = newFolder();
        QString lock;
        {
            RunLibrary gone(folder);
            const RunKey key = gone.keyOf(1);
            lock = folder + "/" + key.section(':', 0, 0) + ".lock";
            gone.add({{.key = key, .title = "t", .graph = "g", .options = "{}"}});
        }
        os::Program program = os::thisProgram();
        const QString target = folder_.filePath("of a program");
        testing::writeFile(target, QByteArray::fromStdString(toJson(program).dump()));
        QVERIFY(QFile::link(target, lock));
        {
            RunLibrary library(folder);
            QCOMPARE(leftOpenIn(library).size(), size_t{0});
        }
        program.startedAt = "1";  // another one had its number
        testing::writeFile(target, QByteArray::fromStdString(toJson(program).dump()));
        RunLibrary library(folder);
        QCOMPARE(leftOpenIn(library).size(), size_t{1});
        QVERIFY(!QFileInfo(lock).isSymLink());
    }

    /// As in a folder of the network that does not answer.
    void aFileThatIsLookedForHoldsUpNoRun() {
        RunLibrary library(newFolder());
        std::promise<void> answered;
        library.setIsThere([until = answered.get_future().share()](const QString& path) {
            until.wait();
            return !path.contains("gone");
        });
        std::set<int64_t> missing;
        library.askMissing({{.id = 1, .path = "/p/there.png"}, {.id = 2, .path = "/p/gone.png"}},
                           &library,
                           [&](const std::set<int64_t>& found) { missing = found; });
        bool hasEnded = false;
        library.add({{.key = library.keyOf(1), .title = "t"}});
        library.end({{.key = library.keyOf(1), .state = RunState::Finished}}, &library, [&] {
            hasEnded = true;
        });
        QTRY_VERIFY_WITH_TIMEOUT(hasEnded, kPatience);
        QVERIFY(missing.empty());
        answered.set_value();
        QTRY_COMPARE_WITH_TIMEOUT(missing, std::set<int64_t>{2}, kPatience);
    }

    /// Another program sees it by then.
    void aRunHasEndedWhenItIsWritten() {
        const QString folder = newFolder();
        ScriptedRunner runner;
        runner.setScript("g", writesAnImage);
        runner.openGate();
        RunLibrary library(folder);
        RunQueue queue(runner, &library);
        std::optional<RunRecord> seen;
        connect(&queue, &RunQueue::ended, &queue, [&](quint64 id) {
            RunStore other(fileIn(folder));
            seen = other.run(library.keyOf(id));
        });
        const SearchTerms words{.graph = "boat", .prompt = "a boat", .models = "m", .seed = "42"};
        queue.add("boat, seed 42", "g", {{"previews", true}}, false, words);
        QTRY_VERIFY_WITH_TIMEOUT(seen, kPatience);
        QCOMPARE(seen->state, RunState::Finished);
        QCOMPARE(seen->title, QString("boat, seed 42"));
        QCOMPARE(seen->graph, std::string("g"));
        QCOMPARE(seen->words.prompt, QString("a boat"));
        QCOMPARE(seen->milliseconds, 12.5);
        QCOMPARE(seen->peak, int64_t{90});
        QCOMPARE(seen->executed, 2);
        QVERIFY(seen->begun >= seen->asked && seen->ended >= seen->begun && seen->asked > 0);
    }

    void whyARunFailedIsKept() {
        ScriptedRunner runner;
        runner.setScript("g", fails);
        RunLibrary library(newFolder());
        RunQueue queue(runner, &library);
        const quint64 id = queue.add("t", "g", Json::object());
        waitUntilEnded(queue, id);
        const auto run = runIn(library, id);
        QVERIFY(run && run->state == RunState::Failed);
        QCOMPARE(run->problem, QString("no such model"));
    }

    /// Before the run has ended: it may never.
    void anImageIsKeptWhenItsNodeHasEnded() {
        ScriptedRunner runner;
        runner.setScript("g", writesAnImage);
        RunLibrary library(newFolder());
        RunQueue queue(runner, &library);
        const QSignalSpy changes(&library, &RunLibrary::imagesChanged);
        const quint64 id = queue.add("t", "g", Json::object());
        QTRY_VERIFY_WITH_TIMEOUT(!changes.isEmpty(), kPatience);
        const std::vector<ImageRecord> images = imagesIn(library);
        QCOMPARE(images.size(), size_t{1});
        QCOMPARE(images.front().path, QString("/p/a.png"));
        QCOMPARE(images.front().run, library.keyOf(id));
        QCOMPARE(queue.find(id)->state, RunState::Running);
        runner.openGate();
        waitUntilEnded(queue, id);
    }

    /// In their order, the one at work first; not those of a studio that is open.
    void whatWaitedComesBack() {
        const QString folder = newFolder();
        ScriptedRunner runner;
        runner.setScript("work", waitsAtTheGate);
        RunLibrary reader(folder);
        {
            RunLibrary library(folder);
            RunQueue queue(runner, &library);
            queue.add("work", "work", {{"seed", 1}});
            queue.add("second", "2", Json::object());
            const quint64 third = queue.add("third", "3", Json::object());
            const quint64 back = queue.add("taken back", "4", Json::object());
            queue.add("first", "5", Json::object(), true);
            queue.moveWaiting({third}, 0);
            queue.cancel(back, CancelMode::Now);
            QTRY_COMPARE_WITH_TIMEOUT(runner.runningNow(), 1, kPatience);
            QVERIFY(leftOpenIn(reader).empty());
        }
        QStringList titles;
        for (const RunRecord& run : leftOpenIn(reader)) {
            titles << run.title;
        }
        QCOMPARE(titles.size(), 4);
        titles.removeOne("work");
        QCOMPARE(titles, (QStringList{"third", "first", "second"}));
        reader.changeImages(
            [first = leftOpenIn(reader).front().key](RunStore& store) { store.forget({first}); });
        QCOMPARE(leftOpenIn(reader).size(), size_t{3});
    }

    void thumbnailsAreMade() {
        const QTemporaryDir images;
        const QString path = images.filePath("a.png");
        QImage image(600, 300, QImage::Format_RGB888);
        image.fill(Qt::red);
        QVERIFY(image.save(path));
        RunLibrary library(newFolder());
        const QSignalSpy made(&library, &RunLibrary::thumbnailMade);
        library.add({{.key = library.keyOf(1), .title = "t"}});
        library.addImages(library.keyOf(1), {path}, ImageClaim::Wrote);
        QTRY_COMPARE_WITH_TIMEOUT(made.size(), 1, kPatience);
        const RunLibrary::Thumbnail thumbnail = thumbnailIn(library);
        QCOMPARE(thumbnail.image.size(), QSize(256, 128));
        QVERIFY(qRed(thumbnail.image.pixel(5, 5)) > 240);
        QVERIFY(missingIn(library).empty());
        QCOMPARE(imagesIn(library).front().size, QSize(600, 300));
        QFile::remove(path);
        QCOMPARE(missingIn(library).size(), size_t{1});
    }

    /// Tried once.
    void whatIsNoImageHasNone() {
        const QTemporaryDir images;
        const QString path = images.filePath("a.png");
        testing::writeFile(path, "no image");
        RunLibrary library(newFolder());
        const QSignalSpy made(&library, &RunLibrary::thumbnailMade);
        library.add({{.key = library.keyOf(1), .title = "t"}});
        library.addImages(library.keyOf(1), {path}, ImageClaim::Wrote);
        QTRY_COMPARE_WITH_TIMEOUT(made.size(), 1, kPatience);
        QTest::qWait(100);
        QCOMPARE(made.size(), 1);
        QVERIFY(thumbnailIn(library).image.isNull());
    }

    /// It remains as it is.
    void aDamagedFileRemains_andANewOneBegins() {
        const QString folder = newFolder();
        QVERIFY(QDir().mkpath(folder));
        testing::writeFile(fileIn(folder), QByteArray(9000, 'x'));
        RunLibrary library(folder);
        const QSignalSpy reported(&library, &RunLibrary::repaired);
        library.add({{.key = library.keyOf(1), .title = "t"}});
        QTRY_COMPARE_WITH_TIMEOUT(reported.size(), 1, kPatience);
        QVERIFY(reported.front().front().toString().contains("runs.2.sqlite"));
        QCOMPARE(testing::contentsOf(fileIn(folder)), QByteArray(9000, 'x'));
        const auto run = runIn(library, 1);
        QVERIFY(run);
    }

    /// A page of the file that a disk gives back as something else: what is on the others is saved,
    /// and the studio reports it. Nothing of it may look like an empty list.
    void aFileThatIsDamagedAnywhereIsRepaired_data() {
        QTest::addColumn<int>("index");
        for (int index = 0; index < 40; ++index) {
            QTest::newRow(qPrintable(QString::number(index))) << index;
        }
    }

    void aFileThatIsDamagedAnywhereIsRepaired() {
        QFETCH(int, index);
        constexpr int kImages = 200;
        constexpr int kPage = 4096;
        constexpr int kMostLost = 60;  // rows of a page of the runs or images
        static const QByteArray whole = [] {
            const QTemporaryDir folder;
            {
                RunStore store(fileIn(folder.path()));
                for (int i = 0; i < kImages; ++i) {
                    const RunKey key = QString("run:%1").arg(i);
                    store.add({{.key = key,
                                .title = QString("run %1").arg(i),
                                .graph = QString("{\"graph\": %1}").arg(i).toStdString(),
                                .options = "{}"}});
                    store.end({{.key = key, .state = RunState::Finished, .ended = i}});
                    store.addImages(
                        key, {QString("/p/%1.png").arg(i)}, ImageClaim::Wrote, 1000 + i);
                }
            }
            return testing::contentsOf(fileIn(folder.path()));
        }();
        const QString folder = newFolder();
        QVERIFY(QDir().mkpath(folder));
        QByteArray bytes = whole;
        const int pages = static_cast<int>(whole.size()) / kPage;
        const int page = 1 + index % (pages - 1);  // the first one has its own tests
        const int from = page * kPage + (index < pages - 1 ? 0 : 100 * (index % 7));
        QRandomGenerator random(static_cast<quint32>(index));
        for (int at = from; at < (page + 1) * kPage; ++at) {
            bytes[at] = static_cast<char>(random.bounded(256));
        }
        testing::writeFile(fileIn(folder), bytes);

        RunLibrary library(folder);
        const QSignalSpy repaired(&library, &RunLibrary::repaired);
        const QSignalSpy failed(&library, &RunLibrary::failed);
        library.add({{.key = library.keyOf(1), .title = "new"}});
        library.addImages(library.keyOf(1), {"/p/new.png"}, ImageClaim::Wrote);
        std::set<QString> paths;
        for (const ImageRecord& image : imagesIn(library)) {
            paths.insert(image.path);
        }

        QVERIFY2(paths.contains("/p/new.png"),
                 qPrintable(failed.isEmpty() ? QString() : failed.front().front().toString()));
        int lost = 0;
        for (int i = 0; i < kImages; ++i) {
            lost += paths.contains(QString("/p/%1.png").arg(i)) ? 0 : 1;
        }
        QVERIFY2(lost <= kMostLost, qPrintable(QString::number(lost)));
        QVERIFY(lost == 0 || repaired.size() == 1);
        QCOMPARE(QFile::exists(folder + "/runs.2.sqlite"), repaired.size() == 1);
    }

    /// Another program has the file: no run waits for it, and all is written when it is free again.
    void aFileThatIsHeldDelaysNoRun_andLosesNothing() {
        const QString folder = newFolder();
        ScriptedRunner runner;
        RunLibrary library(folder);
        RunQueue queue(runner, &library);
        const QSignalSpy ended(&queue, &RunQueue::ended);
        const QSignalSpy failed(&library, &RunLibrary::failed);
        const QSignalSpy recovered(&library, &RunLibrary::worksAgain);
        queue.add("0", "0", Json::object());
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kPatience);
        {
            Database other(fileIn(folder).toStdString());
            const Transaction held(other);
            QElapsedTimer timer;
            timer.start();
            for (const char* title : {"1", "2", "3"}) {
                queue.add(title, title, Json::object());
            }
            QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 4, kPatience);
            QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
            QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
        }
        QTRY_COMPARE_WITH_TIMEOUT(recovered.size(), 1, kPatience);
        RunStore store(fileIn(folder));
        QCOMPARE(store.runCount(), int64_t{4});
        for (quint64 run = 1; run <= 4; ++run) {
            const std::optional<RunRecord> kept = store.run(library.keyOf(run));
            QVERIFY(kept && hasEnded(kept->state));
        }
    }

    void graphsOfAllRunsAreVisited() {
        RunLibrary library(newFolder());
        library.add({{.key = "run:1", .title = "t", .graph = "a"},
                     {.key = "run:2", .title = "t", .graph = "b"},
                     {.key = "run:3", .title = "t", .graph = "a"}});
        const auto [graphs, problem] = graphsIn(library);
        QCOMPARE(problem, QString());
        QVERIFY((graphs == std::set<std::string>{"a", "b"}));
    }

    /// An answer that lacks runs must not look like one that has all.
    void graphsThatAreNotAllExplainWhy() {
        const QString folder = newFolder();
        testing::writeFile(folder, "in its place");
        RunLibrary closed(folder);
        QVERIFY(!graphsIn(closed).second.isEmpty());

        const QString damaged = newFolder();
        QVERIFY(QDir().mkpath(damaged));
        testing::writeFile(fileIn(damaged), QByteArray(9000, 'x'));
        RunLibrary repaired(damaged);
        QVERIFY2(graphsIn(repaired).second.contains("damaged"),
                 qPrintable(graphsIn(repaired).second));
    }

    void graphsThatAreNotWrittenYetAreMissed() {
        const QString folder = newFolder();
        { const RunStore made((QDir().mkpath(folder), fileIn(folder))); }
        RunLibrary library(folder);
        const QSignalSpy failed(&library, &RunLibrary::failed);
        const QSignalSpy recovered(&library, &RunLibrary::worksAgain);
        {
            Database other(fileIn(folder).toStdString());
            const Transaction held(other);
            library.add({{.key = "run:1", .title = "t", .graph = "a"}});
            QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
            QVERIFY(!graphsIn(library).second.isEmpty());
        }
        QTRY_COMPARE_WITH_TIMEOUT(recovered.size(), 1, kPatience);
        const auto [graphs, problem] = graphsIn(library);
        QCOMPARE(problem, QString());
        QVERIFY(graphs == std::set<std::string>{"a"});
    }

    /// What is still not written when the program ends is tried once more.
    void whatWaitsIsWrittenAtTheEnd() {
        const QString folder = newFolder();
        { const RunStore made((QDir().mkpath(folder), fileIn(folder))); }
        auto other = std::make_unique<Database>(fileIn(folder).toStdString());
        auto held = std::make_unique<Transaction>(*other);
        std::thread frees;
        {
            RunLibrary library(folder);
            library.add({{.key = "late:1", .title = "t"}});
            frees = std::thread([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(600));
                held.reset();
            });
        }
        frees.join();
        RunStore store(fileIn(folder));
        QVERIFY(store.run("late:1"));
    }

    /// Runs without images leave in time; those with images are kept.
    void oldRunsWithoutImagesAreForgotten() {
        const QString folder = newFolder();
        QVERIFY(QDir().mkpath(folder));
        constexpr int kRuns = 2500;
        {
            RunStore store(fileIn(folder));
            std::vector<RunRecord> runs;
            for (int i = 0; i < kRuns; ++i) {
                runs.push_back({.key = QString("run:%1").arg(i),
                                .title = "t",
                                .graph = std::to_string(i),
                                .options = "{}"});
            }
            store.add(runs);
            for (int i = 0; i < kRuns; ++i) {
                runs[static_cast<size_t>(i)].state = RunState::Failed;
                runs[static_cast<size_t>(i)].ended = i;
            }
            runs.back().state = RunState::Running;
            store.end(runs);
            store.addImages("run:3", {"/p/a.png"}, ImageClaim::Wrote, 1);
        }
        { RunLibrary library(folder); }
        RunStore store(fileIn(folder));
        QCOMPARE(store.runCount(), int64_t{2002});
        QVERIFY(store.run("run:3") && !store.run("run:4"));
        QCOMPARE(store.recentGraphs(kRuns).size(), size_t{2002});
    }

    void aNightOfKeptRunsTakesNoMoreMemoryThanAnEvening() {
        constexpr int64_t kMost = 10 << 20;
        QuickRunner runner;
        RunLibrary library(newFolder());
        RunQueue queue(runner, &library);
        runMany(queue, 50);
        const int64_t before = testing::residentMemory();
        QVERIFY(before > 0);
        runMany(queue, 150);
        const int64_t more = testing::residentMemory() - before;
        qInfo("%lld KiB more after 200 runs than after 50", static_cast<long long>(more / 1024));
        QVERIFY(more < kMost);
    }

    /// Runs go on, and it is reported once.
    void whatCannotBeKeptEndsNoRun() {
        const QString blocked = folder_.filePath("blocked");
        testing::writeFile(blocked, "a file in the place of the folder");
        ScriptedRunner runner;
        RunLibrary library(blocked);
        RunQueue queue(runner, &library);
        const QSignalSpy reported(&library, &RunLibrary::failed);
        const QSignalSpy ended(&queue, &RunQueue::ended);
        queue.add("1", "1", Json::object());
        queue.add("2", "2", Json::object());
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 2, kPatience);
        QCOMPARE(reported.size(), 1);
    }
};

LOWTIDE_TEST(RunLibraryTest)

}  // namespace run_library_test

#include "run_library_test.moc"
