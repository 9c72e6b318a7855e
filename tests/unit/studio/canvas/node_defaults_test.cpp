#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/canvas/canvas_bench.hpp"

#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QTemporaryDir>

namespace lowtide::test::node_defaults_test {

/// Values with which new nodes begin, chosen in the menu of a row.
class NodeDefaultsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void newNodesBeginWithTheValueThatWasChosen();
    void graphsThatExistRemainAsTheyAre();
    void theDescriptionsComesBack();
    void whatTheDescriptionRefusesIsLeftOut();
    void offersOnlyWhatChangesSomething();

private:
    void choose(const std::string& node, const std::string& param, const QString& entry);
    std::string addByKeys(const QString& pattern);

    [[nodiscard]] Json valueOf(const std::string& node, const char* param) const {
        return bench_->model.node(node)->params.value(param, Json());
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<ui::Settings> settings_;
    std::unique_ptr<ui::NodeDefaults> defaults_;
    std::unique_ptr<CanvasBench> bench_;
    std::string denoise_;
};

void NodeDefaultsTest::init() {
    failOnQtWarnings();
    bench_ = nullptr;
    defaults_ = nullptr;
    settings_ = nullptr;  // it writes into the folder until then
    folder_ = std::make_unique<QTemporaryDir>();
    settings_ = std::make_unique<ui::Settings>(folder_->filePath("settings.json"));
    defaults_ = std::make_unique<ui::NodeDefaults>(*settings_);
    bench_ = std::make_unique<CanvasBench>();
    denoise_ = bench_->add("denoise.sample", 200, 100);
    bench_->show();
    bench_->view->setDefaults(defaults_.get());
    bench_->model.apply("Steps", [this](graph::Document& document) {
        document.nodes.at(denoise_).params["steps"] = 42;
    });
}

void NodeDefaultsTest::choose(const std::string& node,
                              const std::string& param,
                              const QString& entry) {
    QWidget* viewport = bench_->view->viewport();
    const QPoint at = bench_->value(node, param);
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, viewport->mapToGlobal(at));
    QApplication::sendEvent(viewport, &event);
    auto* menu = bench_->view->findChild<QMenu*>("canvasMenu");
    QVERIFY(menu);
    for (QAction* action : menu->actions()) {
        if (action->text() == entry) {
            QVERIFY(action->isEnabled());
            QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
            QTest::qWait(10);  // the menu goes
            return;
        }
    }
    QFAIL(qPrintable("no entry " + entry));
}

std::string NodeDefaultsTest::addByKeys(const QString& pattern) {
    bench_->view->setFocus();
    QTest::keyClick(bench_->view.get(), Qt::Key_Tab);
    auto* search = bench_->view->findChild<QLineEdit*>("nodeSearchPattern");
    QTest::keyClicks(search, pattern);
    QTest::keyClick(search, Qt::Key_Return);
    return *bench_->view->selectedNodes().begin();
}

void NodeDefaultsTest::newNodesBeginWithTheValueThatWasChosen() {
    choose(denoise_, "steps", "Use for new nodes");
    const std::string added = addByKeys("denoise");
    QVERIFY(added != denoise_);
    QCOMPARE(valueOf(added, "steps"), Json(42));
    QCOMPARE(bench_->model.undoStack().undoText(), QString("Add Denoise"));
    settings_->finish();
    const ui::Settings again(folder_->filePath("settings.json"));
    QCOMPARE(again.preferences().nodeDefaults, Json({{"denoise.sample", {{"steps", 42}}}}));
}

void NodeDefaultsTest::graphsThatExistRemainAsTheyAre() {
    const std::string before = bench_->add("denoise.sample", 600, 100);
    const graph::Document document = bench_->model.document();
    choose(denoise_, "steps", "Use for new nodes");
    QCOMPARE(graph::toText(bench_->model.document()), graph::toText(document));
}

void NodeDefaultsTest::theDescriptionsComesBack() {
    choose(denoise_, "steps", "Use for new nodes");
    choose(denoise_, "steps", "New nodes as described");
    QCOMPARE(settings_->preferences().nodeDefaults, Json::object());
    const std::string added = addByKeys("denoise");
    QVERIFY(valueOf(added, "steps") != Json(42));
}

void NodeDefaultsTest::whatTheDescriptionRefusesIsLeftOut() {
    defaults_->set("denoise.sample", "steps", 9999);  // of another version: at most 150
    defaults_->set("denoise.sample", "tiled", true);
    defaults_->set("denoise.sample", "gone", 1);
    const std::string added = addByKeys("denoise");
    QVERIFY(valueOf(added, "steps") != Json(9999));
    QCOMPARE(valueOf(added, "tiled"), Json(true));
    QVERIFY(valueOf(added, "gone").is_null());
}

void NodeDefaultsTest::offersOnlyWhatChangesSomething() {
    const auto offers = [this](const char* entry) {
        const std::unique_ptr<QMenu> menu(bench_->menuAt(bench_->value(denoise_, "steps")));
        const QAction* found = CanvasBench::entry(*menu, entry);
        return found != nullptr && found->isEnabled();
    };
    QVERIFY(offers("Use for new nodes"));
    QVERIFY(!offers("New nodes as described"));

    choose(denoise_, "steps", "Use for new nodes");

    QVERIFY(!offers("Use for new nodes"));
    QVERIFY(offers("New nodes as described"));
}

LOWTIDE_WINDOW_TEST(NodeDefaultsTest)

}  // namespace lowtide::test::node_defaults_test

#include "node_defaults_test.moc"
