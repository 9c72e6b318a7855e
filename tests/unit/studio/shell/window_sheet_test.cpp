// Sheets: from the question what differs to the image of all cells.
#include "plugin/files/input_file.hpp"
#include "plugin/graph/document.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/document/edits.hpp"
#include "ui/panels/gallery.hpp"
#include "ui/panels/sheet_dialog.hpp"
#include "ui/panels/sheet_drawing.hpp"
#include "ui/studio/notice_bar.hpp"

#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QRandomGenerator>
#include <QTabWidget>
#include <QTableView>

#include <algorithm>

namespace window_sheet_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// Each run writes an image whose colour is that of its steps and its seed.
struct Varying : Working {
    Varying() {
        model().apply("Values", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 8;
            document.nodes.at("denoise").params["seed"] = 7;
            document.nodes.at("encode").params["prompt"] = "a red cat";
        });
    }

    [[nodiscard]] Workspace& work() { return *window->workspace(); }

    [[nodiscard]] SheetView& sheet() { return *window->controller()->widgets().sheet; }

    [[nodiscard]] SheetTable& table() { return sheet().table(); }

    /// What a run with these steps does; images of equal `shade` are the same.
    void paint(int steps, int shade, const QString& status = "ok") {
        graph::Document document = model().document();
        document.nodes.at("denoise").params["steps"] = steps;
        paint(document, QString("p%1.png").arg(steps), shade, status);
    }

    void paint(const graph::Document& document,
               const QString& name,
               int shade,
               const QString& status = "ok") {
        const QString path = folder.filePath("out/" + name);
        QDir().mkpath(folder.filePath("out"));
        plugin.script().setScript(
            graph::toText(document), [path, shade, status](ScriptedRunner::Stage& stage) {
                if (status != "ok") {
                    return Json{{"status", status.toStdString()},
                                {"executed", 1},
                                {"issues",
                                 {{{"severity", "error"},
                                   {"code", "out_of_memory"},
                                   {"message", "4 GiB are too little"}}}}};
                }
                QImage image(64, 48, QImage::Format_RGB888);
                image.fill(QColor(shade, 0, 0));
                image.save(path);
                stage.send(
                    {{"event", "nodeFinished"}, {"node", "save"}, {"files", {path.toStdString()}}});
                return Json{
                    {"status", "ok"},
                    {"executed", 3},
                    {"ms", 1000.0 + shade},
                    {"repetitions", {{{"ledger", {{"cpu", {{"peak", (300 - shade) << 20}}}}}}}}};
            });
    }

    void vary(const std::function<void(QDialog&)>& act) {
        answer("sheet", [&](QDialog& dialog) {
            act(dialog);
            dialog.findChild<QPushButton*>("run")->click();
        });
        action("run.sheet").trigger();
        test::bringToFront(*window);  // keys go there again
    }

    void varySteps(const QString& typed) {
        vary([&](QDialog& dialog) {
            dialog.findChild<QWidget*>("x")->findChild<QLineEdit*>("numbers")->setText(typed);
        });
    }

    [[nodiscard]] QStringList texts() {
        QStringList texts;
        for (int cell = 0; cell < static_cast<int>(table().plan().cells()); ++cell) {
            texts << table().stateText(cell);
        }
        return texts;
    }

    void waitForImage() { QTRY_VERIFY_WITH_TIMEOUT(!table().sheet().image.isEmpty(), kPatience); }

    [[nodiscard]] QString stepsQueued() {
        QStringList steps;
        for (const QueuedRun& run : work().queue.runs()) {
            const graph::Document document = graph::parseDocument(run.graph);
            const Json& params = document.nodes.at("denoise").params;
            steps << QString::fromStdString(params.at("steps").dump() + "/" +
                                            params.at("seed").dump());
        }
        return steps.join(" ");
    }
};

AxisEditor& axis(QDialog& dialog, const char* name) {
    return *dialog.findChild<AxisEditor*>(name);
}

