// The file of runs: what comes back of it, what is found in it, and how long that takes.
#include "plugin/base/error.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/resident_memory.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/history/run_store.hpp"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <optional>

namespace run_store_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

RunRecord runNamed(const QString& key, const QString& prompt = "a red boat") {
    return {.key = key,
            .title = "boat, seed 42",
            .graph = R"({"format": 2, "nodes": {}})",
            .options = R"({"previews": true})",
            .words = {.graph = "boat",
                      .prompt = prompt,
                      .models = "sd15.safetensors\nboats.safetensors",
                      .seed = "42"},
            .asked = 1000};
}

}  // namespace

class RunStoreTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    int files_ = 0;

    QString newFile() { return folder_.filePath(QString("runs%1.sqlite").arg(++files_)); }

    static QStringList pathsIn(const std::vector<ImageRecord>& images) {
        QStringList paths;
        for (const ImageRecord& image : images) {
            paths << image.path;
        }
        return paths;
    }

    static std::vector<QString> keysOf(const std::vector<RunRecord>& runs) {
        std::vector<QString> keys;
        for (const RunRecord& run : runs) {
            keys.push_back(run.key);
        }
        return keys;
    }

private Q_SLOTS:

    /// As when somebody pastes a whole prompt into the field.
    void aVeryLongSearchFindsItsRun() {
        RunStore store(newFile());
        QStringList words;
        for (int i = 0; i < 3000; ++i) {
            words << QString("w%1x").arg(i);
        }
        store.add({runNamed("a:1", words.join(" "))});
        store.add({runNamed("a:2")});
        store.addImages("a:1", {"/p/long.png"}, ImageClaim::Wrote, 1);
        store.addImages("a:2", {"/p/short.png"}, ImageClaim::Wrote, 2);
        QCOMPARE(pathsIn(store.images({.words = words.join('\n')})), QStringList{"/p/long.png"});
        QCOMPARE(pathsIn(store.images({.words = words.join(' ') + " w3000x"})), QStringList());
    }

    /// As RunWriter does, each tries again what the file takes from another one just now.
    void processesLoseNoRun() {
        constexpr int kProcesses = 6;
        constexpr int kRuns = 50;
        const QString file = newFile();
        QVERIFY(testing::inProcesses(kProcesses, [&](int number) {
            std::optional<RunStore> store;
            for (int i = 0; i < kRuns; ++i) {
                const QString key = QString("%1:%2").arg(number).arg(i);
                const auto keep = [&] {
                    if (!store) {
                        store.emplace(file);
                    }
                    store->add({runNamed(key)});
                    store->addImages(key, {"/p/" + key + ".png"}, ImageClaim::Wrote, 1);
                };
                while (testing::errorOf(keep)) {
                    ::usleep(1000);
                }
            }
        }));
        RunStore store(file);
        for (int number = 0; number < kProcesses; ++number) {
            for (int i = 0; i < kRuns; ++i) {
                QVERIFY(store.run(QString("%1:%2").arg(number).arg(i)));
            }
        }
        QCOMPARE(store.images({}).size(), size_t{kProcesses * kRuns});
    }

    void whatWasKeptComesBack() {
        const QString file = newFile();
        RunRecord run = runNamed("a:1");
        {
            RunStore store(file);
            store.add({run});
            store.begin(run.key, 2000);
            run.state = RunState::Failed;
            run.ended = 3000;
            run.milliseconds = 12.5;
            run.peak = int64_t{6} << 30;
            run.executed = 3;
            run.problem = "out of memory";
            store.end({run});
        }
        RunStore store(file);
        const std::optional<RunRecord> again = store.run("a:1");
        QVERIFY(again);
        QCOMPARE(again->state, RunState::Failed);
        QCOMPARE(again->title, run.title);
        QCOMPARE(again->graph, run.graph);
        QCOMPARE(again->options, run.options);
        QCOMPARE(again->words.prompt, run.words.prompt);
        QCOMPARE(again->words.models, run.words.models);
        QCOMPARE(again->words.seed, run.words.seed);
        QCOMPARE(again->asked, int64_t{1000});
        QCOMPARE(again->begun, int64_t{2000});
        QCOMPARE(again->ended, int64_t{3000});
        QCOMPARE(again->milliseconds, 12.5);
        QCOMPARE(again->peak, run.peak);
        QCOMPARE(again->executed, 3);
        QCOMPARE(again->problem, run.problem);
        QVERIFY(!store.run("a:2"));
    }

    /// Of studios that have ended, however they did; those that live have theirs.
    void openRunsComeBackInOrder() {
        RunStore store(newFile());
        for (const char* key : {"a:1", "a:2", "a:3", "b:1"}) {
            store.add({runNamed(key)});
        }
        store.begin("a:1", 1);
        store.setOrder({"a:3", "a:2"});
        QCOMPARE(keysOf(store.leftOpen({})), (std::vector<QString>{"a:3", "a:2", "a:1", "b:1"}));
        QCOMPARE(keysOf(store.leftOpen({"a:"})), (std::vector<QString>{"b:1"}));
        RunRecord over = runNamed("a:2");
        over.state = RunState::Cancelled;
        store.end({over});
        QCOMPARE(keysOf(store.leftOpen({"b:"})), (std::vector<QString>{"a:3", "a:1"}));
        QCOMPARE(store.leftOpen({})[1].state, RunState::Running);
    }

    /// Whoever claims them may be killed before they are in a queue again: they remain open.
    void aClaimHoldsForTenSeconds() {
        RunStore store(newFile());
        RunRecord run;
        run.key = "a:1";
        run.graph = "{}";
        store.add({run});
        const std::vector<RunKey> keys = {"a:1"};
        QCOMPARE(store.claim(keys, 100'000), keys);
        QCOMPARE(store.claim(keys, 109'000), std::vector<RunKey>());
        QCOMPARE(keysOf(store.leftOpen({})), keys);
        QCOMPARE(store.claim(keys, 110'001), keys);

        run.state = RunState::Cancelled;
        store.end({run});
        QCOMPARE(store.claim(keys, 200'000), std::vector<RunKey>());
    }

    void imagesAreFound_data() {
        QTest::addColumn<ImageFilter>("filter");
        QTest::addColumn<QStringList>("found");
        const QStringList all = {"/p/c.png", "/p/b.mp4", "/p/a2.png", "/p/a1.png"};
        const auto row = [](const char* name, const ImageFilter& filter, const QStringList& found) {
            QTest::newRow(name) << filter << found;
        };
        row("everything", {}, all);
        row("a word of the prompt", {.words = "lighthouse"}, {"/p/b.mp4"});
        row("in any case", {.words = "LIGHT Dawn"}, {"/p/b.mp4"});
        row("of another alphabet", {.words = QString::fromUtf8("МАЯК")}, {"/p/b.mp4"});
        row("Chinese", {.words = QString::fromUtf8("灯塔")}, {"/p/b.mp4"});
        row("signs of the language of the file", {.words = "100%"}, {"/p/b.mp4"});
        row("an underline is no wildcard", {.words = "_"}, {});
        row("a quotation mark", {.words = "'"}, {});
        row("the name of the file", {.words = "A2.png"}, {"/p/a2.png"});
        row("two words of two fields", {.words = "boat a1"}, {"/p/a1.png"});
        row("no such word", {.words = "fox"}, {});
        row("a model", {.model = "wan.safetensors"}, {"/p/b.mp4"});
        row("half a model", {.model = "wan"}, {});
        row("a graph", {.graph = "boat"}, {"/p/c.png", "/p/a2.png", "/p/a1.png"});
        row("stars", {.isStarred = true}, {"/p/a2.png"});
        row("stars and words", {.words = "boat", .isStarred = true}, {"/p/a2.png"});
        row("from then", {.since = 200}, {"/p/c.png", "/p/b.mp4"});
        row("until then", {.until = 200}, {"/p/a2.png", "/p/a1.png"});
        row("between", {.since = 150, .until = 250}, {"/p/b.mp4"});
    }

    void imagesAreFound() {
        QFETCH(ImageFilter, filter);
        QFETCH(QStringList, found);
        RunStore store(newFile());
        store.add({runNamed("a:1")});
        RunRecord video =
            runNamed("a:2", QString::fromUtf8("a Lighthouse at dawn, 灯塔, маяк, 100% sharp"));
        video.title = "video";
        video.words.models = "wan.safetensors";
        video.words.graph = "waves";
        store.add({video});
        store.add({runNamed("a:3")});
        store.addImages("a:1", {"/p/a1.png", "/p/a2.png"}, ImageClaim::Wrote, 100);
        store.addImages("a:2", {"/p/b.mp4"}, ImageClaim::Wrote, 200);
        store.addImages("a:3", {"/p/c.png"}, ImageClaim::Wrote, 300);
        store.setStarred({store.images({.words = "a2.png"}).front().id}, true);
        QCOMPARE(pathsIn(store.images(filter)), found);
    }

    void whatCanBeChosenIsListed() {
        RunStore store(newFile());
        store.add({runNamed("a:1")});
        RunRecord other = runNamed("a:2");
        other.words.models = "Another.safetensors\nsd15.safetensors";
        other.words.graph = "waves";
        store.add({other});
        QCOMPARE(store.models(),
                 (QStringList{"Another.safetensors", "boats.safetensors", "sd15.safetensors"}));
        QCOMPARE(store.graphs(), (QStringList{"boat", "waves"}));
    }

    /// Reported twice for the same file it is one image; written by another run it is that one's.
    void aFileIsOneImage() {
        RunStore store(newFile());
        store.add({runNamed("a:1")});
        store.add({runNamed("a:2")});
        store.addImages("a:1", {"/p/a.png"}, ImageClaim::Wrote, 100);
        const int64_t first = store.images({}).front().id;
        store.setStarred({first}, true);
        store.setThumbnail(first, {64, 48}, "abc");
        store.addImages("a:1", {"/p/a.png"}, ImageClaim::Wrote, 110);
        std::vector<ImageRecord> images = store.images({});
        QCOMPARE(images.size(), size_t{1});
        QVERIFY(images.front().isStarred && images.front().hasThumbnail);
        QCOMPARE(images.front().size, QSize(64, 48));
        QCOMPARE(store.thumbnail(first), QByteArray("abc"));
        store.addImages("a:2", {"/p/a.png"}, ImageClaim::Named, 120);
        QCOMPARE(store.images({}).front().run, RunKey("a:1"));
        store.addImages("a:2", {"/p/a.png"}, ImageClaim::Wrote, 120);
        images = store.images({});
        QCOMPARE(images.size(), size_t{1});
        QCOMPARE(images.front().run, RunKey("a:2"));
        QVERIFY(!images.front().isStarred && !images.front().hasThumbnail);
        QVERIFY(store.thumbnail(first).isEmpty());
    }

    void imagesAreRenamedAndForgotten() {
        RunStore store(newFile());
        store.add({runNamed("a:1")});
        store.addImages("a:1", {"/p/a.png", "/p/b.png"}, ImageClaim::Wrote, 100);
        const std::vector<ImageRecord> images = store.images({});
        store.setPath(images[1].id, "/p/Boat.png");
        QCOMPARE(pathsIn(store.images({.words = "boat.PNG"})), QStringList{"/p/Boat.png"});
        store.setPath(images[0].id, "/p/Boat.png");  // it took the other's place on the disk
        QCOMPARE(pathsIn(store.images({})), QStringList{"/p/Boat.png"});
        store.forgetImages({images[0].id});
        QVERIFY(store.images({}).empty());
        QVERIFY(store.run("a:1"));
        store.setThumbnail(images[0].id, {1, 1}, "late");  // made for an image that is gone
        QVERIFY(store.thumbnail(images[0].id).isEmpty());
    }

    void aForgottenRunTakesItsImagesAlong() {
        RunStore store(newFile());
        store.add({runNamed("a:1")});
        store.addImages("a:1", {"/p/a.png"}, ImageClaim::Wrote, 100);
        store.forget({"a:1"});
        QVERIFY(store.images({}).empty());
        QCOMPARE(store.runCount(), int64_t{0});
    }

    void otherFilesAreRefused() {
        const QString file = newFile();
        testing::writeFile(file, QByteArray(5000, 'x'));
        const auto damaged = testing::errorOf([&] { RunStore store(file); });
        QVERIFY(damaged && damaged->kind() == ErrorKind::Corrupt);
        QCOMPARE(QString::fromStdString(damaged->message().str()).section(':', 0, 0),
                 QFileInfo(file).fileName());
        const auto nowhere =
            testing::errorOf([&] { RunStore store(folder_.filePath("no/such/runs.sqlite")); });
        QVERIFY(nowhere && nowhere->kind() == ErrorKind::NotFound);
    }

    void theLogInSharedMemoryIsOfLocalDisksAlone_data() {
        QTest::addColumn<bool>("isLocal");
        QTest::addColumn<QString>("journal");
        QTest::addColumn<int>("synchronous");
        QTest::newRow("local") << true << "wal" << 1;
        QTest::newRow("network") << false << "delete" << 2;
    }

    void theLogInSharedMemoryIsOfLocalDisksAlone() {
        QFETCH(bool, isLocal);
        QFETCH(QString, journal);
        QFETCH(int, synchronous);
        const Database::IsLocal answer = isLocal ? +[](const std::string&) { return true; }
                                                 : +[](const std::string&) { return false; };
        Database database(newFile().toStdString(), DatabaseUse::Write, answer);
        Statement mode = database.prepare("PRAGMA journal_mode");
        QVERIFY(mode.next());
        QCOMPARE(QString::fromStdString(mode.text(0)), journal);
        Statement writes = database.prepare("PRAGMA synchronous");
        QVERIFY(writes.next());
        QCOMPARE(writes.number(0), int64_t{synchronous});
    }

    void aNewerFileIsLeftAlone() {
        const QString file = newFile();
        {
            Database database(file.toStdString());
            database.execute("PRAGMA user_version = 7; CREATE TABLE later(x)");
        }
        const auto refused = testing::errorOf([&] { RunStore store(file); });
        QVERIFY(refused && refused->kind() == ErrorKind::Unsupported);
        QVERIFY(QString::fromStdString(refused->message().str()).contains("version 7"));
        QVERIFY(!refused->hint().empty());
    }

    /// Two studios write by turns, and each sees what the other wrote.
    void twoMayHaveItOpen() {
        const QString file = newFile();
        RunStore one(file);
        RunStore other(file);
        one.add({runNamed("a:1")});
        other.add({runNamed("b:1")});
        one.addImages("b:1", {"/p/a.png"}, ImageClaim::Wrote, 1);
        QCOMPARE(other.images({}).size(), size_t{1});
        QCOMPARE(one.runCount(), int64_t{2});
    }

    /// Goals for ten thousand: opened and listed within a second, 100 MB; asserted at ten times
    /// that, a millisecond and 10 kB a run.
    void thousandsAreQuick() {
        const int many = testing::isFullTest() ? 10'000 : 1'000;
        const QString file = newFile();
        const std::string graph(30'000, 'g');
        const QByteArray thumbnail(12'000, 't');
        {
            RunStore store(file);
            for (int i = 0; i < many; ++i) {
                RunRecord run = runNamed(QString("a:%1").arg(i), QString("boat number %1").arg(i));
                run.graph = graph + std::to_string(i);
                store.add({run});
                store.addImages(run.key, {QString("/p/%1.png").arg(i)}, ImageClaim::Wrote, i);
                store.setThumbnail(i + 1, {1024, 1024}, thumbnail);
            }
        }
        const int64_t before = testing::residentMemory();
        QElapsedTimer clock;
        clock.start();
        RunStore store(file);
        const std::vector<ImageRecord> all = store.images({});
        const qint64 listed = clock.restart();
        QCOMPARE(all.size(), static_cast<size_t>(many));
        QCOMPARE(store.images({.words = QString("boat %1").arg(many - 1)}).size(), size_t{1});
        const qint64 found = clock.restart();
        for (int i = 0; i < 100; ++i) {
            QCOMPARE(store.thumbnail(all[static_cast<size_t>(i)].id).size(), thumbnail.size());
        }
        const qint64 shown = clock.elapsed();
        const int64_t more = testing::residentMemory() - before;
        qInfo(
            "listed in %lld ms, found in %lld ms, 100 thumbnails in %lld ms; %lld MB more, the "
            "file has %lld MB",
            listed,
            found,
            shown,
            static_cast<long long>(more / 1'000'000),
            QFileInfo(file).size() / 1'000'000);
        QVERIFY(listed < many && found < many && shown < many);
        QVERIFY(more < many * int64_t{10'000});
    }
};

LOWTIDE_TEST(RunStoreTest)

}  // namespace run_store_test

Q_DECLARE_METATYPE(lowtide::ui::ImageFilter)

#include "run_store_test.moc"
