#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/arrange.hpp"
#include "ui/document/clipboard.hpp"
#include "ui/document/graph_model.hpp"

#include <QtTest/QtTest>

#include <map>
#include <random>

namespace random_edits_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kEdits = 300;

/// A stream of edits of all kinds, the same for the same seed.
class Editor {
public:
    Editor(const graph::Catalog& catalog, uint32_t seed) : catalog_(catalog), random_(seed) {}

    static constexpr int kKinds = 20;

    void edit(graph::Document& document, int kind) {
        switch (kind) {
            case 0:
            case 1:
                addNode(document, anyDesc(), anyPoint());
                break;
            case 2:
                removeNodes(document, catalog_, {anyNode(document)}, below(2) == 0);
                break;
            case 3:
            case 4:
            case 5:
                wire(document);
                break;
            case 6:
                disconnect(document, anyLink(document));
                break;
            case 7:
                insertIntoWire(document, catalog_, anyNode(document), anyLink(document));
                break;
            case 8:
                setReroutes(document, anyLink(document), {anyPoint(), anyPoint()});
                break;
            case 9:
                toggleMode(document, someNodes(document), anyMode());
                break;
            case 10:
                pasteText(document, catalog_, copied(document), anyPoint());
                break;
            case 11:
                arrange(document, someNodes(document), {});
                break;
            case 12:
                align(document, someNodes(document), {}, Alignment::Middle);
                break;
            case 13:
                putBox(document, anyKind(), {.text = "x", .topLeft = anyPoint()});
                break;
            case 14:
                removeBox(document, anyKind(), anyBox(document));
                break;
            case 15:
                setExposed(document, anyNode(document), "steps", "S", below(3) > 0);
                break;
            case 16:
                document.memoryBudget = std::to_string(below(9)) + " GiB";
                break;
            case 17:
                distribute(document, someNodes(document), {}, Axis::Horizontal);
                break;
            default:
                changeNode(document);
                break;
        }
    }

    size_t below(size_t end) { return random_() % end; }

private:
    const NodeDesc& anyDesc() { return catalog_.nodes()[below(catalog_.nodes().size())]; }

    Point anyPoint() { return {double(below(4000)) / 4, double(below(900))}; }

    BoxKind anyKind() { return below(2) == 0 ? BoxKind::Frame : BoxKind::Note; }

    graph::NodeMode anyMode() {
        return below(2) == 0 ? graph::NodeMode::Muted : graph::NodeMode::Bypassed;
    }

    std::string anyNode(const graph::Document& document) {
        if (document.nodes.empty()) {
            return "nobody";
        }
        auto found = document.nodes.begin();
        std::advance(found, below(document.nodes.size()));
        return found->first;
    }

    NodeIds someNodes(const graph::Document& document) {
        NodeIds ids;
        for (int count = 0; count < 5; ++count) {
            ids.insert(anyNode(document));
        }
        return ids;
    }

    graph::PortRef anyLink(const graph::Document& document) {
        return document.links.empty() ? graph::PortRef{"nobody", "x"}
                                      : document.links[below(document.links.size())].to;
    }

    std::string anyBox(const graph::Document& document) {
        const std::vector<Box> boxes = boxesOf(document, anyKind());
        return boxes.empty() ? "nothing" : boxes[below(boxes.size())].id;
    }

    std::string copied(const graph::Document& document) {
        return copyText(document, someNodes(document), below(2) == 0);
    }

    void wire(graph::Document& document) {
        const std::string from = anyNode(document);
        const std::string to = anyNode(document);
        const NodeDesc* source = descOf(document, from);
        const NodeDesc* target = descOf(document, to);
        if (!source || !target || source->outputs.empty() || target->inputs.empty()) {
            return;
        }
        const graph::PortRef output{from, source->outputs[below(source->outputs.size())].id};
        const graph::PortRef input{to, target->inputs[below(target->inputs.size())].id};
        if (wireRefusal(document, catalog_, output, input).empty()) {
            connect(document, output, input);
        }
    }

