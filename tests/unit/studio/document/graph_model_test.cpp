#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/document/groups.hpp"

#include <QtTest/QtTest>

namespace graph_model_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr double kEditGoalMilliseconds = 5;
constexpr double kLoadGoalMilliseconds = 300;
/// Machines differ.
constexpr double kAllowance = 10;

Edit setsSteps(int64_t value) {
    return [value](graph::Document& document) {
        document.nodes.at("denoise").params["steps"] = value;
    };
}

Edit moves(const std::string& id, Point point) {
    return [id, point](graph::Document& document) { setPosition(document.nodes.at(id), point); };
}

}  // namespace

/// The graph that is being edited: steps, merging, notifications.
class GraphModelTest : public QObject {
    Q_OBJECT

    graph::Catalog catalog_{someNodes()};
    std::unique_ptr<GraphModel> model_;
    std::vector<Delta> deltas_;

    const Delta& reported() const { return deltas_.back(); }

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        model_ = std::make_unique<GraphModel>(catalog_);
        model_->load(someGraph());
        deltas_.clear();
        connect(model_.get(), &GraphModel::changed, this, [this](const Delta& delta) {
            deltas_.push_back(delta);
        });
    }

    void loadingChangesNoByte() { QCOMPARE(shown(model_->document()), someGraphText()); }

    void loadingEmitsOnceAndIsNoChange() {
        model_->load(someGraph());
        QCOMPARE(deltas_.size(), size_t{1});
        QVERIFY(reported().reset);
        QVERIFY(reported().changesMeaning());
        QVERIFY(!model_->isModified());
        QVERIFY(!model_->undoStack().canUndo());
    }

    void aStepIsDoneUndoneAndDoneAgain() {
        model_->apply("Change Steps", setsSteps(30));
        const QString after = shown(model_->document());
        QVERIFY(after != someGraphText());
        QCOMPARE(model_->undoStack().undoText(), QString("Change Steps"));
        model_->undoStack().undo();
        QCOMPARE(shown(model_->document()), someGraphText());
        model_->undoStack().redo();
        QCOMPARE(shown(model_->document()), after);
    }

    /// A run draws a seed outside the stack: no step takes it back, but one that changed it.
    void whatAStepDidNotChangeRemains() {
        const auto seed = [this] { return model_->node("denoise")->params.at("seed"); };
        const auto draw = [this](int drawn) {
            model_->adjust([drawn](graph::Document& document) {
                document.nodes.at("denoise").params["seed"] = drawn;
            });
        };
        draw(1);
        model_->apply("Steps", setsSteps(30), "steps");
        draw(2);
        model_->apply("Steps", setsSteps(31), "steps");
        model_->undoStack().undo();
        QCOMPARE(seed(), Json(2));
        model_->undoStack().undo();
        QCOMPARE(seed(), Json(2));
        QCOMPARE(model_->node("denoise")->params.at("steps"), Json(12));
        model_->undoStack().redo();
        QCOMPARE(seed(), Json(2));
        model_->apply("Seed", [](graph::Document& document) {
            document.nodes.at("denoise").params["seed"] = 7;
        });
        draw(3);
        model_->undoStack().undo();
        QCOMPARE(seed(), Json(2));
    }

    /// Another language rewords the catalog while jobs on other threads read.
    void theCatalogOfJobsNeverChanges() {
        graph::Catalog catalog(std::vector<NodeDesc>{{.id = "a.b", .label = "A"}});
        const GraphModel model(catalog);
        const std::shared_ptr<const graph::Catalog> forJobs = model.catalogForJobs();
        catalog.reword([](NodeDesc& desc) { desc.label = "B"; });
        QCOMPARE(model.catalog().find("a.b")->label, "B");
        QCOMPARE(forJobs->find("a.b")->label, "A");
    }

    void whatChangesNothingIsNoStep() {
        model_->apply("Nothing", setsSteps(12));
        QCOMPARE(model_->undoStack().count(), 0);
        QVERIFY(deltas_.empty());
    }

    void aWholeNumberThatBecomesAFractionIsAStep() {
        model_->apply("Change Guidance", [](graph::Document& document) {
            document.nodes.at("denoise").params["cfg"] = 7.0;
        });
        QCOMPARE(model_->undoStack().count(), 1);
        model_->undoStack().undo();
        QCOMPARE(shown(model_->document()), someGraphText());
    }

    void anEditThatThrowsLeavesEverythingAsItWas() {
        const auto fails = [](graph::Document& document) {
            document.nodes.clear();
            throw std::runtime_error("no");
        };
        QVERIFY_EXCEPTION_THROWN(model_->apply("Fail", fails), std::runtime_error);
        QCOMPARE(shown(model_->document()), someGraphText());
        QCOMPARE(model_->undoStack().count(), 0);
        model_->apply("Change Steps", setsSteps(30));
        QCOMPARE(model_->document().nodes.size(), size_t{5});
        QCOMPARE(model_->undoStack().count(), 1);
    }

    void oneGestureIsOneStep() {
        for (int x = 1; x <= 50; ++x) {
            model_->apply("Move", moves("encode", {double(x), 0}), "move-1");
        }
        QCOMPARE(model_->undoStack().count(), 1);
        model_->undoStack().undo();
        QCOMPARE(shown(model_->document()), someGraphText());
    }

    void theNextGestureOfTheSameKeyIsAStepOfItsOwn() {
        model_->apply("Move", moves("encode", {1, 0}), "move");
        model_->endMerging();
        model_->apply("Move", moves("encode", {2, 0}), "move");
        QCOMPARE(model_->undoStack().count(), 2);
    }

    void stepsOfOtherKeysAndWithoutOneDoNotMerge() {
        model_->apply("Move", moves("encode", {1, 0}), "a");
        model_->apply("Move", moves("encode", {2, 0}), "b");
        model_->apply("Move", moves("encode", {3, 0}));
        model_->apply("Move", moves("encode", {4, 0}));
        QCOMPARE(model_->undoStack().count(), 4);
    }

    void nothingMergesIntoAStepThatWasUndoneAndDoneAgain() {
        model_->apply("Move", moves("encode", {1, 0}), "move");
        model_->undoStack().undo();
        model_->undoStack().redo();
        model_->apply("Move", moves("encode", {2, 0}), "move");
        QCOMPARE(model_->undoStack().count(), 2);
    }

    void aGestureThatComesBackToItsStartLeavesNoStep() {
        model_->apply("Move", moves("encode", {9, 9}), "move");
        QVERIFY(model_->isModified());
        model_->apply("Move", moves("encode", {0, 0}), "move");
        QCOMPARE(model_->undoStack().count(), 0);
        QVERIFY(!model_->isModified());
        QCOMPARE(shown(model_->document()), someGraphText());
    }

    void savedIsWhatWasSaved() {
        QSignalSpy spy(model_.get(), &GraphModel::modifiedChanged);
        model_->apply("Change Steps", setsSteps(30));
        model_->setSaved();
        model_->apply("Change Steps", setsSteps(31));
        model_->undoStack().undo();
        QVERIFY(!model_->isModified());
        model_->undoStack().undo();
        QVERIFY(model_->isModified());
        const QList<QVariantList> reported{{true}, {false}, {true}, {false}, {true}};
        QCOMPARE(QList<QVariantList>(spy), reported);
    }

    void whatIsSavedIsNotMergedInto() {
        model_->apply("Move", moves("encode", {1, 0}), "move");
        model_->setSaved();
        model_->apply("Move", moves("encode", {2, 0}), "move");
        QCOMPARE(model_->undoStack().count(), 2);
        model_->undoStack().undo();
        QVERIFY(!model_->isModified());
    }

    void itReportsWhatAStepChanged_data() {
        testing::addRows("what",
                         {"added",
                          "removed",
                          "changed",
                          "moved",
                          "collapsed",
                          "links",
                          "reroutes",
                          "frames",
                          "notes",
                          "groups",
                          "exposed",
                          "settings"});
    }

    void itReportsWhatAStepChanged() {
        QFETCH(QString, what);
        model_->apply(what, [&](graph::Document& document) { change(document, what); });
        const std::set<std::string> denoise{"denoise"};
        QCOMPARE(reported().added == std::set<std::string>{"sharpen"}, what == "added");
        QCOMPARE(reported().removed == denoise, what == "removed");
        QCOMPARE(reported().changed == denoise, what == "changed" || what == "collapsed");
        QCOMPARE(reported().moved == denoise, what == "moved");
        QCOMPARE(reported().links, what == "links" || what == "removed" || what == "reroutes");
        QCOMPARE(reported().frames, what == "frames");
        QCOMPARE(reported().notes, what == "notes");
        QCOMPARE(reported().groups, what == "groups");
        QCOMPARE(reported().exposed, what == "exposed");
        QCOMPARE(reported().settings, what == "settings");
        const QStringList looks{"moved", "collapsed", "reroutes", "frames", "notes", "groups"};
        QCOMPARE(reported().changesMeaning(), !looks.contains(what));
    }

    void undoEmitsTheOpposite() {
        model_->apply("Add", [&](graph::Document& document) { change(document, "added"); });
        model_->undoStack().undo();
        QCOMPARE(reported().removed, std::set<std::string>{"sharpen"});
        QVERIFY(reported().added.empty());
    }

    void aMacroEmitsItsStepsAtOnceAndItsUndoTogether() {
        model_->undoStack().beginMacro("Both");
        model_->apply("Add", [&](graph::Document& document) { change(document, "added"); });
        QCOMPARE(reported().added, std::set<std::string>{"sharpen"});
        model_->apply("Move", moves("denoise", {1, 1}));
        QCOMPARE(reported().moved, std::set<std::string>{"denoise"});
        model_->undoStack().endMacro();
        const size_t before = deltas_.size();
        model_->undoStack().undo();
        QCOMPARE(deltas_.size(), before + 1);
        QCOMPARE(reported().removed, std::set<std::string>{"sharpen"});
        QCOMPARE(reported().moved, std::set<std::string>{"denoise"});
        QCOMPARE(shown(model_->document()), someGraphText());
    }

    void aListenerMayMakeAStepOfItsOwn() {
        connect(model_.get(), &GraphModel::changed, this, [this](const Delta& delta) {
            if (delta.changed.contains("denoise") && model_->undoStack().count() == 1) {
                model_->apply("Follow", moves("encode", {77, 7}));
            }
        });
        model_->apply("Change Steps", setsSteps(30));
        QCOMPARE(model_->undoStack().count(), 2);
        model_->undoStack().undo();
        model_->undoStack().undo();
        QCOMPARE(shown(model_->document()), someGraphText());
    }

    void linksThatAnEditLeftInAnyOrderAreSorted() {
        model_->apply("Wire", [](graph::Document& document) {
            document.links.insert(document.links.begin(),
                                  {.from = {"decode", "image"}, .to = {"zz", "image"}});
        });
        QCOMPARE(model_->document().links.back().to.node, std::string("zz"));
        model_->undoStack().undo();
        QCOMPARE(shown(model_->document()), someGraphText());
    }

    void twoWiresIntoOneInputSurviveTheirNeighboursEdits() {
        graph::Document document = someGraph();
        document.links.push_back({.from = {"encode", "negative"}, .to = {"save", "image"}});
        document.links.push_back(document.links.back());
        document.links.back().extra["second"] = true;
        model_->load(document);
        const QString before = shown(model_->document());
        model_->apply("Wire", [](graph::Document& edited) {
            ui::disconnect(edited, {"denoise", "positive"});
        });
        QCOMPARE(model_->document().links.size(), document.links.size() - 1);
        model_->undoStack().undo();
        QCOMPARE(shown(model_->document()), before);
    }

    void anUnknownNodeHasNoDescription() {
        QVERIFY(model_->desc("denoise"));
        QVERIFY(model_->node("foreign"));
        QVERIFY(!model_->desc("foreign"));
        QVERIFY(!model_->node("nobody"));
        QVERIFY(!model_->desc("nobody"));
    }

    void eachOpenDocumentKeepsItsOwnSteps() {
        const DocumentId first = model_->shown();
        model_->apply("Change Steps", setsSteps(30));
        const QString changed = shown(model_->document());
        const DocumentId second = model_->add({});
        QCOMPARE(model_->shown(), first);  // it is behind

        model_->show(second);
        QVERIFY(model_->document().nodes.empty());
        QVERIFY(!model_->undoGroup().canUndo());
        QVERIFY(!model_->isModified());

        model_->show(first);
        QCOMPARE(shown(model_->document()), changed);
        QVERIFY(model_->isModified());
        model_->undoGroup().undo();
        QCOMPARE(shown(model_->document()), someGraphText());
    }

    void anotherOpenDocumentIsReportedAsOne() {
        QSignalSpy leaving(model_.get(), &GraphModel::leaving);
        QSignalSpy modified(model_.get(), &GraphModel::modifiedChanged);
        const DocumentId second = model_->add(someGraph(), /*isSaved=*/false);
        QVERIFY(deltas_.empty());

        model_->show(second);
        model_->show(second);

        QCOMPARE(deltas_.size(), size_t{1});
        QVERIFY(reported().reset && reported().isOther);
        QCOMPARE(leaving.size(), 1);
        QCOMPARE(modified.size(), 1);
        QVERIFY(modified.front().front().toBool());
    }

    void aStepOfTheSameKeyInAnotherDocumentIsItsOwn() {
        const DocumentId first = model_->shown();
        model_->apply("Change Steps", setsSteps(30), "steps");
        const DocumentId second = model_->add(someGraph());
        model_->show(second);
        model_->show(first);
        model_->apply("Change Steps", setsSteps(31), "steps");
        QCOMPARE(model_->undoStack().count(), 2);
    }

    void aClosedDocumentIsGoneWithItsSteps() {
        const DocumentId first = model_->shown();
        model_->apply("Change Steps", setsSteps(30));
        model_->show(model_->add({}));
        QSignalSpy saved(model_.get(), &GraphModel::savedChanged);

        model_->close(first);

        QVERIFY(!model_->isOpen(first));
        QVERIFY(!model_->undoGroup().canUndo());
        QCOMPARE(saved.size(), 0);
    }

    void textsOfHiddenDocumentsAreVisited() {
        graph::Document hidden;
        hidden.nodes["a"] = {.type = "load.image", .params = {{"image", "hidden.png"}}};
        const DocumentId id = model_->add(hidden);
        model_->show(id);
        model_->apply("Choose", [](graph::Document& document) {
            document.nodes.at("a").params["image"] = "later.png";
        });
        model_->show(model_->add({}));
        std::string all;
        visitTexts(*model_, [&](std::string_view text) { all += text; });
        QVERIFY(all.find("hidden.png") != std::string::npos);  // undoing brings it back
        QVERIFY(all.find("later.png") != std::string::npos);
    }

    void aThousandNodesAreLoadedAndEditedQuickly() {
        const std::string text = graph::toText(largeGraph(1000));
        CpuTimer timer;
        model_->load(graph::parseDocument(text));
        const double loading = timer.milliseconds();
        double editing = 1e9;
        for (int x = 0; x < 50; ++x) {  // the quickest one
            timer.restart();
            model_->apply("Move", moves("node_100500", {double(x), 1}), "move");
            editing = std::min(editing, timer.milliseconds());
        }
        timer.restart();
        model_->undoStack().undo();
        const double undoing = timer.milliseconds();
        qInfo("1000 nodes, %zu wires, %zu bytes: load %.1f ms, an edit %.2f ms, an undo %.2f ms",
              model_->document().links.size(),
              text.size(),
              loading,
              editing,
              undoing);
        QVERIFY(loading < kAllowance * kLoadGoalMilliseconds);
        QVERIFY(editing < kAllowance * kEditGoalMilliseconds);
        QVERIFY(undoing < kAllowance * kEditGoalMilliseconds);
    }

