// Masks next to a graph that nothing uses any more, and everything that may still use one.
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/painting/some_mask.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/history/run_store.hpp"
#include "ui/painting/kept_image.hpp"

namespace window_unused_masks_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

/// A graph that is saved as g.json, with two masks next to it and a wastebasket of its own.
struct Masks : Working {
    Masks() {
        qputenv("XDG_DATA_HOME", folder.filePath("data").toUtf8());
        [&] { QCOMPARE(test::saveAs(work().file, folder.filePath("g.json")), QString()); }();
        used = keepMask(1);
        unused = keepMask(2);
    }

    ~Masks() { qunsetenv("XDG_DATA_HOME"); }

    Masks(const Masks&) = delete;
    Masks& operator=(const Masks&) = delete;

    [[nodiscard]] QString keepMask(quint32 seed) const {
        return keepImage(folder.filePath("g.files"), "mask", someMask(20, 20, seed)).path;
    }

    [[nodiscard]] graph::Document without() { return model().document(); }

    /// The open graph with the mask, as it names it.
    [[nodiscard]] graph::Document withMask() {
        graph::Document document = model().document();
        document.nodes["mask"] = {
            .type = "load.image",
            .params = {{"image", QDir(folder.path()).relativeFilePath(used).toStdString()}}};
        return document;
    }

    [[nodiscard]] QByteArray textWithMask() {
        return QByteArray::fromStdString(graph::toText(withMask()));
    }

    void become(const graph::Document& document) {
        model().apply("Step", [&](graph::Document& now) { now = document; });
    }

    [[nodiscard]] QString runsFile() const { return folder.filePath("runs/runs.sqlite"); }

    /// As a studio did that ran before.
    void keepRun(const std::string& graph) const {
        RunStore(runsFile())
            .add({{.key = "earlier:1", .title = "t", .graph = graph, .options = "{}"}});
    }

    void put(const QString& name, const QByteArray& bytes) const {
        writeFile(folder.filePath(name), bytes);
    }

    void ask() { action("file.remove_masks").trigger(); }

    /// What the dialog offers, which is answered with a button.
    [[nodiscard]] QStringList offered(const char* button) {
        std::optional<QStringList> names;
        answer("unused", [&](QDialog& dialog) {
            names.emplace();
            auto* list = dialog.findChild<QTreeWidget*>("list");
            for (int row = 0; row < list->topLevelItemCount(); ++row) {
                *names << list->topLevelItem(row)->text(0);
            }
            for (auto* each : dialog.findChildren<QPushButton*>()) {
                if (each->objectName() == button) {
                    each->click();
                    return;
                }
            }
            dialog.reject();
        });
        ask();
        [&] { QTRY_VERIFY_WITH_TIMEOUT(names, kPatience); }();
        return names.value_or(QStringList());
    }

    /// Nothing is offered, and this is why.
    void askInVain(const QString& why) {
        bool isOffered = false;
        QTimer look;
        QObject::connect(&look, &QTimer::timeout, &look, [&] {
            if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) {
                isOffered = true;
                dialog->reject();
            }
        });
        look.start(20);
        ask();
        QTRY_VERIFY_WITH_TIMEOUT(isOffered || notice().contains(why), kPatience);
        QVERIFY(!isOffered);
        QVERIFY(notice().contains("Nothing is removed"));
    }

    [[nodiscard]] QString notice() { return widgets().notices.text(); }

    QString used;
    QString unused;
};

using Use = std::function<void(Masks&)>;