    const NodeDesc* descOf(const graph::Document& document, const std::string& id) {
        const auto node = document.nodes.find(id);
        return node == document.nodes.end() ? nullptr : catalog_.find(node->second.type);
    }

    void changeNode(graph::Document& document) {
        const auto found = document.nodes.find(anyNode(document));
        if (found == document.nodes.end()) {
            return;
        }
        graph::DocumentNode& node = found->second;
        switch (below(7)) {
            case 0:
                setPosition(node, anyPoint());
                break;
            case 1:
                setCollapsed(node, below(2) == 0);
                break;
            case 2:
                setPinned(node, below(4) == 0);
                break;
            case 3:
                setSeedMode(node, "seed", static_cast<SeedMode>(below(3)));
                break;
            case 4:
                node.params["steps"] = below(100);
                break;
            case 5:
                node.title = "Title " + std::to_string(below(9));
                break;
            default:
                node.memory = below(2) == 0 ? Json("leaf") : Json();
                break;
        }
    }

    const graph::Catalog& catalog_;
    std::mt19937 random_;
};

bool hasCircle(const graph::Document& document) {
    std::map<std::string, size_t> depth;
    for (size_t round = 0; round <= document.nodes.size(); ++round) {
        bool isCalm = true;
        for (const graph::Link& link : document.links) {
            if (depth[link.to.node] <= depth[link.from.node]) {
                depth[link.to.node] = depth[link.from.node] + 1;
                isCalm = false;
            }
        }
        if (isCalm) {
            return false;
        }
    }
    return true;
}

/// A document without the names of its nodes: their contents, sorted, and wires between contents.
QStringList shapeOf(const graph::Document& document, const NodeIds& ids) {
    const auto contents = [&](const std::string& id) {
        Json node = graph::toJson(document).at("nodes").at(id);
        node.erase("position");
        return node.dump();
    };
    QStringList lines;
    for (const std::string& id : ids) {
        lines << QString::fromStdString(contents(id));
    }
    for (const graph::Link& link : document.links) {
        if (ids.contains(link.from.node) && ids.contains(link.to.node)) {
            lines << QString::fromStdString(contents(link.from.node) + "." + link.from.port +
                                            " -> " + contents(link.to.node) + "." + link.to.port);
        }
    }
    lines.sort();
    return lines;
}

}  // namespace

/// What holds after any sequence of edits.
class RandomEditsTest : public test::StrictTest {
    Q_OBJECT

    graph::Catalog catalog_{someNodes()};

    /// One column: the seed.
    static void seeds(int count) {
        QTest::addColumn<uint32_t>("seed");
        for (int seed = 1; seed <= count; ++seed) {
            QTest::addRow("seed %d", seed) << static_cast<uint32_t>(seed);
        }
    }

    void editAtRandom(GraphModel& model, uint32_t seed) {
        Editor editor(catalog_, seed);
        for (int step = 0; step < kEdits; ++step) {
            const auto kind = static_cast<int>(editor.below(Editor::kKinds));
            const QString key = editor.below(3) == 0 ? QString::number(kind) : QString();
            model.apply(
                QString("Edit %1").arg(step),
                [&](graph::Document& document) { editor.edit(document, kind); },
                key);
            if (editor.below(9) == 0 && model.undoStack().canUndo()) {
                model.undoStack().undo();
            }
        }
    }

private Q_SLOTS:

    void undoingAllIsTheStartAndDoingAllAgainTheEnd_data() { seeds(12); }

    void undoingAllIsTheStartAndDoingAllAgainTheEnd() {
        QFETCH(uint32_t, seed);
        GraphModel model(catalog_);
        model.load(someGraph());
        editAtRandom(model, seed);
        const QString end = shown(model.document());
        const int steps = model.undoStack().index();
        QVERIFY(steps > 100);
        while (model.undoStack().canUndo()) {
            model.undoStack().undo();
        }
        QCOMPARE(shown(model.document()), someGraphText());
        while (model.undoStack().index() < steps) {
            model.undoStack().redo();
        }
        QCOMPARE(shown(model.document()), end);
    }

    void everyStepUndoesToTheVeryTextBeforeIt_data() { seeds(4); }

