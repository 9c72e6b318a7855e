#include "plugin/graph/preset.hpp"
#include "plugin/graph/snapshot.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/graph/sample_graph.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace preset_test {

using namespace lowtide;
using namespace lowtide::graph;
using lowtide::testing::errorOf;

namespace {

constexpr const char* kPreset = R"({
  "format": 2, "nodes": {"x": {"type": "nobody.knows", "params": {"a": [1, 2]}}}, "mine": 7,
  "preset": {"version": 1, "title": "Ünïcode", "description": "d", "tags": ["a", "b"], "likes": 3,
             "requirements": {"files": {"checkpoint": ["sd15.safetensors"]}, "device_memory": "8GiB",
             "family": "SD 1.x"}, "thumbnail": "AAAA"}})";

Catalog loaders() {
    return Catalog(
        {{.id = "load",
          .params = {
              {.id = "checkpoint",
               .kind = ParamKind::File,
               .defaultValue = std::string("builtin:mini")},
              {.id = "note", .kind = ParamKind::Text, .defaultValue = std::string("note.txt")}}}});
}

Document loading(const std::vector<std::string>& names) {
    Document document;
    for (const std::string& name : names) {
        document.nodes["load" + std::to_string(document.nodes.size())] = {
            .type = "load", .params = {{"checkpoint", name}, {"note", "note.txt"}}};
    }
    document.nodes["other"] = {.type = "nobody.knows", .params = {{"checkpoint", "unseen"}}};
    return document;
}