const std::vector<std::pair<const char*, Use>>& uses() {
    static const std::vector<std::pair<const char*, Use>> all = {
        {"the open graph", [](Masks& studio) { studio.model().load(studio.withMask()); }},
        {"a step that can be undone",
         [](Masks& studio) {
             const graph::Document without = studio.without();
             studio.model().load(studio.withMask());
             studio.become(without);
         }},
        {"a step that can be done again",
         [](Masks& studio) {
             studio.become(studio.withMask());
             studio.model().undoStack().undo();
         }},
        {"the saved file alone",
         [](Masks& studio) { studio.put("g.json", studio.textWithMask()); }},
        {"another graph of the folder",
         [](Masks& studio) { studio.put("other.json", studio.textWithMask()); }},
        {"a backup",
         [](Masks& studio) {
             const graph::Document without = studio.without();
             studio.model().load(studio.withMask());
             QCOMPARE(test::save(studio.work().file), QString());
             studio.model().load(without);
             QCOMPARE(test::save(studio.work().file), QString());
         }},
        {"what another studio has not saved",
         [](Masks& studio) { studio.put("journal/x.journal", studio.textWithMask()); }},
        {"a preset", [](Masks& studio) { studio.put("presets/p.json", studio.textWithMask()); }},
        {"a kept run", [](Masks& studio) { studio.keepRun(graph::toText(studio.withMask())); }},
        {"a run that waits",
         [](Masks& studio) {
             RunQueue& queue = studio.work().queue;
             queue.setPaused(true);
             const quint64 id = queue.add("t", graph::toText(studio.withMask()), Json::object());
             const RunKey key = studio.work().library->keyOf(id);
             RunStore store(studio.runsFile());
             QTRY_VERIFY_WITH_TIMEOUT(store.run(key), kPatience);
             store.forget({key});
         }},
        {"the viewer",
         [](Masks& studio) {
             Viewer& viewer = studio.widgets().viewer;
             QSignalSpy shown(&viewer, &Viewer::shown);
             viewer.showFile(studio.used);
             QVERIFY(shown.wait(kPatience));
         }},
    };
    return all;
}

}  // namespace

class WindowUnusedMasksTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void whatIsUsedIsNotOffered_data() {
        QTest::addColumn<int>("index");
        for (size_t i = 0; i < uses().size(); ++i) {
            QTest::newRow(uses()[i].first) << static_cast<int>(i);
        }
    }

    void whatIsUsedIsNotOffered() {
        QFETCH(int, index);
        Masks studio;
        uses()[static_cast<size_t>(index)].second(studio);
        QCOMPARE(studio.offered("move"), QStringList{QFileInfo(studio.unused).fileName()});
        QTRY_VERIFY_WITH_TIMEOUT(studio.notice().contains("1 file is in the wastebasket"),
                                 kPatience);
        QVERIFY(QFile::exists(studio.used));
        QVERIFY(!QFile::exists(studio.unused));
        QVERIFY(QFile::exists(
            studio.folder.filePath("data/Trash/files/" + QFileInfo(studio.unused).fileName())));
        studio.ask();
        QTRY_VERIFY_WITH_TIMEOUT(studio.notice().contains("nothing to remove"), kPatience);
    }

    void nothingGoesUnlessAsked_andForeignFilesAreLeftAlone() {
        Masks studio;
        studio.put("g.files/photo.png", "mine");
        studio.put("g.files/mask-0123456789abcdef.png", "mine too");
        studio.put("other.files/" + QFileInfo(studio.unused).fileName(), "of another graph");
        QStringList both = {QFileInfo(studio.used).fileName(), QFileInfo(studio.unused).fileName()};
        both.sort();
        QCOMPARE(studio.offered("none"), both);
        QVERIFY(QFile::exists(studio.used) && QFile::exists(studio.unused));
    }

    void whatIsWiredWhileTheDialogIsOpenRemains() {
        Masks studio;
        answer("unused", [&](QDialog& dialog) {
            studio.become(studio.withMask());
            dialog.accept();
        });
        studio.ask();
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(studio.unused), kPatience);
        QVERIFY(QFile::exists(studio.used));
    }

    void anUnreadableHistoryOffersNothing() {
        Masks studio;
        studio.keepRun({});  // as a run is kept whose graph was lost with a damaged file
        studio.askInVain("earlier runs are lost");
        QVERIFY(QFile::exists(studio.unused));
    }

    void aFileThatCannotBeReadOffersNothing() {
        Masks studio;
        QVERIFY(QFile::remove(studio.folder.filePath("g.json")));
        QVERIFY(QDir().mkpath(studio.folder.filePath("g.json")));
        studio.askInVain("g.json");
        QVERIFY(QFile::exists(studio.unused));
    }

    void aGraphWithoutAFileHasNone() {
        Working studio;
        studio.action("file.remove_masks").trigger();
        QVERIFY(studio.widgets().notices.text().contains("Save the graph first"));
    }
};

LOWTIDE_WINDOW_TEST(WindowUnusedMasksTest)

}  // namespace window_unused_masks_test

#include "window_unused_masks_test.moc"
