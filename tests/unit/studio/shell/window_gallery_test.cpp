// What a user does in the window with images and runs of earlier times.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/document/edits.hpp"
#include "ui/panels/filmstrip.hpp"
#include "ui/panels/gallery.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/studio/gallery_controller.hpp"
#include "ui/studio/used_values.hpp"

namespace window_gallery_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// Each run of the studio's graph writes an image of its own.
struct Painting : Working {
    QString paint(const QString& name) {
        const QString path = folder.filePath(name);
        QImage image(64, 64, QImage::Format_RGB888);
        image.fill(Qt::red);
        image.save(path);
        plugin.script().setScript(
            graph::toText(model().document()), [path](ScriptedRunner::Stage& stage) {
                stage.send(
                    {{"event", "nodeFinished"}, {"node", "save"}, {"files", {path.toStdString()}}});
                return Json{{"status", "ok"}, {"executed", 1}};
            });
        action("run.start").trigger();
        [&] { QTRY_VERIFY_WITH_TIMEOUT(!work().run.isBusy(), kPatience); }();
        return path;
    }

    [[nodiscard]] Gallery& gallery() { return *widgets().gallery; }

    void choose(const QString& path) {
        action("view.gallery").trigger();
        [&] { QTRY_VERIFY_WITH_TIMEOUT(gallery().files().contains(path), kPatience); }();
        gallery().select(path);
    }

    void press(const char* name) { gallery().findChild<QAction*>(name)->trigger(); }

    [[nodiscard]] int tab() const {
        return window->findChild<QTabWidget*>("centre")->currentIndex();
    }
};

void edit(GraphModel& model, int seed, const char* prompt) {
    model.apply("Edit", [&](graph::Document& document) {
        document.nodes.at("denoise").params["seed"] = seed;
        document.nodes.at("encode").params["prompt"] = prompt;
    });
}

}  // namespace

class WindowGalleryTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void theGraphOfAnImageIsOpened() {
        Painting studio;
        edit(studio.model(), 7, "a boat");
        const std::string then = graph::toText(studio.model().document());
        const QString path = studio.paint("a.png");
        edit(studio.model(), 8, "a tower");
        studio.model().setSaved();
        studio.choose(path);
        studio.press("useGraph");
        QTRY_COMPARE_WITH_TIMEOUT(graph::toText(studio.model().document()), then, kPatience);
        QCOMPARE(studio.tab(), 0);
        QVERIFY(!studio.model().isModified());
    }

    /// A key that the window has too does nothing: Qt finds it ambiguous.
    void itsKeysAreItsOwn() {
        Painting studio;
        auto* list = studio.gallery().findChild<QListView*>("pictures");
        QVERIFY(!list->actions().isEmpty());
        for (const QAction* own : list->actions()) {
            for (const ActionDesc& desc : actionTable()) {
                const QAction& other = studio.action(desc.id);
                const bool isEverywhere = other.shortcutContext() == Qt::WindowShortcut;
                for (const QKeySequence& key : own->shortcuts()) {
                    QVERIFY2(!isEverywhere || !other.shortcuts().contains(key), desc.id);
                }
            }
        }
    }

    /// From the facts in the viewer, as one step; what is not taken is named.
    void valuesOfAnImageAreTaken() {
        Painting studio;
        graph::Document made = studio.model().document();
        made.nodes.at("denoise").params = {{"seed", 7}, {"steps", 12}};
        made.nodes.at("encode").params["prompt"] = "a boat";
        made.nodes.at("load").params["checkpoint"] = "dream.safetensors";
        const int steps = studio.model().undoStack().count();
        useImageValues(studio.widgets(),
                       {.graph = graph::toText(made), .file = "a.png", .name = "a.png"},
                       ImageUse::All);
        QCOMPARE(studio.model().node("denoise")->params.at("steps"), Json(12));
        QCOMPARE(studio.model().node("encode")->params.at("prompt"), Json("a boat"));
        const QString notice = studio.widgets().notices.text();
        QVERIFY2(notice.contains("Not taken: Checkpoint."), qPrintable(notice));
        QCOMPARE(studio.model().undoStack().count(), steps + 1);
        useImageValues(
            studio.widgets(), {.graph = "no graph", .file = {}, .name = "b.png"}, ImageUse::Seed);
        QVERIFY2(studio.widgets().notices.text().contains("b.png"),
                 qPrintable(studio.widgets().notices.text()));
        QCOMPARE(studio.model().undoStack().count(), steps + 1);
    }

    /// One step that can be undone; the seed is kept from then on.
    void theSeedOfAnImageIsTaken() {
        Painting studio;
        edit(studio.model(), 7, "a boat");
        const QString path = studio.paint("a.png");
        edit(studio.model(), 8, "a tower");
        studio.model().apply("Mode", [](graph::Document& document) {
            setSeedMode(document.nodes.at("denoise"), "seed", SeedMode::Random);
        });
        studio.choose(path);
        studio.press("useSeed");
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.model().node("denoise")->params.at("seed"), Json(7), kPatience);
        QCOMPARE(studio.model().node("encode")->params.at("prompt"), Json("a tower"));
        QCOMPARE(seedModeOf(*studio.model().node("denoise"), "seed"), SeedMode::Keep);
        studio.model().undoStack().undo();
        QCOMPARE(studio.model().node("denoise")->params.at("seed"), Json(8));
    }

    void whatDiffersIsListed() {
        Painting studio;
        edit(studio.model(), 7, "a boat");
        const QString path = studio.paint("a.png");
        edit(studio.model(), 8, "a tower");
        studio.choose(path);
        QStringList rows;
        answer("differences", [&](QDialog& dialog) {
            auto* list = dialog.findChild<QTreeWidget*>("list");
            for (int i = 0; i < list->topLevelItemCount(); ++i) {
                const QTreeWidgetItem* row = list->topLevelItem(i);
                rows << row->text(0) + ": " + row->text(1) + " | " + row->text(2);
            }
            dialog.reject();
        });
        studio.press("differences");
        QTRY_VERIFY_WITH_TIMEOUT(!rows.isEmpty(), kPatience);
        QCOMPARE(rows,
                 (QStringList{"Denoise, Seed: 7 | 8", "Encode prompt, Prompt: a boat | a tower"}));
    }

    void imagesAreViewedAndCompared() {
        Painting studio;
        const QString first = studio.paint("a.png");
        edit(studio.model(), 8, "a tower");
        const QString second = studio.paint("b.png");
        studio.choose(second);
        QSignalSpy shown(&studio.widgets().viewer, &Viewer::shown);
        studio.press("view");
        QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty(), kPatience);
        QCOMPARE(studio.tab(), 1);
        studio.choose(second);
        auto* list = studio.gallery().findChild<QListView*>("pictures");
        list->selectAll();
        studio.press("compare");
        QTRY_VERIFY_WITH_TIMEOUT(studio.widgets().viewer.view().isComparing(), kPatience);
    }

    void theFilmstripLeadsTheViewer() {
        Painting studio;
        const QString first = studio.paint("a.png");
        edit(studio.model(), 8, "a tower");
        const QString second = studio.paint("b.png");
        Viewer& viewer = studio.widgets().viewer;
        auto* strip = studio.window->findChild<Filmstrip*>();
        studio.action("view.viewer").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(strip->model()->rowCount(), 2, kPatience);
        viewer.showFile(second);
        QTRY_COMPARE_WITH_TIMEOUT(strip->currentIndex().row(), 0, kPatience);
        QTest::keyClick(strip, Qt::Key_Right);
        QTRY_COMPARE_WITH_TIMEOUT(viewer.path(), first, kPatience);
        viewer.view().setFocus();
        QTest::keyClick(&viewer.view(), Qt::Key_PageUp);
        QTRY_COMPARE_WITH_TIMEOUT(viewer.path(), second, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(strip->currentIndex().row(), 0, kPatience);
        test::keepScreenshot(*studio.window, "filmstrip");
        studio.action("view.filmstrip").trigger();
        QVERIFY(!strip->isVisible());
        QVERIFY(!studio.settings.preferences().showsFilmstrip);
    }

    /// The studio ends while runs wait; the next one asks.
    void whatWaitedCanRunAgain_data() {
        testing::addTable<QString, int, bool>({"button", "again", "isAskedOnceMore"},
                                              {{"run", "runAgain", 2, false},
                                               {"forget", "forget", 0, false},
                                               {"later", "", 0, true}});
    }

    void whatWaitedCanRunAgain() {
        QFETCH(QString, button);
        QFETCH(int, again);
        QFETCH(bool, isAskedOnceMore);
        Painting studio;
        RunLibrary& before = *studio.work().library;
        RunLibrary other(studio.folder.filePath("runs"));
        const RunKey key = other.keyOf(1);
        {
            RunLibrary gone(studio.folder.filePath("runs"));
            for (quint64 run : {1, 2}) {
                gone.add({{.key = gone.keyOf(run),
                           .title = QString("left %1").arg(run),
                           .graph = graph::toText(studio.model().document()),
                           .options = "{}"}});
            }
        }
        const size_t runs = studio.work().queue.runs().size();
        answer("runsLeftOpen", [&](QDialog& dialog) {
            button.isEmpty() ? dialog.reject() : dialog.findChild<QPushButton*>(button)->click();
        });
        studio.window->controller()->offerLeftOpen();
        const NoticeBar& notices = studio.widgets().notices;
        QTRY_VERIFY_WITH_TIMEOUT(notices.text().contains("2 runs"), kPatience);
        notices.findChild<QPushButton*>()->click();
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.work().queue.runs().size(), runs + static_cast<size_t>(again), kPatience);
        std::optional<size_t> open;
        QTest::qWait(200);
        before.askLeftOpen(&studio.gallery(),
                           [&](const std::vector<RunRecord>& left) { open = left.size(); });
        QTRY_VERIFY_WITH_TIMEOUT(open, kPatience);
        QCOMPARE(*open, isAskedOnceMore ? size_t{2} : size_t{0});
    }
};

LOWTIDE_WINDOW_TEST(WindowGalleryTest)

}  // namespace window_gallery_test

#include "window_gallery_test.moc"