void put(const QTemporaryDir& folder, const QString& name, const QByteArray& bytes) {
    QFile file(folder.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

}  // namespace

class PresetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void savesWhatItRead_knownOrNot() {
        const Preset preset = parsePreset(kPreset);
        Json expected = parseJson(kPreset, "test");
        expected["links"] = Json::array();
        expected["nodes"]["x"]["v"] = 1;

        QCOMPARE(QString::fromStdString(preset.title), QString::fromUtf8("Ünïcode"));
        QCOMPARE(preset.deviceMemory, std::string("8GiB"));
        QCOMPARE(preset.family, std::string("SD 1.x"));
        QVERIFY(!preset.document.extra.contains(kPresetKey));
        QCOMPARE(parseJson(toText(preset), "saved"), expected);
    }

    void refusesWhatIsNoPreset_data() {
        const testing::Rows<QString, int, QString> row("preset", "kind", "words");
        const auto corrupt = static_cast<int>(ErrorKind::Corrupt);
        row("no key", "", corrupt, "no preset");
        row("no version", R"("preset": {"title": "x"},)", corrupt, "no \"version\"");
        row("version 0", R"("preset": {"version": 0},)", corrupt, "version 0");
        row("newer",
            R"("preset": {"version": 9, "title": ["of another shape"]},)",
            static_cast<int>(ErrorKind::Unsupported),
            "version 9, this program reads up to version 1");
        row("a list", R"("preset": [1],)", corrupt, "preset");
        row("title", R"("preset": {"version": 1, "title": 5},)", corrupt, "title");
        row("tags", R"("preset": {"version": 1, "tags": [5]},)", corrupt, "tags");
        row("files",
            R"("preset": {"version": 1, "requirements": {"files": 1}},)",
            corrupt,
            "files");
        row("file",
            R"("preset": {"version": 1, "requirements": {"files": {"vae": 1}}},)",
            corrupt,
            "vae");
    }

    void refusesWhatIsNoPreset() {
        QFETCH(QString, preset);
        QFETCH(int, kind);
        QFETCH(QString, words);

        const auto error = errorOf([&] {
            static_cast<void>(
                parsePreset("{" + preset.toStdString() + R"( "format": 1, "nodes": {}})"));
        });

        QVERIFY(error.has_value());
        QCOMPARE(static_cast<int>(error->kind()), kind);
        const QString message = QString::fromStdString(error->message().str());
        QVERIFY2(message.contains(words), qPrintable(message));
    }

    void namesEachFileOnce_ofNodesThatAreKnown() {
        const Catalog catalog = loaders();

        const RequiredFiles files =
            requiredFiles(loading({"a.safetensors", "b.ckpt", "a.safetensors", ""}), catalog);

        QCOMPARE(files, (RequiredFiles{{"checkpoint", {"a.safetensors", "b.ckpt"}}}));
    }

    void givesRelativeFilesTheirFullPath_whereTheyLieInTheFolder() {
        const Catalog catalog = loaders();
        const QTemporaryDir folder;
        put(folder, "here.safetensors", "x");
        put(folder, "note.txt", "x");

        const Document document =
            anchored(loading({"here.safetensors", "elsewhere.safetensors", "builtin:mini"}),
                     catalog,
                     folder.path().toStdString());

        const auto value = [&](const char* node, const char* param) {
            return document.nodes.at(node).params.at(param).get<std::string>();
        };
        QCOMPARE(value("load0", "checkpoint"), folder.filePath("here.safetensors").toStdString());
        QCOMPARE(value("load1", "checkpoint"), std::string("elsewhere.safetensors"));
        QCOMPARE(value("load2", "checkpoint"), std::string("builtin:mini"));
        QCOMPARE(value("load0", "note"), std::string("note.txt"));
    }

    void namesFilesAsTheOtherFolderSeesThem_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("named");  // what begins with "/" lies in the test's folder
        QTest::newRow("next to it") << "/p"
                                    << "/q"
                                    << "a.bin"
                                    << "/p/a.bin";
        QTest::newRow("further in") << "/p"
                                    << "/q"
                                    << "in/b.bin"
                                    << "/p/in/b.bin";
        QTest::newRow("to a folder above") << "/p"
                                           << ""
                                           << "a.bin"
                                           << "p/a.bin";
        QTest::newRow("to the folder within") << "/p"
                                              << "/p/in"
                                              << "in/b.bin"
                                              << "b.bin";
        QTest::newRow("back up") << "/p/in"
                                 << "/p"
                                 << "../a.bin"
                                 << "a.bin";
        QTest::newRow("not there") << "/p"
                                   << "/q"
                                   << "model.bin"
                                   << "model.bin";
        QTest::newRow("the same folder") << "/p"
                                         << "/p"
                                         << "./a.bin"
                                         << "./a.bin";
        QTest::newRow("full already") << "/p"
                                      << "/q"
                                      << "/p/a.bin"
                                      << "/p/a.bin";
        QTest::newRow("a name alike") << "/p"
                                      << "/pp"
                                      << "a.bin"
                                      << "/p/a.bin";
    }

    void namesFilesAsTheOtherFolderSeesThem() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, typed);
        QFETCH(QString, named);
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("p/in"));
        put(folder, "p/a.bin", "x");
        put(folder, "p/in/b.bin", "x");
        const auto inFolder = [&](const QString& path) {
            return (path.startsWith('/') ? folder.path() + path : path).toStdString();
        };

        const Document document = rebased(loading({inFolder(typed)}),
                                          loaders(),
                                          (folder.path() + from).toStdString(),
                                          (folder.path() + to).toStdString());

        QCOMPARE(document.nodes.at("load0").params.at("checkpoint").get<std::string>(),
                 inFolder(named));
    }

    void listsPresetsOfAFolder_theBrokenOnesWithTheReason() {
        const QTemporaryDir folder;
        put(folder, "good.json", kPreset);
        put(folder, "bad.json", "{\"format\": 1");
        put(folder, "other.txt", "no preset");

        const std::vector<PresetFile> files = presetsOf(folder.path().toStdString());

        QCOMPARE(files.size(), size_t{2});
        QCOMPARE(files[0].id, std::string("bad"));
        QVERIFY(files[0].refusal.has_value());
        QVERIFY(files[0].refusal->message().str().starts_with("bad.json: "));
        QCOMPARE(files[0].title(), std::string("bad"));
        QVERIFY(!files[1].refusal.has_value());
        QCOMPARE(files[1].title(), std::string("Ünïcode"));
    }

    void listsNothing_whereThereIsNoFolder() { QVERIFY(presetsOf("/nowhere/at/all").empty()); }

    void findsByIdOrTitle_inTheFirstFolderThatHasIt() {
        const QTemporaryDir mine;
        const QTemporaryDir builtin;
        put(mine, "good.json", kPreset);
        put(builtin, "good.json", kPreset);
        put(builtin, "second.json", QByteArray(kPreset).replace("Ünïcode", "Two words"));
        const std::vector<std::string> folders = {mine.path().toStdString(),
                                                  builtin.path().toStdString()};

        QCOMPARE(findPreset("GOOD", folders).path, mine.filePath("good.json").toStdString());
        QCOMPARE(findPreset("two WORDS", folders).id, std::string("second"));
    }

    /// Listed no longer, but scripts and saved settings name them.
    void findsEarlierOnes_behindAllOthers() {
        const QTemporaryDir mine;
        const QTemporaryDir builtin;
        QVERIFY(QDir(builtin.path()).mkdir(kEarlierPresets));
        put(builtin, "earlier/good.json", kPreset);
        put(builtin, "earlier/old.json", QByteArray(kPreset).replace("Ünïcode", "Old one"));
        const std::vector<std::string> folders = {builtin.path().toStdString(),
                                                  mine.path().toStdString()};

        QCOMPARE(findPreset("old", folders).path,
                 builtin.filePath("earlier/old.json").toStdString());
        QCOMPARE(findPreset("old ONE", folders).id, std::string("old"));
        QVERIFY(presetsOf(builtin.path().toStdString()).empty());
        put(mine, "good.json", kPreset);
        QCOMPARE(findPreset("good", folders).path, mine.filePath("good.json").toStdString());
    }

    void namesTheNearestOne_whenThereIsNone() {
        const QTemporaryDir folder;
        put(folder, "text_to_image.json", kPreset);
        const std::vector<std::string> folders = {folder.path().toStdString()};

        const auto error = errorOf([&] { static_cast<void>(findPreset("text_to_imag", folders)); });

        QVERIFY(error.has_value());
        QCOMPARE(static_cast<int>(error->kind()), static_cast<int>(ErrorKind::NotFound));
        QVERIFY(error->hint().str().find("text_to_image") != std::string::npos);
    }

    void leavesThumbnailsOutOfImages() {
        const Catalog catalog({{.id = "out", .output = true}});
        Document document;
        document.nodes["x"] = {.type = "out"};
        document.extra[kPresetKey] = {{"thumbnail", "AAAA"}};

        const auto snapshot = makeSnapshot(document, catalog);

        QVERIFY(snapshot->graphText.find("thumbnail") == std::string::npos);
    }
};

LOWTIDE_TEST(PresetTest)

}  // namespace preset_test

#include "preset_test.moc"
