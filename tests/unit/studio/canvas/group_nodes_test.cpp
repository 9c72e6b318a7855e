#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/canvas/canvas_bench.hpp"
#include "ui/canvas/canvas_elements.hpp"
#include "ui/document/groups.hpp"
#include "ui/editors/param_editor.hpp"

#include <QtWidgets>

namespace lowtide::test::group_nodes_test {

/// Groups as the user sees and edits them.
class GroupNodesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        failOnQtWarnings();
        bench_ = std::make_unique<CanvasBench>();
        load_ = bench_->add("load.model", 0, 96);
        denoise_ = bench_->add("denoise.sample", 304, 96);
        scale_ = bench_->add("latent.scale", 608, 96);
        decode_ = bench_->add("decode.image", 912, 96);
        bench_->connect(load_, "model", denoise_, "model");
        bench_->connect(load_, "model", decode_, "model");
        bench_->connect(denoise_, "latent", scale_, "latent");
        bench_->connect(scale_, "latent", decode_, "latent");
        bench_->show();
    }

    void cleanup() { bench_.reset(); }

    void nodesBecomeOneByAKey_asOneStep() {
        const int steps = bench_->model.undoStack().count();

        const std::string group = groupBoth();

        QCOMPARE(bench_->model.undoStack().count(), steps + 1);
        QVERIFY(bench_->node(group).isVisible());
        QVERIFY(!bench_->node(denoise_).isVisible());
        QCOMPARE(bench_->view->selectedNodes(), (std::set<std::string>{denoise_, scale_}));
        bench_->model.undoStack().undo();
        QVERIFY(bench_->node(denoise_).isVisible());
        QVERIFY(bench_->scene().node(group) == nullptr);
    }

    void itsTitleIsTyped() {
        bench_->view->select({denoise_, scale_});
        QTest::keyClick(bench_->view.get(), Qt::Key_G);
        QLineEdit* field = titleField();
        QTest::keyClicks(field, "Detail");
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(bench_->node(onlyGroup()).face().title, QString("Detail"));

        QTest::keyClick(bench_->view.get(), Qt::Key_F2);
        QTest::keyClicks(titleField(), "Upscale");
        QTest::keyClick(titleField(), Qt::Key_Return);
        QCOMPARE(bench_->node(onlyGroup()).face().title, QString("Upscale"));
    }

    void wiresOverItsBorderLeadToIt() {
        const ui::NodeItem& group = bench_->node(groupBoth());

        const ui::WireLayer& wires = bench_->scene().wires();
        QCOMPARE(wires.into({decode_, "latent"})->start.x(), group.bodyInScene().right());
        QCOMPARE(wires.into({denoise_, "model"})->end.x(), group.bodyInScene().left());
        QVERIFY(wires.into({scale_, "latent"})->isHidden);
        QCOMPARE(group.face().inputs.size(), size_t{1});
        QCOMPARE(group.face().outputs.size(), size_t{1});
    }

    void aWireIsDrawnToIt() {
        const std::string other = bench_->add("load.model", 0, 400);
        const std::string group = groupBoth();

        bench_->drag(bench_->output(other, "model"),
                     bench_->input(group, ui::nameInGroup({denoise_, "model"})));

        QVERIFY(bench_->hasLink(other, denoise_, "model"));
    }

    void noWireIsDrawnWithinIt_whileItIsFolded() {
        const std::string mix = bench_->add("latent.mix", 608, 500);
        bench_->view->select({denoise_, mix});
        QTest::keyClick(bench_->view.get(), Qt::Key_G);
        QTest::keyClick(titleField(), Qt::Key_Return);
        const std::string group = onlyGroup();

        bench_->drag(bench_->output(group, ui::nameInGroup({denoise_, "latent"})),
                     bench_->input(group, ui::nameInGroup({mix, "latent"})));

        QVERIFY(!bench_->hasLink(denoise_, mix, "latent"));
    }

    void opensByADoubleClick_andFoldsByTheMarkOfItsFrame() {
        const std::string group = groupBoth();
        bench_->doubleClick(bench_->header(group));
        QVERIFY(bench_->node(scale_).isVisible());
        QVERIFY(!bench_->node(group).isVisible());
        const ui::BoxItem& frame = *bench_->scene().groupFrames().at(group);
        QVERIFY(frame.isVisible());
        QVERIFY(frame.shownRect().contains(bench_->node(denoise_).bodyInScene()));

        bench_->click(bench_->pixel(frame.pos() + QPointF(12, 16)));

        QVERIFY(bench_->node(group).isVisible());
    }

    void enterOpens_andEscapeLeadsBack() {
        const std::string group = groupBoth();
        QTest::keyClick(bench_->view.get(), Qt::Key_Return);
        QCOMPARE(path(), (QStringList{"Graph", "Group"}));
        bench_->click(bench_->header(scale_));
        QCOMPARE(path(), (QStringList{"Graph", "Group"}));

        QTest::keyClick(bench_->view.get(), Qt::Key_Escape);

        QVERIFY(bench_->node(group).isVisible());
        QCOMPARE(path(), QStringList());
    }

    /// What is added there would make its frame reach over the canvas.
    void aPressOnTheGroundLeadsOutOfIt_andIntoIt() {
        const std::string group = groupBoth();
        QTest::keyClick(bench_->view.get(), Qt::Key_Return);
        QCOMPARE(path(), (QStringList{"Graph", "Group"}));
        const QRectF frame = bench_->scene().groupFrames().at(group)->shownRect();

        bench_->click(bench_->pixel(frame.bottomRight() + QPointF(60, 120)));
        QCOMPARE(path(), QStringList());
        QVERIFY(bench_->node(scale_).isVisible());

        bench_->click(bench_->pixel(frame.bottomLeft() + QPointF(8, -40)));
        QCOMPARE(path(), (QStringList{"Graph", "Group"}));
    }

    void breadcrumbsLeadOutOfGroupsInGroups() {
        const std::string inner = groupBoth();
        bench_->view->select({denoise_, decode_});
        QTest::keyClick(bench_->view.get(), Qt::Key_G);
        QLineEdit* field = titleField();
        QTest::keyClicks(field, "Outer");
        QTest::keyClick(field, Qt::Key_Return);
        const std::string outer = bench_->scene().groups().of(inner);
        QVERIFY(!outer.empty());
        QTest::keyClick(bench_->view.get(), Qt::Key_Return);
        bench_->doubleClick(bench_->header(inner));
        QCOMPARE(path(), (QStringList{"Graph", "Outer", "Group"}));
        const auto& frames = bench_->scene().groupFrames();
        QVERIFY(frames.at(inner)->zValue() > frames.at(outer)->zValue());

        crumb("Outer")->click();
        QVERIFY(bench_->node(inner).isVisible());
        QCOMPARE(path(), (QStringList{"Graph", "Outer"}));
        crumb("Graph")->click();
        QVERIFY(bench_->node(outer).isVisible());
        QVERIFY(!bench_->node(inner).isVisible());
    }

    void noNodesLieOnEachOther_whenItOpensAndFolds() {
        const std::string group = groupBoth();
        const QRectF folded = bench_->node(group).bodyInScene();
        const std::string below = bench_->add("latent.mix", folded.left(), folded.bottom() + 24);

        bench_->doubleClick(bench_->header(group));
        verifyApart();
        QVERIFY(!bench_->scene().groupFrames().at(group)->shownRect().intersects(
            bench_->node(below).bodyInScene()));
        QTest::keyClick(bench_->view.get(), Qt::Key_Escape);
        verifyApart();
    }

    void aDragMovesAllOfIt_asOneStep() {
        const std::string group = groupBoth();
        const int steps = bench_->model.undoStack().count();
        const QPoint from = bench_->header(group);

        bench_->drag(from, from + QPoint(0, 240));

        QCOMPARE(bench_->topLeftOf(denoise_).y, bench_->topLeftOf(scale_).y);
        QVERIFY(bench_->topLeftOf(denoise_).y > 300);
        QCOMPARE(bench_->topLeftOf(scale_).x - bench_->topLeftOf(denoise_).x, 304.0);
        QCOMPARE(bench_->model.undoStack().count(), steps + 1);
    }

    void theMinimapGivesWayToIt_whileItIsSelected() {
        groupBoth();
        ui::Minimap& minimap = bench_->view->navigation().minimap();
        minimap.ask(true);
        const QPointF below = bench_->view->mapToScene(minimap.geometry().center());
        bench_->model.apply("below the map", [&](graph::Document& document) {
            ui::setPosition(document.nodes.at(denoise_), {below.x() - 20, below.y() - 20});
            ui::setPosition(document.nodes.at(scale_), {below.x() + 300, below.y() - 20});
        });
        bench_->view->select({});
        QVERIFY(!minimap.isFaint());

        bench_->view->select({denoise_, scale_});
        QVERIFY(minimap.isFaint());
    }

    void isDuplicatedAndDeletedWithAllOfIt() {
        groupBoth();
        QTest::keyClick(bench_->view.get(), Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(bench_->scene().groups().all().size(), size_t{2});
        QCOMPARE(bench_->model.document().nodes.size(), size_t{6});

        bench_->view->select({denoise_});
        QTest::keyClick(bench_->view.get(), Qt::Key_Delete);

        QCOMPARE(bench_->scene().groups().all().size(), size_t{1});
        QVERIFY(bench_->model.node(denoise_) == nullptr);
        QCOMPARE(bench_->model.document().nodes.size(), size_t{4});
    }

    /// Who hears of it looks at all nodes.
    void foldingIsReportedOnce() {
        const std::string group = groupBoth();
        QTest::keyClick(bench_->view.get(), Qt::Key_Return);
        bench_->view->select({denoise_, scale_});
        const QSignalSpy reported(bench_->view.get(), &ui::GraphView::selectionChanged);

        bench_->view->invoke("node.collapse");

        QVERIFY(bench_->node(group).isSelected());
        QCOMPARE(reported.size(), 1);
    }

    void comesApart() {
        groupBoth();
        QTest::keyClick(bench_->view.get(), Qt::Key_G, Qt::ShiftModifier);
        QVERIFY(bench_->scene().groups().all().empty());
        QVERIFY(bench_->node(denoise_).isVisible());
    }

    void aNodeIsTakenOut_andANewOneComesIn() {
        const std::string group = groupBoth();
        QTest::keyClick(bench_->view.get(), Qt::Key_Return);
        bench_->view->select({denoise_});
        QTest::keyClick(bench_->view.get(), Qt::Key_G, Qt::ShiftModifier);
        QCOMPARE(bench_->scene().groups().nodesIn(group), (std::set<std::string>{scale_}));

        bench_->view->select({scale_});
        QTest::keyClick(bench_->view.get(), Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(bench_->scene().groups().nodesIn(group).size(), size_t{2});
    }

    void aNodeThatIsDroppedOnItsFrameComesIn() {
        const std::string mix = bench_->add("latent.mix", 304, 520);
        const std::string group = groupBoth();
        QTest::keyClick(bench_->view.get(), Qt::Key_Return);
        const QRectF frame = bench_->scene().groupFrames().at(group)->shownRect();

        bench_->drag(bench_->header(mix), bench_->pixel(frame.bottomRight() - QPointF(60, 20)));

        QVERIFY(bench_->scene().groups().nodesIn(group).contains(mix));
        QVERIFY(bench_->scene().groupFrames().at(group)->shownRect().contains(
            bench_->node(mix).bodyInScene()));
    }

    void aChosenValueIsShownAndChangedOnIt() {
        const std::string group = groupBoth();
        QTest::keyClick(bench_->view.get(), Qt::Key_Return);
        choose(bench_->value(denoise_, "steps"), "Show on the group “Group”");
        QTest::keyClick(bench_->view.get(), Qt::Key_Escape);
        const ui::NodeFace& face = bench_->node(group).face();
        QCOMPARE(face.rows.size(), size_t{1});
        QCOMPARE(face.rows.front().label, QString("Steps"));

        const QPoint value = bench_->value(group, ui::nameInGroup({denoise_, "steps"}));
        bench_->drag(value, value + QPoint(40, 0));
        const Json dragged = bench_->model.node(denoise_)->params["steps"];
        QVERIFY(dragged != Json(20));

        bench_->click(value);
        auto* editor = bench_->view->findChild<ui::ParamEditor*>("rowEditor");
        QVERIFY(editor != nullptr);
        QTest::keyClick(editor->focusWidget(), Qt::Key_Up);
        QCOMPARE(bench_->model.node(denoise_)->params["steps"], Json(dragged.get<int>() + 1));
    }

    void aValueOnItStatesThatTheFormShowsIt() {
        const std::string group = groupBoth();
        bench_->model.apply("choose", [&](graph::Document& document) {
            ui::Group chosen = *ui::Groups(document).find(group);
            chosen.values = {{denoise_, "steps"}};
            ui::putGroup(document, chosen);
        });
        QVERIFY(!bench_->node(group).face().rows.front().isExposed);

        bench_->model.apply("show", [&](graph::Document& document) {
            ui::setExposed(document, denoise_, "steps", "Steps", true);
        });

        QVERIFY(bench_->node(group).face().rows.front().isExposed);
    }

    void aPortIsChosenNamedAndHidden() {
        const std::string group = groupBoth();
        QTest::keyClick(bench_->view.get(), Qt::Key_Return);
        choose(bench_->input(denoise_, "start"), "Show on the group “Group”");
        QTest::keyClick(bench_->view.get(), Qt::Key_Escape);
        const std::string name = ui::nameInGroup({denoise_, "start"});
        QVERIFY(bench_->node(group).face().inputIndex(name) >= 0);

        choose(bench_->input(group, name), "Rename the port");
        QLineEdit* field = titleField();
        QTest::keyClicks(field, "Sketch");
        QTest::keyClick(field, Qt::Key_Return);
        const ui::NodeFace& face = bench_->node(group).face();
        QCOMPARE(face.inputs[size_t(face.inputIndex(name))].label, QString("Sketch"));

        choose(bench_->input(group, name), "Show on the group “Group”");
        QVERIFY(bench_->node(group).face().inputIndex(name) < 0);
    }

    /// A node that leaves an open group changes no list of groups.
    void itsFaceFollowsItsNodes_alsoOnesThatLeave() {
        const std::string mix = bench_->add("latent.mix", 608, 500);
        bench_->view->select({denoise_, mix});
        QTest::keyClick(bench_->view.get(), Qt::Key_G);
        QTest::keyClick(titleField(), Qt::Key_Return);
        const std::string group = onlyGroup();
        const ui::NodeFace& face = bench_->node(group).face();
        const std::string port = ui::nameInGroup({mix, "latent"});
        QVERIFY(face.inputIndex(port) >= 0);

        bench_->connect(scale_, "latent", mix, "latent");
        QVERIFY(face.inputs[size_t(face.inputIndex(port))].isLinked);

        QTest::keyClick(bench_->view.get(), Qt::Key_Return);
        bench_->view->select({mix});
        QTest::keyClick(bench_->view.get(), Qt::Key_G, Qt::ShiftModifier);
        QVERIFY(face.inputIndex(port) < 0);
    }

    void portsOfOneNameAreDistinct() {
        const std::string mix = bench_->add("latent.mix", 608, 500);
        bench_->model.apply("free", [&](graph::Document& document) {
            ui::disconnect(document, {scale_, "latent"});
        });
        bench_->view->select({scale_, mix});
        QTest::keyClick(bench_->view.get(), Qt::Key_G);
        const ui::NodeFace& face = bench_->node(onlyGroup()).face();
        QCOMPARE(face.inputs.size(), size_t{2});
        QCOMPARE(face.inputs[0].label, QString("Latent (Scale latent)"));
        QCOMPARE(face.inputs[1].label, QString("Latent (Mix)"));
    }

    void whatItsNodesDoIsSeenOnIt() {
        const std::string group = groupBoth();
        bench_->statuses.setChecked({{.severity = Severity::Error,
                                      .code = "x",
                                      .node = denoise_,
                                      .item = "model",
                                      .message = Message("no model")}});
        QCOMPARE(ui::issuesOf(bench_->node(group).status().issues)
                     .of(ui::nameInGroup({denoise_, "model"})),
                 std::optional(Severity::Error));

        bench_->statuses.beginRun();
        bench_->statuses.take({{"event", "nodeStarted"}, {"node", denoise_}});
        const ui::NodeStatus& status = bench_->node(group).status();
        QCOMPARE(status.activity, ui::NodeActivity::Running);
        QVERIFY2(status.phase.startsWith("Denoise"), qPrintable(status.phase));
    }

    void itsImageIsThatOfANodeInIt() {
        const std::string group = groupBoth();
        QImage image(64, 64, QImage::Format_RGB32);
        image.fill(Qt::red);
        bench_->statuses.takeImage(scale_, {.image = image, .size = image.size()});
        std::string asked;
        connect(
            bench_->view.get(), &ui::GraphView::imageActivated, this, [&](const std::string& node) {
                asked = node;
            });

        const ui::NodeItem& item = bench_->node(group);
        QVERIFY(!item.layout().nodeImage.isNull());
        bench_->click(bench_->pixel(item.pos() + item.layout().nodeImage.center()));

        QCOMPARE(asked, scale_);
    }

    void aPreviewIsShownRather_andElseTheImageOnTheRight() {
        const std::string group = groupBoth();
        QImage image(64, 64, QImage::Format_RGB32);
        image.fill(Qt::red);
        bench_->statuses.takeImage(scale_, {.image = image, .size = image.size()});
        bench_->statuses.takeImage(denoise_, {.image = image, .size = image.size()});
        QCOMPARE(bench_->scene().imageNodeOf(bench_->node(group)), scale_);

        bench_->statuses.beginRun();
        bench_->statuses.take({{"event", "nodeStarted"}, {"node", denoise_}});
        bench_->statuses.takeImage(denoise_, {.image = image, .step = ui::ImageStep{1, 4}});
        QCOMPARE(bench_->scene().imageNodeOf(bench_->node(group)), denoise_);
    }

    /// As where a tab is chosen: its statuses come before the canvas knows of its graph.
    void givesWayToAnotherGraph_whoseStatusesComeFirst() {
        groupBoth();
        CanvasBench other;
        connect(&other.model, &ui::GraphModel::changed, this, [&](const ui::Delta& delta) {
            if (delta.reset) {
                other.statuses.forgetAll();
            }
        });
        other.model.load(bench_->model.document());
        other.show();
        QCOMPARE(other.scene().groups().all().size(), size_t{1});

        other.model.load({});

        QVERIFY(other.scene().groups().all().empty());
        QVERIFY(other.scene().shownNodes().empty());
    }

    void isFramedWhereANodeInItWouldTakeAFile() {
        groupBoth();
        bench_->view->select({});
        const QImage before = bench_->view->viewport()->grab().toImage();
        bench_->view->pointOut(graph::PortRef{denoise_, "model"});
        QVERIFY(bench_->view->viewport()->grab().toImage() != before);
        bench_->view->pointOut(std::nullopt);
        QCOMPARE(bench_->view->viewport()->grab().toImage(), before);
    }

    void aNodeThatIsFoldedAwayIsRevealedAsItsGroup() {
        const std::string group = groupBoth();
        bench_->view->select({});
        bench_->view->reveal(scale_);
        QVERIFY(bench_->node(group).isSelected());
    }

    void assistiveTechnologyReadsIt() {
        const std::string group = groupBoth();
        ui::CanvasElements& elements = bench_->view->elements();
        QCOMPARE(elements.top().size(), size_t{3});
        QAccessibleInterface* folded = elements.at({ui::ElementKind::Node, group, {}});
        QCOMPARE(folded->text(QAccessible::Name), QString("Group"));
        QVERIFY(folded->state().collapsed);

        folded->actionInterface()->doAction("collapse");

        QAccessibleInterface* open = elements.at({ui::ElementKind::Group, group, {}});
        QVERIFY(open != nullptr);
        QVERIFY(open->text(QAccessible::Description).contains("Denoise"));
        open->actionInterface()->doAction("collapse");
        QVERIFY(bench_->node(group).isVisible());
    }

private:
    /// The one before may not be deleted yet.
    [[nodiscard]] QLineEdit* titleField() const {
        for (auto* field : bench_->view->findChildren<QLineEdit*>("canvasText")) {
            if (field->isVisible()) {
                return field;
            }
        }
        return nullptr;
    }

    [[nodiscard]] std::string onlyGroup() const {
        return bench_->scene().groups().all().begin()->first;
    }

    /// Denoise and Scale latent, called "Group".
    std::string groupBoth() {
        bench_->view->select({denoise_, scale_});
        QTest::keyClick(bench_->view.get(), Qt::Key_G);
        QTest::keyClick(titleField(), Qt::Key_Return);
        return onlyGroup();
    }

    [[nodiscard]] QList<QToolButton*> crumbs() const {
        QList<QToolButton*> seen;
        for (auto* crumb : bench_->view->findChildren<QToolButton*>("crumb")) {
            if (crumb->isVisible()) {
                seen << crumb;
            }
        }
        return seen;
    }

    [[nodiscard]] QStringList path() const {
        QStringList texts;
        for (const QToolButton* crumb : crumbs()) {
            texts << crumb->text();
        }
        return texts;
    }

    [[nodiscard]] QToolButton* crumb(const QString& text) const {
        for (QToolButton* each : crumbs()) {
            if (each->text() == text) {
                return each;
            }
        }
        return nullptr;
    }

    void choose(QPoint at, const QString& entry) {
        QMenu* menu = bench_->menuAt(at);
        QVERIFY(menu != nullptr);
        QAction* action = CanvasBench::entry(*menu, entry);
        QVERIFY2(action != nullptr, qPrintable(entry));
        QVERIFY(action->isEnabled());
        action->trigger();
        delete menu;
    }

    void verifyApart() const {
        const std::vector<ui::NodeItem*> nodes = bench_->scene().shownNodes();
        for (size_t i = 0; i < nodes.size(); ++i) {
            for (size_t j = 0; j < i; ++j) {
                QVERIFY2(!nodes[i]->bodyInScene().intersects(nodes[j]->bodyInScene()),
                         qPrintable(nodes[i]->face().title + ", " + nodes[j]->face().title));
            }
        }
    }

    std::unique_ptr<CanvasBench> bench_;
    std::string load_, denoise_, scale_, decode_;
};

LOWTIDE_WINDOW_TEST(GroupNodesTest)

}  // namespace lowtide::test::group_nodes_test

#include "group_nodes_test.moc"
