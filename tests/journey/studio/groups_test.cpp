// Several nodes of a graph become one, by mouse and keys: named, folded, run, saved, opened again.
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/canvas/graph_scene.hpp"
#include "ui/document/groups.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace groups_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 120000;

}  // namespace

class GroupsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        studio_ = std::make_unique<StudioSession>(folder_.path());
        QVERIFY(studio_->isReady());
        studio_->window().resize(1440, 900);
    }

    void init() { test::failOnQtWarnings(); }

    void cleanupTestCase() { studio_.reset(); }

    void threeNodesBecomeOne_runAndComeBack() {
        Hands hands(*studio_);
        const std::vector<std::string> nodes{"encode", "latent", "denoise"};
        for (const std::string& node : nodes) {
            QVERIFY2(studio_->model().node(node), node.c_str());
        }
        canvas().invoke("view.fit_all");
        hands.clickNode(nodes.front());
        for (size_t i = 1; i < nodes.size(); ++i) {
            clickToo(nodes[i]);
        }
        const int steps = studio_->model().undoStack().count();
        QTest::keyClick(&canvas(), Qt::Key_G);
        type("Make it");
        const std::string group = Groups(studio_->model().document()).of("denoise");
        QVERIFY(scene().node(group)->isVisible());
        QVERIFY(!scene().node("denoise")->isVisible());
        QCOMPARE(studio_->model().undoStack().count(), steps + 2);  // its name is the other

        const QueuedRun run = hands.run();
        QCOMPARE(run.state, RunState::Finished);
        QCOMPARE(run.files.size(), 1);
        QCOMPARE(scene().node(group)->status().activity, NodeActivity::Finished);

        const QString path = folder_.filePath("grouped.json");
        QCOMPARE(test::saveAs(studio_->workspace().file, path), QString());
        QTest::keyClick(&canvas(), Qt::Key_Return);
        QVERIFY(scene().node("denoise")->isVisible());
        QVERIFY(!crumb("Make it").isNull());
        QTest::keyClick(&canvas(), Qt::Key_Escape);
        QVERIFY(scene().node(group)->isVisible());

        QCOMPARE(test::saveAs(studio_->workspace().file, path), QString());
        hands.press("file.close");
        QTRY_VERIFY_WITH_TIMEOUT(scene().node(group) == nullptr, kPatience);
        QCOMPARE(test::open(studio_->workspace().file, path), QString());
        QTRY_VERIFY_WITH_TIMEOUT(scene().node(group) != nullptr, kPatience);
        QVERIFY(scene().node(group)->isVisible());
        QCOMPARE(scene().node(group)->face().title, QString("Make it"));
        canvas().select({"denoise"});
        QTest::keyClick(&canvas(), Qt::Key_G, Qt::ShiftModifier);
        QVERIFY(scene().groups().all().empty());
        hands.press("edit.undo");
        QTRY_VERIFY_WITH_TIMEOUT(scene().node(group) != nullptr, kPatience);
    }

private:
    [[nodiscard]] GraphView& canvas() const { return studio_->controller().widgets().canvas; }

    [[nodiscard]] GraphScene& scene() const { return *qobject_cast<GraphScene*>(canvas().scene()); }

    void clickToo(const std::string& node) {
        const NodeItem* item = scene().node(node);
        const QPointF title = item->pos() + item->layout().header.center();
        QTest::mouseClick(
            canvas().viewport(), Qt::LeftButton, Qt::ShiftModifier, canvas().mapFromScene(title));
    }

    void type(const QString& title) {
        auto* field = canvas().findChild<QLineEdit*>("canvasText");
        QVERIFY(field != nullptr);
        QTest::keyClicks(field, title);
        QTest::keyClick(field, Qt::Key_Return);
    }

    [[nodiscard]] QString crumb(const QString& text) const {
        for (const auto* each : canvas().findChildren<QToolButton*>("crumb")) {
            if (each->isVisible() && each->text() == text) {
                return text;
            }
        }
        return {};
    }

    QTemporaryDir folder_;
    std::unique_ptr<StudioSession> studio_;
};

LOWTIDE_JOURNEY(GroupsTest)

}  // namespace groups_test

#include "groups_test.moc"
