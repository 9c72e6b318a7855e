// What files do to a window: those that are damaged, too large or gone, and disks that are full.
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/sleeping_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/image/png_bytes.hpp"
#include "tests/unit/studio/document/ended_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/document/groups.hpp"
#include "ui/panels/models_panel.hpp"
#include "ui/panels/presets_browser.hpp"
#include "ui/studio/missing_files.hpp"

#include <csignal>
#include <future>
#include <sys/resource.h>

namespace window_files_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kLongestPauseMilliseconds = 1000;

/// Files of this program end after so many bytes, as on a full disk.
class FullDisk {
public:
    explicit FullDisk(rlim_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit now = before_;
        now.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &now);
    }

    ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    rlimit before_{};
};

/// The longest time in which the window could not answer.
class Heartbeat : public QObject {
public:
    Heartbeat() {
        since_.start();
        startTimer(10, Qt::PreciseTimer);
    }

    [[nodiscard]] qint64 longest() { return std::max(longest_, since_.elapsed()); }

protected:
    void timerEvent(QTimerEvent*) override { longest_ = std::max(longest_, since_.restart()); }

private:
    QElapsedTimer since_;
    qint64 longest_ = 0;
};

/// As the desktop gives a window what is let go over it.
void drop(QWidget& window, const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(8, 8), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(QPointF(8, 8), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &event);
}

/// What the dialog reports that nobody expected.
QString dialogNow() {
    const auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    return box ? box->text() + box->informativeText() : QString("no dialog");
}

void changeSteps(GraphModel& model, int steps) {
    model.apply("Steps", [&](graph::Document& document) {
        document.nodes.at("denoise").params["steps"] = steps;
    });
}

/// Two nodes that name one lost file, one that names another.
void loseFiles(GraphModel& model, const QString& folder) {
    model.apply("Lose", [&](graph::Document& document) {
        graph::DocumentNode other = document.nodes.at("load");
        document.nodes.at("load").params["checkpoint"] =
            (folder + "/lost.safetensors").toStdString();
        other.params["checkpoint"] = (folder + "/lost.safetensors").toStdString();
        document.nodes["load_again"] = other;
        other.params["checkpoint"] = "styles/other.safetensors";
        document.nodes["load_other"] = other;
    });
    model.setSaved();
}

std::string checkpointOf(const GraphModel& model, const char* node) {
    return model.node(node)->params.at("checkpoint").get<std::string>();
}

/// What a click on the button of the issue does, with that file chosen in the dialog.
void locate(Working& studio, const QString& chosen) {
    Json issue = {{"severity", "error"},
                  {"code", "not_found"},
                  {"node", "load"},
                  {"item", "checkpoint"},
                  {"message", "there is no checkpoint"}};
    studio.plugin.script().setAnswers({{"issues", {issue}}}, Json::object());
    studio.work().planning.askNow();
    studio.action("view.issues").trigger();
    auto* list = studio.window->findChild<QListView*>("issues");
    QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, kPatience);
    QTest::mouseClick(list->viewport(),
                      Qt::LeftButton,
                      {},
                      list->visualRect(list->model()->index(0, 0)).center());
    studio.action("view.issues").trigger();
    auto* button = studio.window->findChild<QPushButton*>("fix_0");
    QVERIFY(button);
    QVERIFY2(button->text().startsWith("Locate lost.safetensors"), qPrintable(button->text()));
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(studio.window->findChild<QPushButton*>("locate_0"), kPatience);
    QTimer::singleShot(100, qApp, [chosen] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        QVERIFY(dialog);
        QVERIFY(dialog->windowTitle().contains("lost.safetensors"));
        if (chosen.isEmpty()) {
            QTest::keyClick(dialog, Qt::Key_Escape);
            return;
        }
        auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
        name->setText(chosen);
        QTest::keyClick(name, Qt::Key_Return);
    });
    QTest::mouseClick(studio.window->findChild<QPushButton*>("locate_0"), Qt::LeftButton);
}

}  // namespace

class WindowFilesTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { shared_ = std::make_unique<Working>(); }

    void cleanupTestCase() { shared_.reset(); }

    /// Where there is no folder of documents, its name is no file to open.
    void openBeginsWithoutAName() {
        Working studio;
        const QString home = studio.folder.filePath("home");
        QVERIFY(QDir().mkpath(home));
        const QByteArray before = qgetenv("HOME");
        qputenv("HOME", home.toUtf8());
        QString name = "no dialog";
        QString folder;
        QTimer::singleShot(100, qApp, [&] {
            if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
                name = dialog->findChild<QLineEdit*>("fileNameEdit")->text();
                folder = dialog->directory().absolutePath();
                dialog->reject();
            }
        });
        (void)studio.window->controller()->files().open();
        qputenv("HOME", before);
        QCOMPARE(name, QString());
        QCOMPARE(folder, home);
    }

    void aFullDiskIsReportedAndTakesNothing() {
        Working studio;
        const QString path = studio.folder.filePath("fox.json");
        QCOMPARE(test::saveAs(studio.work().file, path), QString());
        const QByteArray saved = contentsOf(path);
        changeSteps(studio.model(), 3);
        QString reported;
        {
            const FullDisk full(64);
            answer("error", [&reported](QDialog& dialog) {
                auto& box = *qobject_cast<QMessageBox*>(&dialog);
                reported = box.windowTitle() + " " + box.text() + " " + box.informativeText();
                test::keepScreenshot(dialog, "disk_full");
                dialog.accept();
            });
            QTest::keyClick(&*studio.window, Qt::Key_S, Qt::ControlModifier);
            QTRY_VERIFY_WITH_TIMEOUT(!reported.isEmpty(), kPatience);
        }
        QVERIFY2(reported.contains("fox.json") && reported.contains("Free some space"),
                 qPrintable(reported));
        QCOMPARE(contentsOf(path), saved);
        QVERIFY(studio.window->isWindowModified());
        studio.window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&*studio.window));
        QTest::keyClick(&*studio.window, Qt::Key_S, Qt::ControlModifier);
        QTRY_VERIFY2_WITH_TIMEOUT(
            !studio.window->isWindowModified(), qPrintable(dialogNow()), kPatience);
        QVERIFY(contentsOf(path) != saved);
    }

    void aJournalThatCannotBeWrittenIsReportedOnce() {
        Working studio;
        const FullDisk full(64);
        changeSteps(studio.model(), 3);
        auto& bar = studio.widgets().notices;
        QTRY_VERIFY_WITH_TIMEOUT(bar.text().contains("cannot be kept for recovery"), kPatience);
        QVERIFY(studio.window->isWindowModified());
    }

    void whatCannotBeKeptIsAskedForAtTheEnd() {
        Working studio;
        const FullDisk full(64);
        changeSteps(studio.model(), 3);
        answer("unsaved", [](QDialog& box) { QTest::keyClick(&box, Qt::Key_Escape); });
        QVERIFY(!studio.window->close());
        QVERIFY(studio.window->isWindowModified());
    }

    void aFileThatIsNoGraphLeavesEverythingAsItWas_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("words");
        QTest::newRow("50 MiB") << "huge.json" << QByteArray(50 << 20, '[')
                                << "at most 32.0 MiB are read";
        QTest::newRow("deep") << "deep.json" << QByteArray(1 << 20, '[') << "deep.json";
        QTest::newRow("cut off") << "cut.json" << QByteArray("{\"format\": 1, \"nodes\": {")
                                 << "cut.json";
        QTest::newRow("empty") << "empty.json" << QByteArray() << "empty.json";
        QTest::newRow("notes") << "notes.txt" << QByteArray("my notes") << "notes.txt";
        const QByteArray begin = kPngSignature + headerChunk({.width = 2, .height = 2});
        const QByteArray pixels = chunk("IDAT", deflated(QByteArray(6, '\0')));
        const QByteArray end = chunk("IEND", {});
        const auto image = [&](const char* name, const QByteArray& bytes) {
            QTest::newRow(name) << QString("%1.png").arg(name) << bytes << QString("%1").arg(name);
        };
        image("huge_sides",
              kPngSignature + headerChunk({.width = 1u << 30, .height = 1u << 30}) + pixels + end);
        image("chunk_of_4_gib", begin + bigEndian(0xFFFFFFFF) + "tEXt" + QByteArray(64, 'x'));
        image("wrong_checksum", begin + pixels.chopped(4) + "abcd" + end);
        image("no_pixels", begin + end);
        image("bomb_of_text",
              begin +
                  chunk("zTXt",
                        QByteArray("lowtide_graph\0\0", 15) +
                            deflated(QByteArray(100 << 20, '['), 9)) +
                  pixels + end);
        image("cut_off", begin + pixels.left(9));
        image("text_alone", QByteArray("<html>"));
    }

    void aFileThatIsNoGraphLeavesEverythingAsItWas() {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QString, words);
        Working& studio = *shared_;
        const QString path = studio.folder.filePath(name);
        testing::writeFile(path, bytes);
        changeSteps(studio.model(), 3);
        const std::string before = graph::toText(studio.model().document());
        QString reported;
        answer("error", [&reported](QDialog& dialog) {  // nothing else is asked
            auto& box = *qobject_cast<QMessageBox*>(&dialog);
            reported = box.windowTitle() + " " + box.text() + " " + box.informativeText();
            box.accept();
        });
        Heartbeat heart;

        drop(*studio.window, path);

        QTRY_VERIFY_WITH_TIMEOUT(!reported.isEmpty(), kPatience);
        QVERIFY2(reported.contains(words), qPrintable(reported));
        QVERIFY2(heart.longest() < kLongestPauseMilliseconds, "the window did not answer");
        QCOMPARE(graph::toText(studio.model().document()), before);
        QVERIFY(studio.window->isWindowModified());
    }

    /// A graph is dropped that lies on a disk that sleeps.
    void theWindowGoesOnWhileADiskSleeps() {
        Working studio;
        const QString path = studio.folder.filePath("fox.json");
        graph::Document theirs = studio.model().document();
        theirs.nodes.at("denoise").params["steps"] = 77;
        const test::SleepingFile file(path, QByteArray::fromStdString(graph::toText(theirs)));
        const auto steps = [&] { return studio.model().node("denoise")->params.at("steps"); };

        drop(*studio.window, path);

        QTest::qWait(100);
        QVERIFY2(file.isAsleep(), "the window waited for the disk");
        QVERIFY(steps() != Json(77));
        file.wake();
        QTRY_COMPARE_WITH_TIMEOUT(steps(), Json(77), kPatience);
        QCOMPARE(studio.work().file.path(), path);
    }

    void locatingAFileChangesEveryNodeThatNamesIt_inOneStep() {
        Working studio;
        loseFiles(studio.model(), studio.folder.filePath("gone"));
        const QString found = studio.folder.filePath("new/found.safetensors");
        testing::writeFile(found, "weights");
        const int steps = studio.model().undoStack().count();
        const std::string before = graph::toText(studio.model().document());

        locate(studio, found);

        QCOMPARE(checkpointOf(studio.model(), "load"), found.toStdString());
        QCOMPARE(checkpointOf(studio.model(), "load_again"), found.toStdString());
        QCOMPARE(checkpointOf(studio.model(), "load_other"),
                 std::string("styles/other.safetensors"));
        QCOMPARE(studio.model().undoStack().count(), steps + 1);
        studio.model().undoStack().undo();
        QCOMPARE(graph::toText(studio.model().document()), before);
    }

    void locatingOffersWhatElseIsMissingByName_data() {
        testing::addTable<bool>({"isWanted"}, {{"all", true}, {"only the chosen one", false}});
    }

    void locatingOffersWhatElseIsMissingByName() {
        QFETCH(bool, isWanted);
        Working studio;
        loseFiles(studio.model(), studio.folder.filePath("gone"));
        const QString found = studio.folder.filePath("new/lost.safetensors");
        const QString other = studio.folder.filePath("new/other.safetensors");
        testing::writeFile(found, "weights");
        testing::writeFile(other, "weights");
        const int steps = studio.model().undoStack().count();
        auto* watch = new QTimer(studio.window->controller());
        connect(watch, &QTimer::timeout, this, [watch, isWanted] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (box && box->objectName() == "locateOthers") {
                watch->stop();
                QCOMPARE(box->informativeText(), QString("other.safetensors"));
                QCOMPARE(test::textProblems(*box), QStringList());
                QTest::keyClick(box, isWanted ? Qt::Key_Return : Qt::Key_Escape);
            }
        });
        watch->start(30);

        locate(studio, found);

        QCOMPARE(checkpointOf(studio.model(), "load"), found.toStdString());
        QCOMPARE(checkpointOf(studio.model(), "load_other"),
                 isWanted ? other.toStdString() : std::string("styles/other.safetensors"));
        QCOMPARE(studio.model().undoStack().count(), steps + 1);
    }

    void locatingCanBeGivenUp() {
        Working studio;
        loseFiles(studio.model(), studio.folder.filePath("gone"));
        const std::string before = graph::toText(studio.model().document());

        locate(studio, {});

        QCOMPARE(graph::toText(studio.model().document()), before);
        QVERIFY(!studio.window->isWindowModified());
    }

    void theAskedGraphIsInFrontOfWhatWasOpen() {
        const QTemporaryDir folder;
        const QString asked = folder.filePath("fox.json");
        saveGraph(asked, defaultGraph(), folder.filePath("backups"));
        SmallPlugin plugin;
        std::promise<void> gate;
        Opened opened(
            [&plugin, opening = gate.get_future().share()]() -> Plugin& {
                opening.wait();
                return plugin;
            },
            false,
            asked);
        const QString journals = opened.folder.filePath("journal");
        QVERIFY(QDir().mkpath(journals));
        QCOMPARE(runAndEnd([&journals] {
                     Journal journal(journals, {});
                     graph::Document document = defaultGraph();
                     document.nodes.at("denoise").params["steps"] = 77;
                     QString reason;
                     static_cast<void>(journal.write(document, &reason));
                     endAtOnce();
                 }),
                 0);
        gate.set_value();
        QTRY_VERIFY_WITH_TIMEOUT(opened.window->controller(), kPatience);
        const DocumentFile& file = opened.work().file;
        QTRY_COMPARE_WITH_TIMEOUT(file.path(), asked, kPatience);
        const std::vector<DocumentId> open = file.documents();
        QCOMPARE(open.size(), size_t{2});
        const graph::Document& left = opened.work().model.document(open[0]);
        QCOMPARE(left.nodes.at("denoise").params.at("steps"), Json(77));
        opened.window.reset();
    }

    void damagedGroupsAreReported_howeverTheyAreOpened_data() {
        const Rows<std::function<void(Working&, const graph::Document&)>> row("open");
        const auto written = [](const Working& studio, const graph::Document& damaged) {
            const QString path = studio.folder.filePath("damaged.json");
            saveGraph(path, damaged, studio.folder.filePath("backups"));
            return path;
        };
        row("a file", [written](Working& studio, const graph::Document& damaged) {
            studio.window->controller()->files().openPath(written(studio, damaged));
        });
        row("dropped", [written](Working& studio, const graph::Document& damaged) {
            studio.window->controller()->dropped().takeAll({written(studio, damaged)}, nullptr);
        });
        row("a preset", [](Working& studio, const graph::Document& damaged) {
            PresetStore& presets = studio.work().presets;
            const QString id = presets.save({.title = "Ash"}, damaged, {}, {});
            studio.window->controller()->presets().open(id);
        });
        row("a run", [](Working& studio, const graph::Document& damaged) {
            studio.window->controller()->files().openRun(
                graph::toText(damaged), "run", Json::object(), {});
        });
        row("of a program that ended", [](Working& studio, const graph::Document& damaged) {
            const QString journals = studio.folder.filePath("journal");
            QCOMPARE(runAndEnd([&journals, &damaged] {
                         Journal journal(journals, {});
                         QString reason;
                         static_cast<void>(journal.write(damaged, &reason));
                         endAtOnce();
                     }),
                     0);
            studio.window->controller()->files().restore();
        });
    }

    void damagedGroupsAreReported_howeverTheyAreOpened() {
        using Open = std::function<void(Working&, const graph::Document&)>;
        QFETCH(Open, open);
        graph::Document damaged = defaultGraph();
        damaged.groups = Json::parse(R"([{"id": "a", "parent": "x"}])");
        setGroupName(damaged.nodes.at("encode"), "a");
        Working studio;
        const auto reports = [&studio] {
            return studio.widgets().notices.text().count("Groups in");
        };
        QCOMPARE(reports(), 0);

        open(studio, damaged);

        QTRY_COMPARE_WITH_TIMEOUT(reports(), 1, kPatience);
        const DocumentId opened = studio.model().shown();
        studio.action("file.new").trigger();
        QCOMPARE(reports(), 0);
        studio.work().file.show(opened);
        QCOMPARE(reports(), 1);
    }

    void theBrowserShowsThePresetThatWasOpened() {
        Working studio;
        PresetStore& presets = studio.work().presets;
        presets.save({.title = "Ash"}, defaultGraph(), {}, {});
        presets.save({.title = "Birch"}, defaultGraph(), {}, {});
        const QString id = presets.entries().back().id;
        auto* browser = studio.window->findChild<PresetsBrowser*>();
        browser->choose(presets.entries().front().id);
        QVERIFY(browser->chosen() != id);

        studio.window->controller()->presets().open(id);

        QCOMPARE(browser->chosen(), id);
    }

    void filesInTheFoldersOfTheSettingsAreThere_fromTheNextStart() {
        Working studio;
        testing::writeFile(studio.folder.filePath("models/dream.safetensors"), "weights");
        studio.settings.change([&](Preferences& preferences) {
            preferences.modelFolders = QStringList{studio.folder.filePath("models")};
        });
        const auto isThere = [&] { return studio.work().models.isThere("dream.safetensors", {}); };
        QVERIFY(!isThere());  // the module has not been notified
        studio.window.reset();
        studio.make([&]() -> Plugin& { return studio.plugin; });
        QTRY_VERIFY_WITH_TIMEOUT(studio.window->controller(), kPatience);
        QVERIFY(isThere());
    }

    void aFileThatANodeWritesIsNotMissed() {
        std::vector<NodeDesc> nodes = smallNodes();
        nodes.back().params.push_back({.id = "file",
                                       .label = "File",
                                       .kind = ParamKind::File,
                                       .defaultValue = std::string()});
        const graph::Catalog catalog(nodes);
        GraphModel model(catalog);
        graph::Document document;
        document.nodes["load"] = {.type = "load.image", .params = {{"image", "old.png"}}};
        document.nodes["save"] = {.type = "save.image", .params = {{"file", "new.png"}}};
        model.load(document);
        QCOMPARE(missingFiles(model, [](const std::string&) { return false; }),
                 std::vector<std::string>{"old.png"});
    }

    void aFileThatWasOpenedIsAmongTheRecent() {
        Working studio;
        const QString path = studio.folder.filePath("fox.json");
        testing::writeFile(path,
                           QByteArray::fromStdString(graph::toText(studio.model().document())));
        drop(*studio.window, path);
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.settings.preferences().recentFiles, QStringList{path}, kPatience);
    }

    void namesInMenusAreShownWhole() {
        Working studio;
        const QString path = studio.folder.filePath("salt & pepper.json");
        testing::writeFile(path,
                           QByteArray::fromStdString(graph::toText(studio.model().document())));
        drop(*studio.window, path);
        const auto recent = [&] {
            for (const QAction* action : studio.window->findChildren<QAction*>()) {
                if (action->statusTip() == path) {
                    return action->text();
                }
            }
            return QString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(recent(), QString("salt && pepper.json"), kPatience);
        studio.model().apply("Use a & b", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
        QCOMPARE(studio.action("edit.undo").text(), QString("&Undo: Use a && b"));
    }

    void aFileThatAnotherProgramWroteIsNotSavedOverUnasked() {
        Working studio;
        const QString path = studio.folder.filePath("fox.json");
        QCOMPARE(test::saveAs(studio.work().file, path), QString());
        graph::Document theirs = studio.model().document();
        theirs.nodes.at("denoise").params["steps"] = 77;
        const QByteArray text = QByteArray::fromStdString(graph::toText(theirs));
        testing::writeFile(path, text);
        answer("changedOnDisk", [](QDialog& box) { box.reject(); });
        QVERIFY(!test::save(studio.window->controller()->files()));
        QCOMPARE(contentsOf(path), text);
        answer("changedOnDisk", [](QDialog& box) { box.findChild<QPushButton*>("over")->click(); });
        QVERIFY(test::save(studio.window->controller()->files()));
        QVERIFY(contentsOf(path) != text);
        QVERIFY(test::save(studio.window->controller()->files()));
    }

    void theSelectedNodeTakesTheModel() {
        Working studio;
        loseFiles(studio.model(), studio.folder.filePath("gone"));
        const std::string before = checkpointOf(studio.model(), "load");
        studio.widgets().canvas.select({"load_again"});
        Q_EMIT studio.window->findChild<ModelsPanel*>()->useAsked(ModelKind::Checkpoint,
                                                                  "dream.safetensors");
        QCOMPARE(checkpointOf(studio.model(), "load_again"), std::string("dream.safetensors"));
        QCOMPARE(checkpointOf(studio.model(), "load"), before);
    }

    void aDenoiserReplacesItsOwn() {
        Working studio;
        const std::string before = checkpointOf(studio.model(), "load");
        Q_EMIT studio.window->findChild<ModelsPanel*>()->useAsked(ModelKind::Denoiser,
                                                                  "xl_q8_0.gguf");
        QCOMPARE(studio.model().node("load")->params.at("unet"), Json("xl_q8_0.gguf"));
        QCOMPARE(checkpointOf(studio.model(), "load"), before);
    }

    void anEmbeddingIsNamedInThePrompt_andANoticeTakesItBack() {
        Working studio;
        const graph::Document before = studio.model().document();
        Q_EMIT studio.window->findChild<ModelsPanel*>()->useAsked(ModelKind::Embedding,
                                                                  "sub/easynegative.pt");
        const std::string prompt =
            studio.model().node("encode")->params.at("prompt").get<std::string>();
        QVERIFY2(prompt.ends_with(", embedding:easynegative"), prompt.c_str());
        QVERIFY(studio.widgets().notices.text().contains("embedding:easynegative"));

        studio.window->findChild<QPushButton*>("noticeButton")->click();

        QCOMPARE(graph::toText(studio.model().document()), graph::toText(before));
        QCOMPARE(studio.widgets().notices.text(), QString());
    }

private:
    std::unique_ptr<Working> shared_;  ///< for rows that leave it as it was
};

LOWTIDE_WINDOW_TEST(WindowFilesTest)

}  // namespace window_files_test

#include "window_files_test.moc"
