#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/resident_memory.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/bridge/json_store.hpp"
#include "ui/bridge/settings.hpp"

#include <QLockFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <mutex>

namespace settings_test {

using namespace lowtide;
using namespace lowtide::ui;
using lowtide::testing::contentsOf;

namespace {

Preferences everything() {
    return {.theme = "dark_contrast",
            .motion = "reduced",
            .scale = "150",
            .modelFolders = {"/models", "/more"},
            .modelPathsFiles = {"/comfy/extra_model_paths.yaml"},
            .device = "fake:8GiB",
            .memoryBudget = "6GiB,cpu=8GiB",
            .lowMemory = "on",
            .recentFiles = {"/a.json"},
            .windowLayout = QByteArray("\0\xff\x01", 3),
            .windowGeometry = QByteArray("\1\0\xfe", 3),
            .nodeDefaults = {{"denoise.sample", {{"steps", 30}}}},
            .showsPreviews = false,
            .droppedImage = DroppedImage::UseAsInput,
            .isFirstStartDone = true};
}

}  // namespace

class SettingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        path_ = folder_->filePath("deep/settings.json");
    }

    void keepsEveryPreference() {
        Settings(path_).change([](Preferences& preferences) { preferences = everything(); });

        const Settings again(path_);

        QCOMPARE(again.preferences(), everything());
        QVERIFY(again.problem().isEmpty());
    }

    void keepsKeysThatItDoesNotKnow() {
        put(R"({"version": 1, "future": {"deep": [1]}, "theme": "light"})");

        Settings(path_).change([](Preferences& preferences) { preferences.theme = "dark"; });

        const Json json = parseJson(contentsOf(path_).toStdString(), "test");
        QCOMPARE(json.at("future"), Json::parse(R"({"deep": [1]})"));
        QCOMPARE(json.at("theme"), Json("dark"));
    }

    void writesNothing_whenNothingDiffers() {
        Settings settings(path_);
        QSignalSpy spy(&settings, &Settings::changed);

        settings.change([](Preferences& preferences) { preferences.theme = "system"; });

        QCOMPARE(spy.count(), 0);
        QVERIFY(!QFile::exists(path_));
    }

    void setsDamagedFilesAside_andStartsOver_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut off") << QByteArray("{\"version\": 1, \"theme");
        QTest::newRow("not UTF-8") << QByteArray("{\"theme\": \"\xff\"}");
        QTest::newRow("a list") << QByteArray("[1, 2]");
        QTest::newRow("text as version") << QByteArray("{\"version\": \"one\"}");
        QTest::newRow("deep") << QByteArray(100000, '[');
    }

    void setsDamagedFilesAside_andStartsOver() {
        QFETCH(QByteArray, bytes);
        put("{}");
        QVERIFY(QFile::rename(path_, path_ + ".broken"));
        put(bytes);

        Settings settings(path_);

        QCOMPARE(settings.preferences(), Preferences());
        QVERIFY2(settings.problem().contains("settings.json.broken-2"),
                 qPrintable(settings.problem()));
        QCOMPARE(contentsOf(path_ + ".broken-2"), bytes);
        settings.change([](Preferences& preferences) { preferences.theme = "dark"; });
        settings.finish();
        QCOMPARE(Settings(path_).preferences().theme, QString("dark"));
    }

    void forgetsOnlyTheValueThatIsWrong_data() {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("key");
        const auto row = [](const char* key, const char* value) {
            QTest::newRow(key) << QByteArray(value) << QString(key);
        };
        row("theme", "\"pink\"");
        row("model_folders", "[1]");
        row("device", "7");
        row("memory_budget", "\"much\"");
        row("low_memory", "true");
        row("recent_files", "{}");
        row("window_layout", "[]");
        row("node_defaults", "{\"denoise.sample\": 30}");
        row("previews", "\"yes\"");
        row("dropped_picture", "\"eat\"");
        row("first_start_done", "1");
    }

    void forgetsOnlyTheValueThatIsWrong() {
        QFETCH(QByteArray, value);
        QFETCH(QString, key);
        put("{\"version\": 1, \"model_paths_files\": [\"/kept\"], \"" + key.toUtf8() +
            "\": " + value + "}");

        const Settings settings(path_);

        Preferences expected;
        expected.modelPathsFiles = QStringList{"/kept"};
        QCOMPARE(settings.preferences(), expected);
        QVERIFY2(settings.problem().contains(key), qPrintable(settings.problem()));
    }

    void leavesSettingsOfANewerVersionAsTheyAre() {
        const QByteArray newer = R"({"version": 9, "theme": "dark", "device": {"id": "x"}})";
        put(newer);

        Settings settings(path_);
        settings.change([](Preferences& preferences) { preferences.lowMemory = "on"; });
        settings.finish();

        QVERIFY(settings.problem().contains("version 9"));
        QVERIFY(settings.problem().contains("version 1"));
        QCOMPARE(settings.preferences().theme, QString("dark"));
        QCOMPARE(contentsOf(path_), newer);
    }

    void explainsWhy_whenTheyCannotBeWritten() {
        QVERIFY(QDir().mkpath(path_));  // a folder where the file should be
        QDir().rmdir(path_);
        Settings settings(path_);
        QVERIFY(QDir().mkpath(path_ + "/in the way"));
        QSignalSpy refused(&settings, &Settings::notKept);

        settings.change([](Preferences& preferences) { preferences.theme = "dark"; });

        QTRY_COMPARE(refused.count(), 1);
        QVERIFY(refused.first().first().toString().contains("settings.json"));
        QCOMPARE(settings.preferences().theme, QString("dark"));
    }

    void writesOnAnotherThread() {
        Settings settings(path_);
        QVERIFY(QDir().mkpath(QFileInfo(path_).path()));
        QLockFile other(path_ + ".lock");  // as another studio that writes just now
        QVERIFY(other.lock());
        settings.change([](Preferences& preferences) { preferences.theme = "dark"; });
        settings.change([](Preferences& preferences) { preferences.theme = "light"; });
        QTest::qWait(50);
        QVERIFY(!QFile::exists(path_));
        other.unlock();
        settings.finish();
        QCOMPARE(Settings(path_).preferences().theme, QString("light"));
    }

    void twoStudiosKeepWhatEachOfThemChanged_data() {
        QTest::addColumn<QByteArray>("before");
        QTest::newRow("without a file") << QByteArray();
        QTest::newRow("with one") << QByteArray(
            R"({"version": 1, "theme": "light", "model_folders": ["/old", "/gone"],
                "keys": {"a": "F1", "b": "F2"}, "future": 1})");
    }

    void twoStudiosKeepWhatEachOfThemChanged() {
        QFETCH(QByteArray, before);
        if (!before.isEmpty()) {
            put(before);
        }
        Settings one(path_);
        Settings two(path_);
        Preferences both = one.preferences();

        one.change([](Preferences& preferences) {
            preferences.theme = "dark";
            preferences.modelFolders.removeAll("/gone");
            preferences.modelFolders.push_back("/one");
            preferences.keys["a"] = "F3";
            preferences.recentFiles = QStringList{"/one.json"};
        });
        one.finish();
        two.change([](Preferences& preferences) {
            preferences.device = "cpu";
            preferences.modelFolders.push_back("/two");
            preferences.keys.erase("b");
            preferences.recentFiles = QStringList{"/two.json"};
        });
        two.finish();
        one.change([](Preferences& preferences) { preferences.lowMemory = "on"; });
        one.finish();

        both.theme = "dark";
        both.device = "cpu";
        both.lowMemory = "on";
        both.modelFolders.removeAll("/gone");
        both.modelFolders << "/one"
                          << "/two";
        both.keys["a"] = "F3";
        both.keys.erase("b");
        both.recentFiles = QStringList{"/one.json", "/two.json"};
        Preferences kept = Settings(path_).preferences();
        for (Preferences* each : {&both, &kept}) {
            each->modelFolders.sort();
            each->recentFiles.sort();
        }
        QCOMPARE(kept, both);
    }

    void whatFailsToBeWritten_comesWithTheNextChange() {
        Settings settings(path_);
        QVERIFY(QDir().mkpath(path_ + "/in the way"));
        QSignalSpy refused(&settings, &Settings::notKept);
        settings.change([](Preferences& preferences) { preferences.theme = "dark"; });
        QTRY_COMPARE(refused.count(), 1);
        QCOMPARE(settings.writeProblem(), refused.first().first().toString());
        QVERIFY(QDir(path_).removeRecursively());
        QSignalSpy kept(&settings, &Settings::keptAgain);
        settings.change([](Preferences& preferences) { preferences.lowMemory = "on"; });
        settings.finish();
        QTRY_COMPARE(kept.count(), 1);
        QCOMPARE(settings.writeProblem(), QString());
        QCOMPARE(Settings(path_).preferences().theme, QString("dark"));
    }

    /// A hundred changes of a large file while nothing can be written yet.
    void whatWaitsForASlowDisk_isHeldOnce() {
        const QString path = folder_->filePath("large.json");
        JsonStore store(path, "large", 8 * kMiB, 0);
        std::mutex disk;
        std::unique_lock isBusy(disk);
        store.thread().run([&]() -> Background::Answer {
            const std::lock_guard waits(disk);
            return {};
        });
        int written = 0;
        const Bytes before = testing::residentMemory();
        for (int change = 0; change < 100; ++change) {
            store.write(
                {{"change", change}, {"text", std::string(kMiB, 'x')}},
                {},
                [](const Error*) {},
                [&] { ++written; });
        }
        const Bytes grown = testing::residentMemory() - before;
        isBusy.unlock();
        store.finish();
        QCoreApplication::processEvents();
        QCOMPARE(store.read().at("change"), Json(99));
        QCOMPARE(written, 1);
        QVERIFY2(grown < 20 * kMiB, qPrintable(QString::number(grown)));
    }

    void remembersTheNewestTenFiles_eachOnce() {
        Settings settings(path_);
        for (int i = 0; i < 15; ++i) {
            settings.addRecentFile(QString("/%1.json").arg(i));
        }
        settings.addRecentFile("/10.json");

        const QStringList files = settings.preferences().recentFiles;
        QCOMPARE(files.size(), 10);
        QCOMPARE(files.mid(0, 3), (QStringList{"/10.json", "/14.json", "/13.json"}));
        QCOMPARE(files.count("/10.json"), 1);
    }

private:
    void put(const QByteArray& bytes) {
        QVERIFY(QDir().mkpath(QFileInfo(path_).path()));
        QFile file(path_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }

    std::unique_ptr<QTemporaryDir> folder_;
    QString path_;
};

LOWTIDE_TEST(SettingsTest)

}  // namespace settings_test

#include "settings_test.moc"
