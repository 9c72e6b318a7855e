#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/bridge/preset_store.hpp"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace preset_store_test {

using namespace lowtide;
using namespace lowtide::ui;
using namespace lowtide::testing;

namespace {

std::vector<NodeDesc> loaders() {
    return {{.id = "load.image",
             .params = {{.id = "image", .kind = ParamKind::File, .defaultValue = std::string()}}}};
}

graph::Document reading(const char* file) {
    graph::Document document;
    document.nodes["load"] = {.type = "load.image", .params = {{"image", file}}};
    document.nodes["odd"] = {.type = "nobody.knows", .params = {{"x", 1}}};
    return document;
}

QImage red(int side) {
    QImage image(side, side, QImage::Format_RGB32);
    image.fill(Qt::red);
    return image;
}

}  // namespace

class PresetStoreTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        builtin_ = std::make_unique<QTemporaryDir>();
        user_ = std::make_unique<QTemporaryDir>();
        put(builtin_->filePath("given.json"),
            R"({"format": 1, "nodes": {}, "preset": {"version": 1, "title": "Given"}})");
        put(builtin_->filePath("picture.png"), "x");
        catalog_ = std::make_unique<graph::Catalog>(loaders());
        store_ = std::make_unique<PresetStore>(*catalog_, builtin_->path(), user_->path());
    }

    void savesAGraph_andOpensItAsItWas() {
        const QString id =
            store_->save({.title = " Mine: größer! ", .description = "d", .tags = {"a"}},
                         reading("none.png"),
                         "/nowhere",
                         red(600));

        const PresetEntry* entry = store_->find(id);
        QVERIFY(entry != nullptr);
        QCOMPARE(entry->title, QString("Mine: größer!"));
        QCOMPARE(entry->tags, QStringList{"a"});
        QVERIFY(!entry->isBuiltin);
        QCOMPARE(entry->thumbnail.size(), QSize(256, 256));
        QCOMPARE(graph::toText(store_->open(id)), graph::toText(reading("none.png")));
        QCOMPARE(QDir(user_->path()).entryList(QDir::Files | QDir::Hidden),
                 QStringList{id + ".json"});
    }

    /// A user who rehearses on a small card keeps the graph, not the rehearsal.
    void leavesTheRehearsedCardOut() {
        for (const auto& [asked, kept] : {std::pair("fake:6GiB", ""), std::pair("cpu", "cpu")}) {
            graph::Document document = reading("none.png");
            document.device = asked;
            const QString id = store_->save({.title = "Small"}, document, "/nowhere", {});
            QCOMPARE(store_->open(id).device.value_or(""), std::string(kept));
        }
    }

    void givesTwoPresetsOfOneTitleTwoFiles() {
        const QString first = store_->save({.title = "Same"}, reading(""), "/", {});
        const QString second = store_->save({.title = "Same"}, reading(""), "/", {});

        QCOMPARE(first, QString("same"));
        QCOMPARE(second, QString("same_2"));
    }

    void refusesAnEmptyTitle() {
        QVERIFY(errorOf([&] { store_->save({.title = "  "}, reading(""), "/", {}); }).has_value());
        QCOMPARE(store_->entries().size(), size_t{1});
    }

    void namesFilesInTheFolderOfTheGraph_byTheirFullPath() {
        const QString id =
            store_->save({.title = "x"}, reading("picture.png"), builtin_->path(), {});

        const graph::Document document = store_->open(id);

        QCOMPARE(
            QString::fromStdString(document.nodes.at("load").params.at("image").get<std::string>()),
            builtin_->filePath("picture.png"));
        QCOMPARE(store_->find(id)->files.at(0).value, builtin_->filePath("picture.png"));
    }

    void reportsWhichFilesAreMissing() {
        const QString id = store_->save({.title = "x"}, reading("lost.png"), "/", {});

        QSignalSpy looked(store_.get(), &PresetStore::changed);
        store_->setIsThere([](const std::string&, const QString&) { return false; });
        QVERIFY(store_->find(id)->isComplete());  // files are looked for on another thread
        QVERIFY(looked.wait());

        const PresetEntry* entry = store_->find(id);
        QVERIFY(!entry->isComplete());
        QCOMPARE(entry->files.at(0).kind, QString("image"));
        QVERIFY(store_->find("builtin:given")->isComplete());
    }

    void renamesTheTitle_andKeepsTheRest() {
        const QString id = store_->save({.title = "x", .tags = {"t"}}, reading("a"), "/", red(8));

        store_->rename(id, "Other");

        QCOMPARE(store_->find(id)->title, QString("Other"));
        QCOMPARE(store_->find(id)->tags, QStringList{"t"});
        QVERIFY(!store_->find(id)->thumbnail.isNull());
        QCOMPARE(graph::toText(store_->open(id)), graph::toText(reading("a")));
    }

    void bringsBackWhatWasRemoved_lastFirst() {
        const QString a = store_->save({.title = "a"}, reading("1"), "/", {});
        const QString b = store_->save({.title = "b"}, reading("2"), "/", {});

        store_->remove(a);
        store_->remove(b);
        QCOMPARE(store_->entries().size(), size_t{1});
        const QString made = store_->save({.title = "b"}, reading("3"), "/", {});

        QCOMPARE(store_->restore(), b);
        QCOMPARE(store_->restore(), a);
        QVERIFY(!store_->canRestore());
        QCOMPARE(store_->restore(), QString());
        QCOMPARE(graph::toText(store_->open(b)), graph::toText(reading("2")));
        QCOMPARE(graph::toText(store_->open(made)), graph::toText(reading("3")));
    }

    void leavesBuiltInOnesAsTheyAre() {
        const QByteArray before = contentsOf(builtin_->filePath("given.json"));

        QVERIFY(errorOf([&] { store_->rename("builtin:given", "x"); }).has_value());
        QVERIFY(errorOf([&] { store_->remove("builtin:given"); }).has_value());

        QCOMPARE(contentsOf(builtin_->filePath("given.json")), before);
    }

    void givesAPresetToSomebodyElse() {
        const QString id =
            store_->save({.title = "Shared", .tags = {"t"}}, reading("a"), "/", red(9));
        const QTemporaryDir elsewhere;
        store_->exportFile(id, elsewhere.filePath("sent.json"));
        store_->remove(id);

        const QString taken = store_->importFile(elsewhere.filePath("sent.json")).id;

        QCOMPARE(store_->find(taken)->title, QString("Shared"));
        QCOMPARE(store_->find(taken)->thumbnail.pixelColor(4, 4), QColor(Qt::red));
        QCOMPARE(graph::toText(store_->open(taken)), graph::toText(reading("a")));
    }

    void takesAPlainGraph_underItsName() {
        const QString id = store_->importFile(sourcePath("examples/graphs/demo.json")).id;

        QCOMPARE(store_->find(id)->title, QString("demo"));
        QVERIFY(store_->find(id)->problem.isEmpty());
    }

    void takesNoPresetTwice() {
        const QTemporaryDir elsewhere;
        const QString sent = elsewhere.filePath("sent.json");
        const QString id = store_->save({.title = "Fox", .tags = {"t"}}, reading("a"), "/", red(9));
        store_->exportFile(id, sent);

        const ImportedPreset own = store_->importFile(sent);
        store_->exportFile("builtin:given", sent);
        const ImportedPreset given = store_->importFile(sent);

        QVERIFY(!own.isNew);
        QCOMPARE(own.id, id);
        QVERIFY(!given.isNew);
        QCOMPARE(given.id, QString("builtin:given"));
        QCOMPARE(store_->entries().size(), size_t{2});
    }

    void otherContentUnderATitleGetsANumber() {
        const QTemporaryDir elsewhere;
        const QString id = store_->save({.title = "Fox"}, reading("a"), "/", {});
        store_->exportFile(id, elsewhere.filePath("sent.json"));
        store_->remove(id);
        store_->save({.title = "Fox"}, reading("b"), "/", {});
        store_->save({.title = "Fox (2)"}, reading("c"), "/", {});

        const ImportedPreset taken = store_->importFile(elsewhere.filePath("sent.json"));

        QVERIFY(taken.isNew);
        QCOMPARE(store_->find(taken.id)->title, QString("Fox (3)"));
        QCOMPARE(graph::toText(store_->open(taken.id)), graph::toText(reading("a")));
    }

    /// Scripts and command lines go on naming them.
    void findsPresetsOfEarlierVersions_andListsThemNoLonger() {
        const PresetStore shipped(*catalog_, sourcePath("resources/presets"), user_->path());

        for (const char* id : {"text_to_image_04gib",
                               "text_to_image_08gib",
                               "text_to_image_12gib",
                               "text_to_image_24gib",
                               "text_to_image_balanced",
                               "text_to_image_quality",
                               "text_to_image_speed",
                               "image_to_image_balanced",
                               "image_to_image_quality",
                               "image_to_image_speed",
                               "inpaint_balanced",
                               "inpaint_quality",
                               "inpaint_speed",
                               "upscale_balanced",
                               "upscale_quality",
                               "upscale_speed",
                               "sdxl_08gib",
                               "sdxl_12gib",
                               "sdxl_24gib",
                               "hidream_08gib",
                               "hidream_12gib",
                               "hidream_16gib",
                               "hidream_24gib",
                               "zimage_08gib",
                               "zimage_12gib",
                               "zimage_16gib",
                               "flux_12gib",
                               "flux_24gib"}) {
            const QString full = QString("builtin:") + id;
            QVERIFY2(shipped.find(full) && shipped.find(full)->problem.isEmpty(), id);
            QVERIFY2(!shipped.open(full).nodes.empty(), id);
            QVERIFY2(std::ranges::find(shipped.entries(), full, &PresetEntry::id) ==
                         shipped.entries().end(),
                     id);
        }
    }

    /// The start reads none of them.
    void readsAnEarlierPreset_whenItIsAskedFor() {
        const QString file = builtin_->filePath("earlier/old.json");
        QVERIFY(!store_->find("builtin:old"));
        QVERIFY(QDir(builtin_->path()).mkdir("earlier"));
        put(file, R"({"format": 1, "nodes": {}, "preset": {"version": 1, "title": "Old"}})");

        const PresetEntry* old = store_->find("builtin:old");

        QVERIFY(old);
        QCOMPARE(old->title, QString("Old"));
        QVERIFY(QFile::remove(file));
        QCOMPARE(store_->find("builtin:old"), old);
    }

    /// It lies next to the presets that are listed.
    void aPresetOfAnEarlierVersionBeginsWithItsImage() {
        const PresetStore shipped(*catalog_, sourcePath("resources/presets"), user_->path());

        const graph::Document opened = shipped.open("builtin:image_to_image_speed");

        QCOMPARE(opened.nodes.at("load_image").params.at("image"),
                 Json(sourcePath("resources/presets/pictures/dog.png").toStdString()));
    }

    void takesNothingFromADamagedFile_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut off") << QByteArray("{\"format\": 1, \"preset\"");
        QTest::newRow("a list") << QByteArray("[]");
        QTest::newRow("an image") << contentsOf(sourcePath("examples/pictures/dog.png"));
        QTest::newRow("newer graph") << QByteArray(R"({"format": 99, "nodes": {}})");
        QTest::newRow("newer preset")
            << QByteArray(R"({"format": 1, "nodes": {}, "preset": {"version": 99}})");
    }

    void takesNothingFromADamagedFile() {
        QFETCH(QByteArray, bytes);
        put(builtin_->filePath("sent.bin"), bytes);

        QVERIFY(errorOf([&] { store_->importFile(builtin_->filePath("sent.bin")); }).has_value());

        QVERIFY(QDir(user_->path()).isEmpty());
    }

    void listsADamagedPreset_withTheReason() {
        put(user_->filePath("bad.json"), "{");
        put(user_->filePath("new.json"),
            R"({"format": 1, "nodes": {}, "preset": {"version": 7, "title": "New"}})");

        store_->reload();

        QVERIFY(store_->find("bad")->problem.contains("bad.json"));
        QVERIFY(store_->find("new")->problem.contains("version 7"));
        QVERIFY(store_->find("new")->problem.contains("version 1"));
        QVERIFY(errorOf([&] { static_cast<void>(store_->open("bad")); }).has_value());
        store_->remove("bad");
        QVERIFY(store_->find("bad") == nullptr);
    }

    void worksWithoutAThumbnail_whereItIsDamagedOrHuge_data() {
        QTest::addColumn<QByteArray>("base64");
        QImage wide(4096, 512, QImage::Format_RGB32);
        wide.fill(Qt::blue);
        QByteArray bytes;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        wide.save(&buffer, "PNG");
        QTest::newRow("no base64") << QByteArray("???");
        QTest::newRow("no image") << QByteArray("AAAA");
        QTest::newRow("huge") << bytes.toBase64();
        QTest::newRow("cut off") << bytes.left(60).toBase64();
    }

    void worksWithoutAThumbnail_whereItIsDamagedOrHuge() {
        QFETCH(QByteArray, base64);
        put(user_->filePath("p.json"),
            QByteArray(R"({"format": 1, "nodes": {}, "preset": {"version": 1, "title": "P", )")
                .append(R"("thumbnail": "THUMB"}})")
                .replace("THUMB", base64));

        store_->reload();

        QVERIFY(store_->find("p")->problem.isEmpty());
        QVERIFY(store_->find("p")->thumbnail.isNull());
    }

    void leavesNothing_whenAPresetCannotBeWritten() {
        graph::Document unwritable = reading("b");
        unwritable.nodes["load"].title = std::string("\xff");

        QVERIFY(errorOf([&] { store_->save({.title = "x"}, unwritable, "/", {}); }).has_value());

        QCOMPARE(store_->entries().size(), size_t{1});
        QVERIFY(QDir(user_->path()).isEmpty(QDir::Files | QDir::Hidden));
    }

    void readsEveryBuiltInPreset() {
        const PresetStore shipped(*catalog_, sourcePath("resources/presets"), user_->path());

        QCOMPARE(shipped.entries().size(), size_t{25});
        for (const PresetEntry& entry : shipped.entries()) {
            QVERIFY2(entry.problem.isEmpty(), qPrintable(entry.problem));
            QVERIFY2(!entry.thumbnail.isNull(), qPrintable(entry.title));
            QVERIFY2(!entry.description.isEmpty() && !entry.tags.isEmpty(),
                     qPrintable(entry.title));
            QVERIFY2(!shipped.open(entry.id).exposed.empty(), qPrintable(entry.title));
        }
    }

private:
    static void put(const QString& path, const QByteArray& bytes) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }

    std::unique_ptr<QTemporaryDir> builtin_;
    std::unique_ptr<QTemporaryDir> user_;
    std::unique_ptr<graph::Catalog> catalog_;
    std::unique_ptr<PresetStore> store_;
};

LOWTIDE_TEST(PresetStoreTest)

}  // namespace preset_store_test

#include "preset_store_test.moc"
