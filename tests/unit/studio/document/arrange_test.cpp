#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/arrange.hpp"
#include "ui/document/layers.hpp"

#include <QtTest/QtTest>

#include <random>

namespace arrange_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

/// Nodes a, b, c, ... of 100 x 50 at the origin, and wires.
graph::Document graphOf(int count, const std::vector<std::pair<char, char>>& wires) {
    graph::Document document;
    for (int number = 0; number < count; ++number) {
        document.nodes[std::string(1, static_cast<char>('a' + number))] = {.type = "x"};
    }
    for (const auto& [from, to] : wires) {
        connect(document,
                {std::string(1, from), "out"},
                {std::string(1, to), std::string("from_") + from});
    }
    return document;
}

NodeSizes sizesOf(const graph::Document& document, Point size) {
    NodeSizes sizes;
    for (const auto& [id, node] : document.nodes) {
        sizes[id] = size;
    }
    return sizes;
}

Point at(const graph::Document& document, const char* id) {
    return positionOf(document.nodes.at(id));
}

/// The first two nodes that lie on each other.
QString overlap(const graph::Document& document, const NodeSizes& sizes) {
    for (auto one = document.nodes.begin(); one != document.nodes.end(); ++one) {
        for (auto other = std::next(one); other != document.nodes.end(); ++other) {
            const Point a = positionOf(one->second);
            const Point b = positionOf(other->second);
            const Point p = sizes.at(one->first);
            const Point q = sizes.at(other->first);
            if (a.x < b.x + q.x && b.x < a.x + p.x && a.y < b.y + q.y && b.y < a.y + p.y) {
                return QString::fromStdString(one->first + " and " + other->first);
            }
        }
    }
    return {};
}

}  // namespace

