// What a window still has of runs that are over, and what they leave alone.
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/document/edits.hpp"
#include "ui/panels/queue_panel.hpp"

namespace kept_runs_test {

using namespace lowtide;
using namespace lowtide::ui;

class KeptRunsTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void theGraphOfARunIsAskedForWhereNoImageHoldsIt_data() {
        testing::addTable<QString, bool, bool>({"status", "isWritten", "isModified"},
                                               {{"failed", "failed", false, true},
                                                {"cancelled", "cancelled", false, true},
                                                {"its image was removed", "ok", false, true},
                                                {"its image is there", "ok", true, false}});
    }

    void theGraphOfARunIsAskedForWhereNoImageHoldsIt() {
        QFETCH(QString, status);
        QFETCH(bool, isWritten);
        QFETCH(bool, isModified);
        Working studio;
        Workspace& work = studio.work();
        QCOMPARE(test::saveAs(work.file, studio.folder.filePath("p.json")), QString());
        const QString image = studio.folder.filePath("p.png");
        if (isWritten) {
            QVERIFY(QFile(image).open(QIODevice::WriteOnly));
        }
        const std::string graph = graph::toText(studio.model().document());
        studio.plugin.script().setScript(graph, [&](ScriptedRunner::Stage& stage) {
            stage.send(
                {{"event", "nodeFinished"}, {"node", "save"}, {"files", {image.toStdString()}}});
            return Json{{"status", status.toStdString()}, {"executed", 1}};
        });
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!work.run.isBusy(), kPatience);
        studio.action("file.new").trigger();
        QCOMPARE(work.file.folder(), QString());

        Q_EMIT studio.window->findChild<QueuePanel*>()->graphRequested(work.queue.runs().back().id);

        QTRY_COMPARE_WITH_TIMEOUT(graph::toText(studio.model().document()), graph, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(work.file.folder(), studio.folder.path(), kPatience);
        QCOMPARE(studio.model().isModified(), isModified);
        QCOMPARE(work.planning.options().at("graphFolder"),
                 Json(studio.folder.path().toStdString()));
        if (isModified) {
            answer("unsaved", [](QDialog& box) {
                qobject_cast<QMessageBox*>(&box)->button(QMessageBox::Cancel)->click();
            });
            studio.action("file.close").trigger();
            QVERIFY(studio.model().isModified());
        }
    }

    void runsLeaveUndoAndRedoAlone() {
        Working studio;
        studio.model().apply("Mode", [](graph::Document& document) {
            setSeedMode(document.nodes.at("denoise"), "seed", SeedMode::Random);
        });
        studio.model().apply("Prompt", [](graph::Document& document) {
            document.nodes.at("encode").params["prompt"] = "b";
        });
        const Json written = studio.model().node("encode")->params;
        studio.model().undoStack().undo();
        studio.model().setSaved();
        uint64_t seed = 100;
        studio.work().run.setRandom([&] { return ++seed; });
        for (size_t run = 1; run <= 50; ++run) {
            studio.action("run.start").trigger();
        }
        QVERIFY(!studio.model().isModified());
        QCOMPARE(studio.model().node("denoise")->params.at("seed"), Json(150));
        QVERIFY(studio.model().undoStack().canRedo());
        studio.model().undoStack().redo();
        QCOMPARE(studio.model().node("encode")->params, written);
        QCOMPARE(studio.model().node("denoise")->params.at("seed"), Json(150));
    }

    void theGraphOfAnImageHasTheFilesOfItsRun() {
        Working studio;
        Workspace& work = studio.work();
        const QString image = studio.folder.filePath("p.png");
        QVERIFY(QFile(image).open(QIODevice::WriteOnly));
        studio.model().apply("Input", [](graph::Document& document) {
            document.nodes["picture"] = {.type = "load.image",
                                         .params = {{"image", "/far/away/in.png"}}};
        });
        QCOMPARE(test::saveAs(work.file, studio.folder.filePath("p.json")), QString());
        const std::string graph = graph::toText(studio.model().document());
        studio.plugin.script().setScript(graph, [&](ScriptedRunner::Stage& stage) {
            stage.send(
                {{"event", "nodeFinished"}, {"node", "save"}, {"files", {image.toStdString()}}});
            return Json{{"status", "ok"}, {"executed", 1}};
        });
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!work.run.isBusy(), kPatience);
        studio.action("file.new").trigger();
        Q_EMIT studio.widgets().viewer.openGraphAsked(image);
        QTRY_COMPARE_WITH_TIMEOUT(work.file.folder(), studio.folder.path(), kPatience);
        QCOMPARE(graph::toText(studio.model().document()), graph);
        QVERIFY(!studio.model().isModified());
    }

    void everyImageOfABatchIsInTheViewer() {
        Working studio;
        Workspace& work = studio.work();
        Json files = Json::array();
        for (const char* name : {"a.png", "b.png", "c.png"}) {
            files.push_back(studio.folder.filePath(name).toStdString());
        }
        studio.plugin.script().setScript(
            graph::toText(studio.model().document()), [&](ScriptedRunner::Stage& stage) {
                stage.send({{"event", "nodeFinished"}, {"node", "save"}, {"files", files}});
                return Json{{"status", "ok"}, {"executed", 1}};
            });
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!work.run.isBusy(), kPatience);
        auto* list = studio.widgets().viewer.findChild<QComboBox*>("pictures");
        Q_EMIT studio.window->findChild<QueuePanel*>()->imageRequested(work.queue.runs().back().id);
        QCOMPARE(list->count(), 3);
        QCOMPARE(list->currentIndex(), 2);
        studio.widgets().viewer.showFile("x.png");
        QCOMPARE(list->count(), 0);
        Q_EMIT studio.widgets().canvas.imageActivated("save");
        QCOMPARE(list->count(), 3);
        studio.widgets().viewer.showFile("x.png");
        QTest::mouseClick(studio.widgets().notices.findChild<QPushButton*>("noticeButton"),
                          Qt::LeftButton);
        QCOMPARE(list->count(), 3);
    }

    void anImageWithoutAFileIsShownAsLargeAsItWasMade() {
        constexpr int kSide = 640;
        Working studio;
        Workspace& work = studio.work();
        studio.plugin.script().setScript(
            graph::toText(studio.model().document()), [&](ScriptedRunner::Stage& stage) {
                const auto bytes = size_t{3} * kSide * kSide;
                stage.send({{"event", "nodePreview"}, {"node", "save"}, {"live", false}});
                stage.show("save",
                           {.widthPixels = kSide,
                            .heightPixels = kSide,
                            .channels = 3,
                            .pixels = std::make_shared<uint8_t[]>(bytes)});
                return Json{{"status", "ok"}, {"executed", 1}};
            });
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!work.run.isBusy(), kPatience);
        auto* copy = studio.widgets().viewer.findChild<QToolButton*>("copy");
        const auto copied = [&] {
            copy->click();
            return QGuiApplication::clipboard()->image().size();
        };
        Q_EMIT studio.window->findChild<QueuePanel*>()->imageRequested(work.queue.runs().back().id);
        QCOMPARE(copied(), QSize(kSide, kSide));
        studio.widgets().viewer.showImage(QImage(4, 4, QImage::Format_RGB32), "other");
        Q_EMIT studio.widgets().canvas.imageActivated("save");
        QCOMPARE(copied(), QSize(kSide, kSide));
        QCOMPARE(work.statuses.of("save").nodeImage.size(), QSize(512, 512));
    }
};

LOWTIDE_WINDOW_TEST(KeptRunsTest)

}  // namespace kept_runs_test

#include "kept_runs_test.moc"