private:
    void change(graph::Document& document, const QString& what) {
        graph::DocumentNode& denoise = document.nodes.at("denoise");
        if (what == "added") {
            addNode(document, *catalog_.find("finish.sharpen"), {5, 5});
        } else if (what == "removed") {
            removeNodes(document, catalog_, {"denoise"});
        } else if (what == "changed") {
            denoise.params["steps"] = 31;
        } else if (what == "moved") {
            setPosition(denoise, {1, 1});
        } else if (what == "collapsed") {
            setCollapsed(denoise, true);
        } else if (what == "links") {
            ui::disconnect(document, {"save", "image"});
        } else if (what == "reroutes") {
            setReroutes(document, {"save", "image"}, {{1, 2}});
        } else if (what == "frames") {
            putBox(document, BoxKind::Frame, {.text = "x"});
        } else if (what == "notes") {
            removeBox(document, BoxKind::Note, "n1");
        } else if (what == "groups") {
            putGroup(document, {.id = "g"});
        } else if (what == "exposed") {
            setExposed(document, "denoise", "steps", "Steps", true);
        } else {
            document.memoryBudget = "2 GiB";
        }
    }
};

LOWTIDE_TEST(GraphModelTest)

}  // namespace graph_model_test

#include "graph_model_test.moc"
