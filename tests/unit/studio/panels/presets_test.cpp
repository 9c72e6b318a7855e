#include "plugin/base/json.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "ui/panels/first_start.hpp"
#include "ui/panels/preset_cards.hpp"
#include "ui/panels/presets_browser.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace presets_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

std::vector<NodeDesc> loaders() {
    return {
        {.id = "load.checkpoint",
         .params = {{.id = "checkpoint", .kind = ParamKind::File, .defaultValue = std::string()}}}};
}

graph::Document loading(const char* file) {
    graph::Document document;
    document.nodes["load"] = {.type = "load.checkpoint", .params = {{"checkpoint", file}}};
    return document;
}

Planned needs() {
    Planned planned;
    planned.plan = Json::parse(R"({
      "devices": [{"device": "cuda:0", "peak": 3328599655, "capacity": 4294967296, "estimated": false},
                  {"device": "cpu", "peak": 3536870912, "capacity": 4294967296, "estimated": true}],
      "components": [{"role": "denoiser", "device": "cuda:0"}, {"role": "text_encoder", "device": "cpu"}],
      "stays": [{"role": "denoiser", "resident_bytes": 40, "streamed_bytes_per_pass": 60},
                {"role": "text_encoder", "resident_bytes": 0, "streamed_bytes_per_pass": 900}],
      "stages": [{"seconds": 30.2}, {"seconds": 9.6}]})");
    planned.isFresh = true;
    return planned;
}

void open(QWidget& widget) {
    widget.resize(980, 640);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
}

/// A browser on the screen.
struct Browser : PresetsBrowser {
    explicit Browser(PresetStore& store) : PresetsBrowser(store) { open(*this); }
};

const FoundDevice kCard{.id = "cuda:0",
                        .sentence = "Lowtide found the graphics card X with 6.0 GiB of memory.",
                        .capacity = 6 * kGiB};

}  // namespace

class PresetsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { test::wear(Theme::Scheme::Light); }

    void init() {
        test::failOnQtWarnings();
        user_ = std::make_unique<QTemporaryDir>();
        catalog_ = std::make_unique<graph::Catalog>(loaders());
        store_ = std::make_unique<PresetStore>(
            *catalog_, testing::sourcePath("resources/presets"), user_->path());
    }

    void findsPresetsByTheirWords() {
        Browser browser(*store_);

        QTest::keyClicks(browser.findChild<QLineEdit*>("presetSearch"), "WITHOUT upscale");

        QCOMPARE(cards(browser)->model()->rowCount(), 1);
        QCOMPARE(browser.chosen(), QString("builtin:upscale_without_model"));
    }

    void aSearchBeginsAtTheTop() {
        Browser browser(*store_);
        browser.choose("builtin:zimage_turbo");
        QTRY_VERIFY(cards(browser)->verticalScrollBar()->value() > 0);

        QTest::keyClicks(browser.findChild<QLineEdit*>("presetSearch"), "image to image");
        QTest::qWait(50);  // the cards are laid out

        const QModelIndex first = cards(browser)->model()->index(0, 0);
        QVERIFY(cards(browser)->viewport()->rect().contains(
            cards(browser)->visualRect(first).center()));
        QCOMPARE(cards(browser)->currentIndex(), first);
        QVERIFY2(first.data().toString().startsWith("Image to image"),
                 qPrintable(first.data().toString()));
    }

    void whatIsUsableIsFirst_andNothingJumpsWhileSomebodyLooks() {
        PresetsBrowser browser(*store_);
        lookForFiles(lackingCheckpoints);

        open(browser);
        const QStringList before = titles(browser);
        QCOMPARE(before.indexOf("Upscale without a model"), 0);  // begins with an image alone
        QVERIFY(std::ranges::is_sorted(lacking(browser)));
        QVERIFY(lacking(browser).last());
        lookForFiles([](const std::string&, const QString&) { return true; });
        QCOMPARE(titles(browser), before);
        browser.hide();
        browser.show();

        QVERIFY(titles(browser) != before);
    }

    void returnInTheSearchOpensTheFirst() {
        Browser browser(*store_);
        QSignalSpy opened(&browser, &PresetsBrowser::openAsked);
        auto* search = browser.findChild<QLineEdit*>("presetSearch");

        QTest::keyClicks(search, "WITHOUT upscale");
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened.first().first().toString(), QString("builtin:upscale_without_model"));
        QTest::keyClicks(search, " nothing like it");
        QTest::keyClick(search, Qt::Key_Return);

        QCOMPARE(opened.count(), 1);
    }

    void whatIsSearchedForCanBeShownInAnotherBrowser() {
        Browser first(*store_);
        QTest::keyClicks(first.findChild<QLineEdit*>("presetSearch"), "upscale");
        auto* tag = first.findChild<QComboBox*>("presetTag");
        tag->setCurrentIndex(tag->findData("speed"));

        Browser second(*store_);
        second.setSearch(first.search());

        QCOMPARE(titles(second), titles(first));
        QCOMPARE(titles(second), QStringList{"Upscale without a model"});
    }

    void anImportedPresetIsShownAndReported() {
        const QTemporaryDir elsewhere;
        const QString sent = elsewhere.filePath("fox.json");
        store_->exportFile(store_->save({.title = "Fox"}, loading("x"), "/", {}), sent);
        store_->remove("fox");
        Browser browser(*store_);
        QSignalSpy reported(&browser, &PresetsBrowser::reported);
        QTest::keyClicks(browser.findChild<QLineEdit*>("presetSearch"), "upscale");

        take(browser, sent);
        QCOMPARE(store_->find(browser.chosen())->title, QString("Fox"));
        QVERIFY(browser.search().words.isEmpty());
        QVERIFY(reported.last().first().toString().startsWith("Imported"));
        take(browser, sent);

        QVERIFY(reported.last().first().toString().contains("there already"));
        QCOMPARE(titles(browser).filter("Fox").size(), 1);
    }

    void anExportedPresetIsReported() {
        const QTemporaryDir elsewhere;
        Browser browser(*store_);
        browser.choose("builtin:upscale_without_model");
        QSignalSpy reported(&browser, &PresetsBrowser::reported);

        QTest::mouseClick(button(browser, "exportPreset"), Qt::LeftButton);
        Q_EMIT browser.findChild<QFileDialog*>()->fileSelected(elsewhere.filePath("sent.json"));

        QVERIFY(QFile::exists(elsewhere.filePath("sent.json")));
        QVERIFY(reported.last().first().toString().contains("sent.json"));
    }

    /// Also where it is seen late what is missing: until somebody chooses.
    void ownOnesAreFirst_andOneThatRunsIsChosen() {
        const QString own = store_->save({.title = "My own"}, loading("mine.safetensors"), {}, {});
        Browser browser(*store_);
        QCOMPARE(cards(browser)->model()->index(0, 0).data().toString(), QString("My own"));
        QCOMPARE(browser.chosen(), own);

        lookForFiles(
            [](const std::string& file, const QString&) { return file != "mine.safetensors"; });
        QTRY_VERIFY(browser.chosen() != own);
        QVERIFY(store_->find(browser.chosen())->isComplete());
        browser.choose(own);
        store_->reload();
        QCOMPARE(browser.chosen(), own);
    }

    void showsOnlyPresetsOfATag() {
        Browser browser(*store_);
        auto* tag = browser.findChild<QComboBox*>("presetTag");

        tag->setCurrentIndex(tag->findText("image to image"));

        QCOMPARE(cards(browser)->model()->rowCount(), 3);
    }

    void opensWithADoubleClick_orTheButton() {
        Browser browser(*store_);
        QSignalSpy opened(&browser, &PresetsBrowser::openAsked);
        const QModelIndex third = cards(browser)->model()->index(2, 0);
        const QPoint middle = cards(browser)->visualRect(third).center();

        QTest::mouseClick(cards(browser)->viewport(), Qt::LeftButton, {}, middle);
        QTest::mouseDClick(cards(browser)->viewport(), Qt::LeftButton, {}, middle);
        QTest::mouseClick(button(browser, "openPreset"), Qt::LeftButton);

        QCOMPARE(opened.count(), 2);
        QCOMPARE(opened.at(0), opened.at(1));
        QCOMPARE(opened.at(0).first().toString(), browser.chosen());
    }

    void aRightClickOffersWhatTheButtonsDo() {
        Browser browser(*store_);
        const QSignalSpy opened(&browser, &PresetsBrowser::openAsked);
        Q_EMIT cards(browser)->customContextMenuRequested({10, 10});
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        QCOMPARE(menu->objectName(), QString("presetMenu"));
        menu->actions().front()->trigger();
        QCOMPARE(opened.count(), 1);
        menu->close();
    }

    void removesAndBringsBack() {
        const QString id = store_->save({.title = "Mine"}, loading(""), "/", {});
        Browser browser(*store_);
        cards(browser)->choose(id);

        QTest::mouseClick(button(browser, "removePreset"), Qt::LeftButton);
        QVERIFY(store_->find(id) == nullptr);
        QTest::mouseClick(button(browser, "restorePreset"), Qt::LeftButton);

        QVERIFY(store_->find(id) != nullptr);
        QCOMPARE(browser.chosen(), id);
        QVERIFY(!button(browser, "restorePreset")->isVisible());
    }

    void renamesByDialog() {
        const QString id = store_->save({.title = "Mine"}, loading(""), "/", {});
        Browser browser(*store_);
        cards(browser)->choose(id);

        QTest::mouseClick(button(browser, "renamePreset"), Qt::LeftButton);
        auto* dialog = browser.findChild<QInputDialog*>();
        QVERIFY(dialog != nullptr);
        dialog->setTextValue("Better");
        dialog->accept();

        QCOMPARE(store_->find(id)->title, QString("Better"));
    }

    void explainsWhy_whenARenameIsRefused() {
        const QString id = store_->save({.title = "Mine"}, loading(""), "/", {});
        Browser browser(*store_);
        cards(browser)->choose(id);

        QTest::mouseClick(button(browser, "renamePreset"), Qt::LeftButton);
        auto* dialog = browser.findChild<QInputDialog*>();
        dialog->setTextValue("   ");
        dialog->accept();

        auto* message = browser.findChild<QLabel*>("presetMessage");
        QVERIFY(message->isVisible());
        QVERIFY(message->text().contains("title"));
        QCOMPARE(store_->find(id)->title, QString("Mine"));
    }

    void leavesBuiltInOnesAlone() {
        Browser browser(*store_);

        QVERIFY(button(browser, "openPreset")->isEnabled());
        QVERIFY(!button(browser, "renamePreset")->isEnabled());
        QVERIFY(!button(browser, "removePreset")->isEnabled());
    }

    void namesMissingFiles_andAsksWhereTheyAre() {
        const QString id = store_->save({.title = "Mine"}, loading("lost.safetensors"), "/", {});
        lookForFiles([](const std::string& value, const QString&) { return value[0] != 'l'; });
        Browser browser(*store_);
        cards(browser)->choose(id);
        QSignalSpy asked(&browser, &PresetsBrowser::locateAsked);
        auto* files = browser.findChild<QTreeWidget*>("presetFiles");

        files->setCurrentItem(files->topLevelItem(0));
        QTest::keyClick(files, Qt::Key_Return);

        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.first(), (QVariantList{id, "checkpoint", "lost.safetensors"}));
        QVERIFY(button(browser, "openPreset")->isEnabled());
    }

    void showsABrokenPreset_withTheReason() {
        testing::writeFile(user_->filePath("newer.json"),
                           R"({"format": 1, "nodes": {}, "preset": {"version": 3}})");
        store_->reload();
        Browser browser(*store_);
        QSignalSpy opened(&browser, &PresetsBrowser::openAsked);

        cards(browser)->choose("newer");
        Q_EMIT cards(browser)->taken("newer");

        QVERIFY(browser.findChild<QLabel*>("presetProblem")->text().contains("version 3"));
        QVERIFY(!button(browser, "openPreset")->isEnabled());
        QCOMPARE(opened.count(), 0);
    }

    void reportsWhatAPresetNeedsHere() {
        PresetsBrowser browser(*store_);
        QSignalSpy asked(&browser, &PresetsBrowser::needsAsked);
        open(browser);
        cards(browser)->choose("builtin:upscale_without_model");
        QCOMPARE(asked.last().first().toString(), QString("builtin:upscale_without_model"));

        browser.setNeeds("builtin:upscale", needs());
        QVERIFY(!browser.findChild<QLabel*>("presetNeeds")->isVisible());
        browser.setNeeds("builtin:upscale_without_model", needs());

        QCOMPARE(browser.findChild<QLabel*>("presetNeeds")->text(),
                 QString("Needs 3.1 of 4.0 GiB, streams 60 %, about 40 s"));
    }

    void whatIsTypedReplacesTheProposedTitle() {
        PresetDialog dialog({.title = "balanced", .description = {}, .tags = {}}, {});
        dialog.show();
        dialog.activateWindow();
        QTRY_VERIFY(QApplication::focusWidget());

        QTest::keyClicks(QApplication::focusWidget(), "mine");

        QCOMPARE(dialog.text().title, QString("mine"));
    }

    void showsAPresetThatTheSearchHides_whenItIsChosen() {
        Browser browser(*store_);
        QTest::keyClicks(browser.findChild<QLineEdit*>("presetSearch"), "upscale");

        browser.choose("builtin:inpaint");

        QCOMPARE(browser.chosen(), QString("builtin:inpaint"));
    }

    void aLongTitleEndsInDots_data() {
        QTest::addColumn<QString>("title");
        QTest::addColumn<int>("most");
        QTest::addColumn<bool>("isWhole");
        QTest::newRow("short") << "Inpaint" << 2 << true;
        QTest::newRow("two lines") << "Text to image, quick" << 2 << true;
        QTest::newRow("its last word does not fit")
            << "Text to image, balanced, once more \u6211\u7684" << 2 << false;
        QTest::newRow("one long word") << "balanced_balanced_balanced_balanced" << 2 << false;
        QTest::newRow("space for one line") << "Text to image, quick" << 1 << false;
    }

    void aLongTitleEndsInDots() {
        QFETCH(QString, title);
        QFETCH(int, most);
        QFETCH(bool, isWhole);
        constexpr qreal kWidth = 104;
        const QFont font = Theme::current().font("label");

        const QStringList lines = cardLines(title, font, kWidth, most);

        QVERIFY(lines.size() <= most);
        for (const QString& line : lines) {
            QVERIFY2(QFontMetricsF(font).horizontalAdvance(line) <= kWidth, qPrintable(line));
        }
        QCOMPARE(lines.join(' ') == title, isWhole);
        QCOMPARE(lines.last().endsWith(QChar(0x2026)), !isWhole);
    }

    void asksForATitle_beforeItSaves() {
        PresetDialog dialog({}, {});
        dialog.show();
        auto* save = dialog.findChild<QPushButton*>();
        for (QPushButton* each : dialog.findChildren<QPushButton*>()) {
            save = each->isDefault() || each->text().contains("Save") ? each : save;
        }
        QVERIFY(!save->isEnabled());

        QTest::keyClicks(dialog.findChild<QLineEdit*>("title"), " A title ");
        QTest::keyClicks(dialog.findChild<QLineEdit*>("tags"), "one, two ,one,, three");

        QVERIFY(save->isEnabled());
        QCOMPARE(dialog.text().title, QString("A title"));
        QCOMPARE(dialog.text().tags, (QStringList{"one", "two", "three"}));
    }

    void leadsToAnImage_inThreeClicks() {
        Settings settings(user_->filePath("settings.json"));
        FirstStart start(settings, *store_, kCard);
        open(start);
        QSignalSpy chosen(&start, &FirstStart::presetChosen);
        auto* list = start.findChild<PresetCards*>("presetCards");
        QCOMPARE(list->model()->rowCount(), 4);

        QTest::mouseClick(list->viewport(),
                          Qt::LeftButton,
                          {},
                          list->visualRect(list->model()->index(2, 0)).center());
        QTest::mouseClick(start.findChild<QPushButton*>("start"), Qt::LeftButton);

        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.first().first().toString(), QString("builtin:inpaint"));
        QVERIFY(settings.preferences().isFirstStartDone);
    }

    void proposesToSpareMemory_data() {
        testing::addTable<qint64, bool>({"capacity", "isProposed"},
                                        {{"small", qint64{8 * kGiB}, true},
                                         {"larger", qint64{8 * kGiB + 1}, false},
                                         {"unknown", qint64{0}, false}});
    }

    void proposesToSpareMemory() {
        QFETCH(qint64, capacity);
        QFETCH(bool, isProposed);
        Settings settings(user_->filePath("settings.json"));
        FirstStart start(settings, *store_, {.id = "x", .sentence = "x", .capacity = capacity});
        auto* box = start.findChild<QCheckBox*>("lowMemory");
        QCOMPARE(box->isChecked(), isProposed);
        start.show();

        QTest::mouseClick(start.findChild<QPushButton*>("emptyGraph"), Qt::LeftButton);
        QCOMPARE(settings.preferences().lowMemory, QString("auto"));
        box->setChecked(!isProposed);
        start.show();
        QTest::mouseClick(start.findChild<QPushButton*>("emptyGraph"), Qt::LeftButton);

        QCOMPARE(settings.preferences().lowMemory, QString(isProposed ? "off" : "on"));
    }

    void proposesWhenTheDeviceIsKnown_unlessTheUserChose() {
        Settings settings(user_->filePath("settings.json"));
        FirstStart start(settings, *store_, foundDevice(Json()));
        open(start);
        auto* box = start.findChild<QCheckBox*>("lowMemory");
        QVERIFY(start.findChild<QLabel*>("deviceSentence")->text().contains("looking"));
        QVERIFY(!box->isChecked());

        start.setDevice(kCard);
        QVERIFY(box->isChecked());
        QCOMPARE(start.findChild<QLabel*>("deviceSentence")->text(), kCard.sentence);
        QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
        start.setDevice(kCard);

        QVERIFY(!box->isChecked());
    }

    void cardsFillTheWidth_data() {
        testing::addTable<int>({"width"}, {{"two columns", 330}, {"three and a half", 450}});
    }

    void cardsFillTheWidth() {
        QFETCH(int, width);
        PresetCards cards;
        std::vector<const PresetEntry*> all;
        for (const PresetEntry& entry : store_->entries()) {
            all.push_back(&entry);
        }
        cards.resize(width, 400);
        cards.setEntries(all);
        cards.show();
        QVERIFY(QTest::qWaitForWindowExposed(&cards));

        QTRY_VERIFY([&] {
            int right = 0;
            for (int row = 0; row < cards.model()->rowCount(); ++row) {
                right = std::max(right, cards.visualRect(cards.model()->index(row, 0)).right());
            }
            return right > cards.viewport()->width() - 8 && right < cards.viewport()->width();
        }());
    }

    void showsItsCardsWithoutAScrollBar_andKeysBegin() {
        Settings settings(user_->filePath("settings.json"));
        FirstStart start(settings, *store_, kCard);
        start.show();
        QVERIFY(QTest::qWaitForWindowExposed(&start));
        auto* list = start.findChild<PresetCards*>("presetCards");
        QCOMPARE(list->chosen(), QString("builtin:text_to_image"));
        const QRect last = list->visualRect(list->model()->index(3, 0));
        QVERIFY(list->viewport()->rect().contains(last));
        QVERIFY(list->viewport()->height() - last.bottom() < 24);
        QSignalSpy chosen(&start, &FirstStart::presetChosen);
        QVERIFY(list->hasFocus());

        QTest::keyClick(list, Qt::Key_Right);
        QTest::keyClick(list, Qt::Key_Return);

        QCOMPARE(chosen.count(), 1);
        QVERIFY(chosen.first().first().toString() != "builtin:text_to_image");
    }

    void reportsWhichDeviceItFound_data() {
        QTest::addColumn<QByteArray>("devices");
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("words");
        const char* cpu =
            R"({"id": "cpu", "kind": "cpu", "name": "Xeon", "capacity": 25276510208})";
        const char* fake =
            R"({"id": "fake", "kind": "fake", "name": "rehearsal", "capacity": 99999999999})";
        const char* small =
            R"({"id": "cuda:0", "kind": "cuda", "name": "RTX", "capacity": 8589934592})";
        const char* large =
            R"({"id": "cuda:1", "kind": "cuda", "name": "H200", "capacity": 149000000000})";
        const auto row =
            [](const char* name, const QList<QByteArray>& list, const char* id, const char* words) {
                QTest::newRow(name)
                    << QByteArray("[" + list.join(',') + "]") << QString(id) << QString(words);
            };
        row("none", {}, "", "no device");
        row("processor",
            {cpu, fake},
            "cpu",
            "no graphics card and computes on the processor (Xeon) with 23.5 GiB");
        row("card", {cpu, fake, small}, "cuda:0", "graphics card RTX with 8.0 GiB");
        row("two cards", {small, large, cpu}, "cuda:1", "H200");
    }

    void reportsWhichDeviceItFound() {
        QFETCH(QByteArray, devices);
        QFETCH(QString, words);

        const FoundDevice found = foundDevice(parseJson(devices.toStdString(), "test"));

        QTEST(found.id, "id");
        QVERIFY2(found.sentence.contains(words), qPrintable(found.sentence));
    }

    void survivesAnswersThatAreNone() {
        QVERIFY(foundDevice(Json()).id.isEmpty());
        QVERIFY(foundDevice(Json::parse(R"([1, {"capacity": "x"}])")).capacity == 0);
    }

    void looksRight_data() { test::addSchemes(); }

    void looksRight() {
        QFETCH(bool, isDark);
        test::wear(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
        store_->save({.title = "A preset of my own with quite a long title", .tags = {"mine"}},
                     loading("sd15/lost.safetensors"),
                     "/",
                     {});
        lookForFiles([](const std::string& value, const QString&) { return value[0] != 's'; });
        PresetsBrowser browser(*store_);
        browser.resize(980, 640);
        cards(browser)->choose("builtin:text_to_image");
        browser.setNeeds(browser.chosen(), needs());
        QCOMPARE(test::lookAt(browser, "presets"), QString());
        Settings settings(user_->filePath("settings.json"));
        FirstStart start(settings, *store_, kCard);
        QCOMPARE(test::lookAt(start, "first_start"), QString());
        PresetDialog dialog({.title = "Fox"}, store_->find("builtin:text_to_image")->thumbnail);
        QCOMPARE(test::lookAt(dialog, "preset_dialog"), QString());
    }

private:
    void lookForFiles(const IsThere& isThere) {
        QSignalSpy looked(store_.get(), &PresetStore::changed);
        store_->setIsThere(isThere);
        QVERIFY(looked.wait());
    }

    static bool lackingCheckpoints(const std::string& file, const QString&) {
        return file.starts_with("pictures/");
    }

    static QStringList titles(PresetsBrowser& browser) {
        QStringList texts;
        for (int row = 0; row < cards(browser)->model()->rowCount(); ++row) {
            texts << cards(browser)->model()->index(row, 0).data().toString();
        }
        return texts;
    }

    /// By the order of the cards: whether files are missing.
    QList<bool> lacking(PresetsBrowser& browser) const {
        QList<bool> lacks;
        for (const QString& title : titles(browser)) {
            const auto entry = std::ranges::find(store_->entries(), title, &PresetEntry::title);
            lacks << !entry->isComplete();
        }
        return lacks;
    }

    static void take(PresetsBrowser& browser, const QString& path) {
        QTest::mouseClick(button(browser, "importPreset"), Qt::LeftButton);
        auto* dialog = browser.findChild<QFileDialog*>();
        QVERIFY(dialog != nullptr);
        Q_EMIT dialog->fileSelected(path);
        delete dialog;
    }

    static PresetCards* cards(PresetsBrowser& browser) {
        return browser.findChild<PresetCards*>("presetCards");
    }

    static QPushButton* button(PresetsBrowser& browser, const char* name) {
        return browser.findChild<QPushButton*>(name);
    }

    std::unique_ptr<QTemporaryDir> user_;
    std::unique_ptr<graph::Catalog> catalog_;
    std::unique_ptr<PresetStore> store_;
};

LOWTIDE_WINDOW_TEST(PresetsTest)

}  // namespace presets_test

#include "presets_test.moc"