/// Aligning, distributing, arranging.
class ArrangeTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void aligns_data() {
        testing::addTable<int, double, double>({"how", "x", "y"},
                                               {{"left", int(Alignment::Left), 0.0, 200.0},
                                                {"centre", int(Alignment::Centre), 150.0, 200.0},
                                                {"right", int(Alignment::Right), 300.0, 200.0},
                                                {"top", int(Alignment::Top), 300.0, 0.0},
                                                {"middle", int(Alignment::Middle), 300.0, 100.0},
                                                {"bottom", int(Alignment::Bottom), 300.0, 200.0}});
    }

    void aligns() {
        QFETCH(int, how);
        QFETCH(double, x);
        QFETCH(double, y);
        graph::Document document = graphOf(2, {});
        setPosition(document.nodes.at("b"), {300, 200});
        align(document, {"a", "b"}, sizesOf(document, {100, 50}), static_cast<Alignment>(how));
        QCOMPARE(at(document, "b"), (Point{x, y}));
    }

    void aPinnedNodeIsAlignedToAndRemains() {
        graph::Document document = graphOf(2, {});
        setPosition(document.nodes.at("b"), {300, 200});
        setPinned(document.nodes.at("b"), true);
        align(document, {"a", "b"}, sizesOf(document, {100, 50}), Alignment::Right);
        QCOMPARE(at(document, "a"), (Point{300, 0}));
        QCOMPARE(at(document, "b"), (Point{300, 200}));
    }

    void distributesWithEqualGaps() {
        graph::Document document = graphOf(3, {});
        setPosition(document.nodes.at("b"), {110, 7});
        setPosition(document.nodes.at("c"), {500, 0});
        NodeSizes sizes = sizesOf(document, {100, 50});
        sizes["b"] = {200, 50};
        distribute(document, {"a", "b", "c"}, sizes, Axis::Horizontal);
        QCOMPARE(at(document, "a"), (Point{0, 0}));
        QCOMPARE(at(document, "b"), (Point{200, 7}));
        QCOMPARE(at(document, "c"), (Point{500, 0}));
        setPosition(document.nodes.at("b"), {0, 400});
        setPosition(document.nodes.at("c"), {0, 100});
        distribute(document, {"a", "b", "c"}, sizes, Axis::Vertical);
        QCOMPARE(at(document, "c"), (Point{0, 200}));
    }

    void wiresRunFromLeftToRight() {
        graph::Document document =
            graphOf(5, {{'e', 'd'}, {'d', 'c'}, {'c', 'b'}, {'e', 'b'}, {'a', 'b'}});
        const NodeSizes sizes = sizesOf(document, {100, 50});
        arrange(document, {}, sizes);
        for (const graph::Link& link : document.links) {
            QVERIFY(positionOf(document.nodes.at(link.from.node)).x + 100 <
                    positionOf(document.nodes.at(link.to.node)).x);
        }
        QCOMPARE(overlap(document, sizes), QString());
        QCOMPARE(at(document, "a").x, at(document, "c").x);  // next to what it feeds
    }

    void arrangingAgainChangesNothing() {
        graph::Document document = largeGraph(60);
        document.nodes["single"] = {.type = "x"};
        const NodeSizes sizes = sizesOf(document, {200, 133});
        arrange(document, {}, sizes);
        const QString once = shown(document);
        arrange(document, {}, sizes);
        QCOMPARE(shown(document), once);
    }

    void theResultDoesNotDependOnWhereNodesWere() {
        graph::Document document = largeGraph(60);
        graph::Document other = document;
        const NodeSizes sizes = sizesOf(document, {200, 133});
        for (auto& [id, node] : other.nodes) {
            setPosition(node, {0, 0});
        }
        arrange(document, {}, sizes);
        arrange(other, {}, sizes);
        QCOMPARE(shown(document), shown(other));
    }

    void nothingOverlapsInAnyGraph_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 20; ++seed) {
            QTest::addRow("%d", seed) << seed;
        }
    }

    void nothingOverlapsInAnyGraph() {
        QFETCH(int, seed);
        std::mt19937 random(static_cast<uint32_t>(seed));
        const auto below = [&](size_t end) { return static_cast<double>(random() % end); };
        graph::Document document = graphOf(26, {});
        NodeSizes sizes;
        for (auto& [id, node] : document.nodes) {
            sizes[id] = {80 + below(300), 40 + below(400)};
            setPosition(node, {below(900), below(900)});
        }
        for (int wire = 0; wire < 40; ++wire) {  // circles, too
            ui::connect(document,
                        {std::string(1, static_cast<char>('a' + random() % 26)), "out"},
                        {std::string(1, static_cast<char>('a' + random() % 26)),
                         std::to_string(random() % 3)});
        }
        arrange(document, {}, sizes);
        QCOMPARE(overlap(document, sizes), QString());
    }

    void pinnedNodesAndOthersRemainAndAreLeftFree() {
        graph::Document document = graphOf(5, {{'a', 'b'}, {'b', 'c'}});
        setPosition(document.nodes.at("d"), {180, 0});
        setPinned(document.nodes.at("d"), true);
        setPosition(document.nodes.at("e"), {350, 10});
        const NodeSizes sizes = sizesOf(document, {100, 50});
        arrange(document, {"a", "b", "c", "d"}, sizes);
        QCOMPARE(at(document, "d"), (Point{180, 0}));
        QCOMPARE(at(document, "e"), (Point{350, 10}));
        QCOMPARE(overlap(document, sizes), QString());
    }

    void theTopLeftCornerRemains() {
        graph::Document document = graphOf(3, {{'a', 'b'}, {'b', 'c'}});
        for (auto& [id, node] : document.nodes) {
            setPosition(node, {800, 1600});
        }
        arrange(document, {}, sizesOf(document, {100, 50}));
        QCOMPARE(at(document, "a"), (Point{800, 1600}));
        QCOMPARE(at(document, "b").y, 1600.0);
    }

    void aWireThatWouldRunBehindANodeGoesAroundIt() {
        graph::Document document = graphOf(3, {{'a', 'b'}, {'b', 'c'}, {'a', 'c'}});
        arrange(document, {}, sizesOf(document, {100, 50}));
        const std::vector<Point> via = reroutesOf(*linkInto(document, {"c", "from_a"}));
        QVERIFY(!via.empty());
        const Point b = at(document, "b");
        for (const Point point : via) {
            QVERIFY(point.y < b.y || point.y > b.y + 50);
        }
        QVERIFY(reroutesOf(*linkInto(document, {"b", "from_a"})).empty());
    }

    /// What a pinned node pushes down may come to lie where the wire was to run.
    void noWireRunsBehindWhatWasPushed() {
        graph::Document document = graphOf(4, {{'a', 'b'}, {'b', 'c'}, {'a', 'c'}});
        setPinned(document.nodes.at("d"), true);
        setPosition(document.nodes.at("d"), {5000, 5000});
        const NodeSizes sizes = sizesOf(document, {100, 50});
        arrange(document, {}, sizes);
        setPosition(document.nodes.at("d"), at(document, "b"));

        arrange(document, {}, sizes);

        const std::vector<Point> via = reroutesOf(*linkInto(document, {"c", "from_a"}));
        for (const NodeBox& box : nodeBoxesOf(document, {"b", "d"}, sizes)) {
            for (size_t next = 1; next < via.size(); ++next) {
                const Point from = via[next - 1];
                const NodeBox line{.id = {},
                                   .topLeft = from,
                                   .size = {via[next].x - from.x, via[next].y - from.y}};
                QVERIFY2(via[next].y != from.y || !box.touches(line, 0), box.id.c_str());
            }
        }
    }

    void oldReroutesOfMovedWiresGo() {
        graph::Document document = graphOf(2, {{'a', 'b'}});
        setReroutes(document, {"b", "from_a"}, {{5000, 5000}});
        arrange(document, {}, sizesOf(document, {100, 50}));
        QVERIFY(reroutesOf(*linkInto(document, {"b", "from_a"})).empty());
    }

    void crossingsAreUntangled() {
        const Layers layers = makeLayers(6, {{0, 5}, {1, 4}, {2, 3}});
        QCOMPARE(crossingsOf(layers), size_t{0});
    }

    void crossingsAreCounted() {
        Layers layers = makeLayers(4, {{0, 2}, {1, 3}});
        QCOMPARE(crossingsOf(layers), size_t{0});
        std::swap(layers.order[0][0], layers.order[0][1]);
        QCOMPARE(crossingsOf(layers), size_t{1});
    }

    void emptyAndUnknownAreFine() {
        graph::Document document;
        arrange(document, {}, {});
        arrange(document, {"nobody"}, {});
        align(document, {"nobody"}, {}, Alignment::Left);
        distribute(document, {"nobody"}, {}, Axis::Vertical);
        QVERIFY(document.nodes.empty());
    }

    void aThousandNodesAreArrangedQuickly() {
        graph::Document document = largeGraph(1000);
        const NodeSizes sizes = sizesOf(document, {200, 160});
        CpuTimer timer;
        arrange(document, {}, sizes);
        const double milliseconds = timer.milliseconds();
        qInfo("1000 nodes and %zu wires arranged in %.0f ms", document.links.size(), milliseconds);
        QVERIFY(milliseconds < 10 * 500);
        QCOMPARE(overlap(document, sizes), QString());
    }
};

LOWTIDE_TEST(ArrangeTest)

}  // namespace arrange_test

#include "arrange_test.moc"