void choose(AxisEditor& editor, const QString& title) {
    auto* box = editor.findChild<QComboBox*>("item");
    const int index = box->findText(title);
    QVERIFY2(index >= 0, qPrintable(title));
    editor.choose(box->itemData(index).toInt());
}

void tick(AxisEditor& editor, const QStringList& wanted) {
    auto* list = editor.findChild<QListWidget*>("ticks");
    for (int row = 0; row < list->count(); ++row) {
        QListWidgetItem* item = list->item(row);
        item->setCheckState(wanted.contains(item->data(Qt::UserRole).toString()) ? Qt::Checked
                                                                                 : Qt::Unchecked);
    }
}

}  // namespace

class WindowSheetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { test::failOnQtWarnings(); }

    void aRunIsMadeForEachValue_withOneSeed() {
        Varying studio;
        studio.model().apply("Seeds", [](graph::Document& document) {
            setSeedMode(document.nodes.at("denoise"), "seed", SeedMode::Random);
        });
        studio.work().queue.setPaused(true);
        QString suggested;
        QString count;
        QString seeds;
        studio.vary([&](QDialog& dialog) {
            suggested = axis(dialog, "x").findChild<QLineEdit*>("numbers")->text();
            count = dialog.findChild<QLabel*>("count")->text();
            seeds = dialog.findChild<QLabel*>("seeds")->text();
        });
        QCOMPARE(suggested, QString("4, 8, 12, 16"));
        QVERIFY2(count.startsWith("4 "), qPrintable(count));
        QCOMPARE(seeds, QString("Every cell has the seed 7."));
        QCOMPARE(studio.stepsQueued(), QString("4/7 8/7 12/7 16/7"));
        QCOMPARE(studio.model().node("denoise")->params.at("steps"), Json(8));
        QCOMPARE(studio.window->findChild<QTabWidget*>("centre")->currentWidget(), &studio.sheet());
        QCOMPARE(studio.texts(), (QStringList{"waits", "waits", "waits", "waits"}));
    }

    void theSheetIsWrittenAndKept() {
        Varying studio;
        studio.paint(4, 10);
        studio.paint(8, 20);
        studio.paint(12, 10);
        studio.varySteps("4-12 (+4)");
        studio.waitForImage();
        const SheetRecord sheet = studio.table().sheet();
        QCOMPARE(QFileInfo(sheet.image).absolutePath(), studio.folder.filePath("out"));
        QTRY_COMPARE_WITH_TIMEOUT(studio.texts(), (QStringList{"", "", ""}), kPatience);
        QCOMPARE(studio.table().sameAs(0), 2);
        QCOMPARE(studio.table().sameAs(1), -1);
        QVERIFY2(studio.table().figures(1).contains("280"), qPrintable(studio.table().figures(1)));
        const SheetTable::Ends slow = studio.table().endsOf(SheetTable::Figure::Time);
        QCOMPARE(slow.most, 1);
        // The image holds the graph that nothing was varied in, and cells at their own size.
        const files::InputFile file(sheet.image.toStdString());
        const graph::Document inside = graph::parseDocument(graph::readGraphText(file));
        QCOMPARE(inside.nodes.at("denoise").params.at("steps"), Json(8));
        const QImage image(sheet.image);
        int reds = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                reds += image.pixelColor(x, y) == QColor(20, 0, 0) ? 1 : 0;
            }
        }
        QCOMPARE(reds, 64 * 48);
        // Another studio of the same user finds it.
        RunLibrary later(studio.folder.filePath("runs"));
        std::optional<SheetRecord> again;
        later.ask([](RunStore& store) { return store.sheet({}); },
                  &studio.sheet(),
                  [&](const std::optional<SheetRecord>& found) { again = found; });
        QTRY_VERIFY_WITH_TIMEOUT(again, kPatience);
        QCOMPARE(again->key, sheet.key);
        QCOMPARE(again->image, sheet.image);
        QCOMPARE(again->description, sheet.description);
        for (size_t i = 0; i < 3; ++i) {
            QCOMPARE(again->cells[i].files, sheet.cells[i].files);
            QCOMPARE(again->cells[i].peak, sheet.cells[i].peak);
        }
    }

    void itIsOpenedFromTheGallery_alsoByACell() {
        Varying studio;
        studio.paint(4, 10);
        studio.paint(8, 20);
        studio.varySteps("4, 8");
        studio.waitForImage();
        const SheetRecord sheet = studio.table().sheet();
        Gallery& gallery = *studio.window->controller()->widgets().gallery;
        for (const QString& path : {sheet.image, sheet.cells[0].files.front()}) {
            studio.action("view.gallery").trigger();
            QTRY_VERIFY_WITH_TIMEOUT(gallery.files().contains(path), kPatience);
            gallery.select(path);
            gallery.findChild<QAction*>("openSheet")->trigger();
            QTRY_COMPARE_WITH_TIMEOUT(
                studio.window->findChild<QTabWidget*>("centre")->currentWidget(),
                &studio.sheet(),
                kPatience);
            QCOMPARE(studio.sheet().sheet(), sheet.key);
        }
    }

    void policiesAreExecutedInEveryCell() {
        Varying studio;
        studio.work().queue.setPaused(true);
        bool isMeasured = false;
        bool mayChoose = true;
        studio.vary([&](QDialog& dialog) {
            choose(axis(dialog, "y"), "Denoise: Memory policy");
            tick(axis(dialog, "y"), {"none", "leaf+stream"});
            axis(dialog, "x").findChild<QLineEdit*>("numbers")->setText("4, 8");
            isMeasured = dialog.findChild<QCheckBox*>("measured")->isChecked();
            mayChoose = dialog.findChild<QCheckBox*>("measured")->isEnabled();
        });
        QVERIFY(isMeasured && !mayChoose);
        QCOMPARE(studio.stepsQueued(), QString("4/7 8/7 4/7 8/7"));
        QStringList policies;
        for (const QueuedRun& run : studio.work().queue.runs()) {
            const Json memory = graph::parseDocument(run.graph).nodes.at("denoise").memory;
            policies << QString::fromStdString(memory.dump());
            QCOMPARE(run.options.at("forceExecution"), Json(true));
        }
        QCOMPARE(policies[0], policies[1]);
        QVERIFY(policies[0].contains("leaf"));
        QVERIFY(!policies[2].contains("leaf"));
    }

    void wordsOfAPromptAreReplaced() {
        Varying studio;
        studio.work().queue.setPaused(true);
        studio.vary([&](QDialog& dialog) {
            choose(axis(dialog, "x"), "Encode prompt: Prompt");
            axis(dialog, "x").findChild<QPlainTextEdit*>("texts")->setPlainText("dog, fox");
            QVERIFY(axis(dialog, "x").problem().contains("dog"));
            QVERIFY(!dialog.findChild<QPushButton*>("run")->isEnabled());
            axis(dialog, "x").findChild<QPlainTextEdit*>("texts")->setPlainText("cat, dog, 狐狸");
        });
        QStringList prompts;
        for (const QueuedRun& run : studio.work().queue.runs()) {
            const graph::Document document = graph::parseDocument(run.graph);
            prompts << QString::fromStdString(
                document.nodes.at("encode").params.at("prompt").get<std::string>());
        }
        QCOMPARE(prompts, (QStringList{"a red cat", "a red dog", "a red 狐狸"}));
    }

    /// A sheet shows what its parameter does, so all else is equal, also where the seed varies.
    void alternativesAreDrawnOnceForAllCells() {
        Varying studio;
        studio.work().queue.setPaused(true);
        studio.model().apply("Alternatives", [](graph::Document& document) {
            document.nodes.at("encode").params["prompt"] = "a {red|green|blue|grey} cat";
        });
        studio.vary([&](QDialog& dialog) {
            choose(axis(dialog, "x"), "Denoise: Seed");
            axis(dialog, "x").findChild<QLineEdit*>("numbers")->setText("1-20");
        });
        QSet<QString> prompts;
        for (const QueuedRun& run : studio.work().queue.runs()) {
            const graph::Document document = graph::parseDocument(run.graph);
            prompts << QString::fromStdString(
                document.nodes.at("encode").params.at("prompt").get<std::string>());
        }
        QCOMPARE(studio.work().queue.runs().size(), size_t{20});
        QCOMPARE(prompts.size(), 1);
        QVERIFY(!prompts.values().front().contains('{'));
    }

    void aMissingWildcardStartsNoSheet() {
        Varying studio;
        studio.model().apply("A wildcard", [](graph::Document& document) {
            document.nodes.at("encode").params["prompt"] = "a __colour__ cat";
        });
        studio.varySteps("4, 8");
        QVERIFY(studio.work().queue.runs().empty());
        QVERIFY(studio.window->findChild<NoticeBar*>()->text().contains("colour"));
        QVERIFY(studio.table().sheet().key.isEmpty());
    }

    void whatCannotStartExplainsWhy_data() {
        QTest::addColumn<QString>("x");
        QTest::addColumn<QString>("y");
        QTest::addColumn<QString>("expected");
        QTest::newRow("too many") << "1-11"
                                  << "1-10"
                                  << "110";
        QTest::newRow("one alone") << "4"
                                   << ""
                                   << "another value";
        QTest::newRow("no number") << "4, x"
                                   << ""
                                   << "marked";
        QTest::newRow("beyond the parameter") << "4, 5000"
                                              << ""
                                              << "marked";
        QTest::newRow("nothing") << ""
                                 << ""
                                 << "marked";
    }

    void whatCannotStartExplainsWhy() {
        QFETCH(QString, x);
        QFETCH(QString, y);
        QFETCH(QString, expected);
        Varying studio;
        answer("sheet", [&](QDialog& dialog) {
            axis(dialog, "x").findChild<QLineEdit*>("numbers")->setText(x);
            if (!y.isEmpty()) {
                choose(axis(dialog, "y"), "Empty latent: Width");
                axis(dialog, "y").findChild<QLineEdit*>("numbers")->setText(y);
            }
            QVERIFY(!dialog.findChild<QPushButton*>("run")->isEnabled());
            const QString text = dialog.findChild<QLabel*>("count")->text();
            QVERIFY2(text.contains(expected), qPrintable(text));
            dialog.reject();
        });
        studio.action("run.sheet").trigger();
        QVERIFY(studio.work().queue.runs().empty());
    }

    /// Goal: the thread of the GUI is never busy for more than 50 ms; ten times that is refused.
    void aHundredCellsStartQuickly() {
        Varying studio;
        studio.work().queue.setPaused(true);
        QElapsedTimer clock;
        answer("sheet", [&](QDialog& dialog) {
            choose(axis(dialog, "y"), "Empty latent: Width");
            axis(dialog, "y").findChild<QLineEdit*>("numbers")->setText("64-640 [10]");
            axis(dialog, "x").findChild<QLineEdit*>("numbers")->setText("1-10");
            clock.start();
            dialog.findChild<QPushButton*>("run")->click();
        });
        studio.action("run.sheet").trigger();
        const qint64 started = clock.elapsed();
        qInfo("a sheet of 100 cells is queued in %lld ms", started);
        QCOMPARE(studio.work().queue.runs().size(), size_t{100});
        QVERIFY(started < 500);
    }

    void axesAreSwapped() {
        Varying studio;
        studio.work().queue.setPaused(true);
        studio.vary([&](QDialog& dialog) {
            choose(axis(dialog, "y"), "Empty latent: Width");
            axis(dialog, "y").findChild<QLineEdit*>("numbers")->setText("64, 128");
            axis(dialog, "x").findChild<QLineEdit*>("numbers")->setText("4, 8, 9");
            dialog.findChild<QPushButton*>("swap")->click();
        });
        QCOMPARE(studio.table().plan().x.title(), QString("Empty latent: Width"));
        QCOMPARE(studio.table().plan().columns(), size_t{2});
        QCOMPARE(studio.table().plan().rows(), size_t{3});
        QCOMPARE(studio.stepsQueued(), QString("4/7 4/7 8/7 8/7 9/7 9/7"));
    }

    void aCellThatFailsExplainsWhy_andRunsAgain() {
        Varying studio;
        studio.paint(4, 10);
        studio.paint(8, 20, "failed");
        studio.varySteps("4, 8");
        studio.waitForImage();
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.texts(), (QStringList{"", "4 GiB are too little"}), kPatience);
        const QString image = studio.table().sheet().image;
        const QByteArray before = [&] {
            QFile file(image);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        }();
        studio.paint(8, 30);
        auto* retry = studio.sheet().findChild<QToolButton*>("retry");
        QVERIFY(retry->isVisible());
        retry->click();
        QTRY_COMPARE_WITH_TIMEOUT(studio.texts(), (QStringList{"", ""}), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(
            [&] {
                QFile file(image);
                return file.open(QIODevice::ReadOnly) && file.readAll() != before;
            }(),
            kPatience);
        QCOMPARE(studio.table().sheet().image, image);
        QVERIFY(!retry->isVisible());
    }

    void aCellGivesItsGraphAndItsValues() {
        Varying studio;
        studio.paint(4, 10);
        studio.paint(8, 20);
        studio.varySteps("4, 8");
        studio.waitForImage();
        studio.model().apply("Prompt", [](graph::Document& document) {
            document.nodes.at("encode").params["prompt"] = "another";
        });
        auto* cells = studio.sheet().findChild<QTableView*>("cells");
        cells->setFocus();
        QCOMPARE(studio.sheet().currentCell(), 0);
        QTest::keyClick(cells, Qt::Key_U);
        QCOMPARE(studio.model().node("denoise")->params.at("steps"), Json(4));
        QCOMPARE(studio.model().node("encode")->params.at("prompt"), Json("another"));
        studio.model().undoStack().undo();
        QCOMPARE(studio.model().node("denoise")->params.at("steps"), Json(8));
        studio.model().setSaved();
        studio.action("view.sheet").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(cells->isVisible(), kPatience);
        QTest::keyClick(cells, Qt::Key_Right);
        QTest::keyClick(cells, Qt::Key_Left);
        QTest::keyClick(cells, Qt::Key_G);
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.model().node("denoise")->params.at("steps"), Json(4), kPatience);
        QCOMPARE(studio.model().node("encode")->params.at("prompt"), Json("a red cat"));
    }

    /// A studio that was killed leaves a cell that is done, one that was at work and one that
    /// waits.
    void whatWasLeftOpenCompletesTheSheet() {
        Varying studio;
        studio.paint(4, 10);
        studio.paint(8, 20);
        studio.paint(12, 30);
        const QString done = studio.folder.filePath("p.png");
        QImage(8, 8, QImage::Format_RGB888).save(done);
        RunKey key;
        {
            RunLibrary gone(studio.folder.filePath("runs"));
            const graph::Document document = studio.model().document();
            const SheetPlan plan{.x = {"denoise",
                                       "steps",
                                       "Denoise",
                                       "Steps",
                                       {{"4", "4"}, {"8", "8"}, {"12", "12"}}}};
            std::vector<RunKey> cells;
            for (const RunControl::Variant& each :
                 variantsOf(plan, document, studio.model().catalog())) {
                cells.push_back(gone.keyOf(cells.size() + 1));
                gone.add({{.key = cells.back(),
                           .title = each.title,
                           .graph = graph::toText(each.document),
                           .options = "{}"}});
            }
            key = gone.newSheetKey();
            gone.write([key, document, plan, cells](RunStore& store) {
                store.addSheet({.key = key,
                                .state = RunState::Finished,
                                .title = "left",
                                .graph = graph::toText(document),
                                .options = "{}"},
                               toText(plan),
                               cells);
                store.begin(cells[0], 1);
            });
            gone.addImages(cells[0], {done}, ImageClaim::Wrote);
            gone.end({{.key = cells[0], .state = RunState::Finished, .executed = 2}},
                     &studio.sheet(),
                     {});
            gone.write([cells, done](RunStore& store) {
                store.endCell(cells[0], {done});
                store.begin(cells[1], 1);
            });
        }
        answer("runsLeftOpen",
               [](QDialog& dialog) { dialog.findChild<QPushButton*>("runAgain")->click(); });
        studio.action("run.left_open").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(studio.work().queue.runs().size(), size_t{2}, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!studio.work().run.isBusy(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(QDir(studio.folder.path()).exists("sheet_sheet_00001.png") ||
                                     !QDir(studio.folder.path()).entryList({"*_sheet_*"}).isEmpty(),
                                 kPatience);
        studio.action("view.sheet").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(studio.sheet().sheet(), key, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(studio.texts(), (QStringList{"", "", ""}), kPatience);
    }

    /// All are of one graph and one folder, and are drawn at about the same time.
    void sheetsThatAreWrittenTogetherHaveFilesOfTheirOwn() {
        constexpr int kSheets = 6;
        Varying studio;
        {
            RunLibrary gone(studio.folder.filePath("runs"));
            QImage noise(512, 512, QImage::Format_RGB888);
            QRandomGenerator random(7);
            std::generate(noise.bits(), noise.bits() + noise.sizeInBytes(), [&] {
                return static_cast<uchar>(random.bounded(256));
            });
            const QString file = studio.folder.filePath("noise.png");
            QVERIFY(noise.save(file));
            const SheetPlan plan{
                .x = {"denoise", "steps", "Denoise", "Steps", {{"4", "4"}, {"8", "8"}}}};
            const std::string graph = graph::toText(studio.model().document());
            for (quint64 sheet = 0; sheet < kSheets; ++sheet) {
                std::vector<RunKey> cells;
                for (quint64 cell = 1; cell <= 2; ++cell) {
                    const RunKey key = gone.keyOf(2 * sheet + cell);
                    cells.push_back(key);
                    gone.add({{.key = key, .title = "cell", .graph = graph, .options = "{}"}});
                    gone.end({{.key = key, .state = RunState::Finished}}, &studio.sheet(), {});
                }
                gone.write([own = RunRecord{.key = gone.newSheetKey(),
                                            .state = RunState::Finished,
                                            .title = "left",
                                            .graph = graph,
                                            .options = "{}",
                                            .words = {.graph = "boat"}},
                            description = toText(plan),
                            cells,
                            file](RunStore& store) {
                    store.addSheet(own, description, cells);
                    for (const RunKey& cell : cells) {
                        store.endCell(cell, {file});
                    }
                });
            }
            gone.add({{.key = gone.keyOf(100), .title = "open", .graph = graph, .options = "{}"}});
        }
        answer("runsLeftOpen",
               [](QDialog& dialog) { dialog.findChild<QPushButton*>("forget")->click(); });
        studio.action("run.left_open").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(QDir(studio.folder.path()).entryList({"boat_sheet_*.png"}).size(),
                                  qsizetype{kSheets},
                                  kPatience);
    }

    /// What is left of a sheet that is given up is written too.
    void aCancelledSheetShowsWhatItHas() {
        Varying studio;
        studio.paint(4, 10);
        studio.paint(8, 20);
        connect(
            &studio.work().queue, &RunQueue::ended, &studio.sheet(), [&, isFirst = true]() mutable {
                if (std::exchange(isFirst, false)) {
                    studio.action("run.stop_after").trigger();
                }
            });
        studio.varySteps("4, 8, 12, 16");
        studio.waitForImage();
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.texts(), (QStringList{"", "cancelled", "cancelled", "cancelled"}), kPatience);
    }
};

LOWTIDE_WINDOW_TEST(WindowSheetTest)

}  // namespace window_sheet_test

#include "window_sheet_test.moc"