    void everyStepUndoesToTheVeryTextBeforeIt() {
        QFETCH(uint32_t, seed);
        GraphModel model(catalog_);
        model.load(someGraph());
        editAtRandom(model, seed);
        QStringList texts;
        while (model.undoStack().canUndo()) {
            texts << shown(model.document());
            model.undoStack().undo();
        }
        while (model.undoStack().canRedo() && !texts.isEmpty()) {
            model.undoStack().redo();
            QCOMPARE(shown(model.document()), texts.takeLast());
        }
    }

    void savingLoadingAndSavingIsTheSame_data() { seeds(12); }

    void savingLoadingAndSavingIsTheSame() {
        QFETCH(uint32_t, seed);
        GraphModel model(catalog_);
        model.load(someGraph());
        editAtRandom(model, seed);
        const QString saved = shown(model.document());
        model.load(graph::parseDocument(saved.toStdString()));
        QCOMPARE(shown(model.document()), saved);
    }

    void noEditMakesACircleOrAWireFromNowhere_data() { seeds(12); }

    void noEditMakesACircleOrAWireFromNowhere() {
        QFETCH(uint32_t, seed);
        GraphModel model(catalog_);
        model.load(someGraph());
        editAtRandom(model, seed);
        QVERIFY(!hasCircle(model.document()));
        std::set<graph::PortRef> targets;
        for (const graph::Link& link : model.document().links) {
            QVERIFY(model.node(link.from.node));
            QVERIFY(model.node(link.to.node));
            QVERIFY(targets.insert(link.to).second);
        }
        QVERIFY(model.document().extra.contains("future"));
    }

    void whatIsReportedIsEnoughToFollow_data() { seeds(6); }

    void whatIsReportedIsEnoughToFollow() {
        QFETCH(uint32_t, seed);
        GraphModel model(catalog_);
        model.load(someGraph());
        graph::Document follower = model.document();
        connect(&model, &GraphModel::changed, this, [&](const Delta& delta) {
            for (const auto* ids : {&delta.added, &delta.changed, &delta.moved}) {
                for (const std::string& id : *ids) {
                    follower.nodes[id] = *model.node(id);
                }
            }
            for (const std::string& id : delta.removed) {
                QCOMPARE(follower.nodes.erase(id), size_t{1});
            }
            follower.links = delta.links ? model.document().links : follower.links;
            follower.frames = delta.frames ? model.document().frames : follower.frames;
            follower.notes = delta.notes ? model.document().notes : follower.notes;
            follower.groups = delta.groups ? model.document().groups : follower.groups;
            follower.exposed = delta.exposed ? model.document().exposed : follower.exposed;
            if (delta.settings) {
                follower.memoryBudget = model.document().memoryBudget;
            }
        });
        editAtRandom(model, seed);
        QCOMPARE(shown(follower), shown(model.document()));
        while (model.undoStack().canUndo()) {
            model.undoStack().undo();
        }
        QCOMPARE(shown(follower), someGraphText());
    }

    void whatIsPastedHasTheShapeOfWhatWasCopied_data() { seeds(12); }

    void whatIsPastedHasTheShapeOfWhatWasCopied() {
        QFETCH(uint32_t, seed);
        GraphModel model(catalog_);
        model.load(someGraph());
        editAtRandom(model, seed);
        NodeIds ids;
        for (const auto& [id, node] : model.document().nodes) {
            if ((std::hash<std::string>()(id) + seed) % 3 > 0) {
                ids.insert(id);
            }
        }
        const QStringList shape = shapeOf(model.document(), ids);
        NodeIds made;
        model.apply("Paste", [&](graph::Document& document) {
            made = pasteText(document, catalog_, copyText(document, ids, false), {100, 100});
        });
        QCOMPARE(made.size(), ids.size());
        QCOMPARE(shapeOf(model.document(), made), shape);
        QCOMPARE(shapeOf(model.document(), ids), shape);
    }
};

LOWTIDE_TEST(RandomEditsTest)

}  // namespace random_edits_test

#include "random_edits_test.moc"
