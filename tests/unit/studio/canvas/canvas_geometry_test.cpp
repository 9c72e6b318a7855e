#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/canvas/canvas_bench.hpp"
#include "ui/canvas/gestures.hpp"
#include "ui/canvas/navigation.hpp"
#include "ui/canvas/node_layout.hpp"
#include "ui/canvas/node_widths.hpp"
#include "ui/canvas/wire_path.hpp"

#include <random>

namespace lowtide::test::canvas_geometry_test {

namespace {

/// Points on the curve, at most two pixels apart.
std::vector<QPointF> pointsOn(const ui::WirePath& wire) {
    std::vector<QPointF> points;
    for (const QPolygonF& polygon : wire.curve.toSubpathPolygons()) {
        for (qsizetype i = 1; i < polygon.size(); ++i) {
            const QLineF piece(polygon[i - 1], polygon[i]);
            const double count = std::ceil(piece.length() / 2) + 1;
            for (double k = 0; k <= count; ++k) {
                points.push_back(piece.pointAt(k / count));
            }
        }
    }
    return points;
}

/// Whether a point of the line lies within the rectangle.
bool runsBehind(const std::vector<QPointF>& points, const QRectF& rect) {
    return std::ranges::any_of(points, [&](const QPointF& point) { return rect.contains(point); });
}

bool runsBehind(const ui::WirePath& wire, const QRectF& rect) {
    return runsBehind(pointsOn(wire), rect);
}

ui::NodeFace sampleFace() {
    ui::NodeFace face{.id = "n"};
    face.inputs = {{.id = "a"}, {.id = "b"}};
    face.outputs = {{.id = "out"}};
    face.rows = {{.param = "text", .isLong = true, .lines = 3}, {.param = "steps"}};
    return face;
}

/// One input that is needed and two that are not, which are folded.
ui::NodeFace foldedFace() {
    ui::NodeFace face = sampleFace();
    face.canFoldInputs = true;
    face.inputs.push_back({.id = "mask", .type = "MASK", .isOptional = true, .isFolded = true});
    face.inputs.push_back({.id = "other", .type = "MODEL", .isOptional = true, .isFolded = true});
    return face;
}

}  // namespace

class CanvasGeometryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void partsOfANodeDoNotOverlap_data() {
        testing::addTable<double>({"width"}, {{"narrow", 224.0}, {"wide", 320.0}});
    }

    void partsOfANodeDoNotOverlap() {
        QFETCH(double, width);
        const ui::NodeLayout layout = ui::layoutNode(foldedFace(), {40, 200}, {512, 256}, 1, width);

        QCOMPARE(layout.body.width(), width);
        std::vector<QRectF> parts{layout.header, layout.nodeImage, layout.footer, layout.unused};
        for (const ui::RowSpot& row : layout.rows) {
            parts.push_back(row.field);
            QVERIFY(row.field.contains(row.label));
            QVERIFY(row.field.contains(row.value));
            QVERIFY(!row.label.intersects(row.value));
        }
        for (const ui::PortSpot& port : layout.inputs) {
            if (!port.isFolded) {
                parts.push_back(port.label);
            }
        }
        parts.push_back(layout.outputs[0].label);
        for (size_t i = 0; i < parts.size(); ++i) {
            QVERIFY(layout.body.contains(parts[i]));
            for (size_t j = i + 1; j < parts.size(); ++j) {
                QVERIFY2(!parts[i].intersects(parts[j]),
                         qPrintable(QStringLiteral("%1 %2").arg(i).arg(j)));
            }
        }
    }

    void pointsFindTheirPart_data() {
        const ui::NodeLayout layout = ui::layoutNode(sampleFace(), {40, 40}, {512, 256}, 0);
        QTest::addColumn<QPointF>("point");
        QTest::addColumn<int>("part");
        QTest::addColumn<int>("index");
        const auto row = [](const char* name, QPointF point, ui::NodePart part, int index) {
            QTest::newRow(name) << point << static_cast<int>(part) << index;
        };
        row("fold", layout.fold.center(), ui::NodePart::Fold, -1);
        row("header", layout.title.center(), ui::NodePart::Header, -1);
        row("second input", layout.inputs[1].centre - QPointF(4, 0), ui::NodePart::Input, 1);
        row("output", layout.outputs[0].centre, ui::NodePart::Output, 0);
        row("label", layout.rows[1].label.center(), ui::NodePart::Row, 1);
        row("value", layout.rows[1].value.center(), ui::NodePart::Value, 1);
        row("lines", layout.rows[0].value.center(), ui::NodePart::Value, 0);
        row("picture", layout.nodeImage.center(), ui::NodePart::Image, -1);
        row("footer", layout.footer.center(), ui::NodePart::Footer, -1);
        row("outside", QPointF(-40, -40), ui::NodePart::None, -1);
    }

    void pointsFindTheirPart() {
        const ui::NodeLayout layout = ui::layoutNode(sampleFace(), {40, 40}, {512, 256}, 0);
        QFETCH(QPointF, point);
        QFETCH(int, part);
        QFETCH(int, index);

        const ui::NodePartAt found = ui::partAt(layout, point, 10);

        QCOMPARE(static_cast<int>(found.part), part);
        QCOMPARE(found.index, index);
    }

    void collapsedNodeKeepsItsPorts() {
        ui::NodeFace face = sampleFace();
        face.isCollapsed = true;

        const ui::NodeLayout layout = ui::layoutNode(face, {}, {}, 0);

        QCOMPARE(layout.body.height(), ui::node_measures::kHeader);
        QCOMPARE(layout.inputs.size(), size_t{2});
        QVERIFY(layout.inputs[0].centre != layout.inputs[1].centre);
        QVERIFY(layout.rows.empty());
    }

    void foldedInputsTakeOneLine() {
        ui::NodeFace open = foldedFace();
        open.inputs[2].isFolded = open.inputs[3].isFolded = false;
        open.inputs.push_back({.id = "control", .isOptional = true});
        ui::NodeFace folded = open;
        folded.inputs[2].isFolded = folded.inputs[3].isFolded = folded.inputs[4].isFolded = true;

        const ui::NodeLayout layout = ui::layoutNode(folded, {}, {}, 0);

        QCOMPARE(ui::layoutNode(open, {}, {}, 0).body.height() - layout.body.height(),
                 3 * ui::node_measures::kRow);
        QVERIFY(ui::partAt(layout, layout.unused.center(), 10).part == ui::NodePart::Unused);
        QVERIFY(ui::partAt(layout, layout.inputs[4].centre, 4).part != ui::NodePart::Input);
    }

    void inputsInTheFlyoutMoveNothing() {
        const ui::NodeFace face = foldedFace();
        const ui::NodeLayout before = ui::layoutNode(face, {}, {}, 0);
        ui::NodeLayout layout = before;

        ui::addFlyout(layout, face, "MODEL", ui::Look(ui::Theme::current()));

        QVERIFY(layout.flyout.right() <= layout.body.left());
        QCOMPARE(layout.body, before.body);
        QCOMPARE(layout.inputs[1].centre, before.inputs[1].centre);
        QCOMPARE(layout.rows[1].field, before.rows[1].field);
        const ui::NodePartAt part = ui::partAt(layout, layout.flyout.center(), 1);
        QVERIFY(part.part == ui::NodePart::Input);
        QCOMPARE(part.index, 3);
        QVERIFY(layout.inputs[2].isFolded);  // takes another type
    }

    void nodesGrowIntoFreeSpaceAlone_data() {
        testing::addTable<QRectF, double>(
            {"other", "width"},
            {{"nothing near", {800, 0, 224, 200}, 304.0},
             {"a node close by", {300, 0, 224, 200}, 272.0},
             {"one on the left", {-260, 0, 224, 200}, 304.0},
             {"one far below", {300, 900, 224, 200}, 304.0},
             {"one that an image would reach", {300, 250, 224, 200}, 272.0},
             {"one that lies on it", {100, 100, 224, 200}, 224.0}});
    }

    void nodesGrowIntoFreeSpaceAlone() {
        QFETCH(QRectF, other);
        QFETCH(double, width);
        const ui::WidthWish node{.body = {0, 0, 224, 200}, .wanted = 304};

        const auto widths = ui::widthsInSpace({node, {.body = other, .wanted = 304}}, {});
        const auto next = ui::widthsInSpace({node}, {other});  // a note

        QCOMPARE(widths[0], width);
        QCOMPARE(next[0], width);
    }

    void nodesRemainWithinTheirFrame() {
        const ui::WidthWish node{.body = {24, 48, 224, 200}, .wanted = 304};

        QCOMPARE(ui::widthsInSpace({node}, {QRectF(0, 0, 290, 300)})[0], 248.0);
        QCOMPARE(ui::widthsInSpace({node}, {QRectF(0, 0, 600, 300)})[0], 304.0);
    }

    void imageKeepsItsAspect() {
        for (const QSize size : {QSize(512, 256), QSize(256, 512), QSize(64, 512)}) {
            const QRectF image = ui::layoutNode(sampleFace(), {}, size, 0).nodeImage;
            const double wanted = static_cast<double>(size.width()) / size.height();
            QVERIFY(std::abs(image.width() / image.height() - wanted) < 0.03 * wanted);
        }
    }

    void wireGoesAroundNodesInTheWay() {
        const QRectF between(260, 0, 224, 240);
        const QRectF below(260, 260, 224, 160);

        const ui::WirePath straight = ui::wirePath({224, 50}, {560, 50}, {}, {.others = {}}, 0);
        const ui::WirePath around =
            ui::wirePath({224, 50}, {560, 50}, {}, {.others = {between, below}}, 0);

        QVERIFY(straight.isClear);
        QVERIFY(runsBehind(straight, between));
        QVERIFY(!around.isClear);
        QVERIFY(!runsBehind(around, between));
        QVERIFY(!runsBehind(around, below));
        QCOMPARE(around.points.front(), QPointF(224, 50));
        QCOMPARE(around.points.back(), QPointF(560, 50));
    }

    void detoursOfDifferentSourcesRunApart() {
        const ui::InTheWay inTheWay{.others = {{260, 0, 224, 240}}};

        const ui::WirePath one = ui::wirePath({224, 50}, {560, 50}, {}, inTheWay, 0);
        const ui::WirePath other = ui::wirePath({224, 50}, {560, 50}, {}, inTheWay, 1);

        QCOMPARE(one.bounds.top() - other.bounds.top(), 7.0);
    }

    void wireRunsThroughItsBends_aroundWhatIsBetween() {
        const QRectF between(300, 0, 200, 200);

        const ui::WirePath wire =
            ui::wirePath({224, 50}, {900, 50}, {{600, 100}}, {.others = {between}}, 0);

        QVERIFY(ui::distanceTo(wire, {600, 100}) < 0.01);
        QVERIFY(!runsBehind(wire, between));
    }

    void noWireRunsBehindANode_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 20; ++seed) {
            QTest::addRow("%d", seed) << seed;
        }
    }

    /// Nodes of any size in columns and rows that do not touch: there is a way between any two.
    void noWireRunsBehindANode() {
        QFETCH(int, seed);
        std::mt19937 random(static_cast<uint32_t>(seed));
        const auto below = [&](uint32_t end) { return static_cast<double>(random() % end); };
        std::vector<QRectF> nodes;
        for (int i = 0; i < 20; ++i) {
            nodes.emplace_back(420 * (i % 5) + below(40),
                               420 * (i / 5) + below(40),
                               200 + below(120),
                               100 + below(220));
        }
        for (int i = 0; i < 60; ++i) {
            const size_t from = random() % nodes.size();
            const size_t to = (from + 1 + random() % (nodes.size() - 1)) % nodes.size();
            ui::InTheWay inTheWay{.others = {}, .source = nodes[from], .target = nodes[to]};
            for (size_t other = 0; other < nodes.size(); ++other) {
                if (other != from && other != to) {
                    inTheWay.others.push_back(nodes[other]);
                }
            }
            const QPointF start(nodes[from].right(), nodes[from].top() + 20 + below(60));
            const QPointF end(nodes[to].left(), nodes[to].top() + 20 + below(60));

            const ui::WirePath wire = ui::wirePath(start, end, {}, inTheWay, i % 4);

            QCOMPARE(wire.points.front(), start);
            QCOMPARE(wire.points.back(), end);
            const std::vector<QPointF> points = pointsOn(wire);
            for (size_t node = 0; node < nodes.size(); ++node) {
                QVERIFY2(!runsBehind(points, nodes[node].adjusted(2, 2, -2, -2)),
                         qPrintable(QStringLiteral("wire %1 from %2 to %3, behind %4")
                                        .arg(i)
                                        .arg(from)
                                        .arg(to)
                                        .arg(node)));
            }
        }
    }

    void aWireWithoutAWayIsDirect() {
        const QRectF covers(-200, -200, 2000, 600);

        const ui::WirePath wire = ui::wirePath({224, 50}, {560, 50}, {}, {.others = {covers}}, 0);

        QCOMPARE(wire.points.front(), QPointF(224, 50));
        QCOMPARE(wire.points.back(), QPointF(560, 50));
    }

    void wireRunsThroughItsBends() {
        const ui::WirePath wire = ui::wirePath({0, 0}, {400, 0}, {{200, 150}}, {.others = {}}, 0);

        QVERIFY(ui::distanceTo(wire, {200, 150}) < 0.01);
        QVERIFY(ui::distanceTo(wire, {200, 0}) > 20);
    }

    void bendIsPutBetweenItsNeighbours() {
        const std::vector<QPointF> via{{100, 50}, {300, 50}};

        QCOMPARE(ui::positionOnWire({0, 0}, {400, 0}, via, {40, 20}), size_t{0});
        QCOMPARE(ui::positionOnWire({0, 0}, {400, 0}, via, {200, 50}), size_t{1});
        QCOMPARE(ui::positionOnWire({0, 0}, {400, 0}, via, {370, 10}), size_t{2});
    }

    void snapsToEdgesBeforeTheGrid() {
        const std::vector<QRectF> others{{101, 300, 200, 100}};

        const ui::Snapped snap = ui::snapped({104, 45, 200, 100}, others, 8, 6);

        QCOMPARE(snap.shift, QPointF(-3, 3));  // left edge of the other; the grid of 8 downwards
        QCOMPARE(snap.guides.size(), size_t{1});
        QCOMPARE(snap.guides[0].x1(), 101.0);
    }

    void movesToTheNodeAhead_data() {
        QTest::addColumn<int>("direction");
        QTest::addColumn<QString>("next");
        QTest::newRow("right") << static_cast<int>(ui::FocusDirection::Right) << "right";
        QTest::newRow("left") << static_cast<int>(ui::FocusDirection::Left) << "left";
        QTest::newRow("up") << static_cast<int>(ui::FocusDirection::Up) << "";
        QTest::newRow("down") << static_cast<int>(ui::FocusDirection::Down) << "down";
    }

    void movesToTheNodeAhead() {
        const ui::NodeRects rects{{"middle", {300, 0, 200, 100}},
                                  {"left", {0, 20, 200, 100}},
                                  {"right", {600, 10, 200, 100}},
                                  {"far", {900, 0, 200, 100}},
                                  {"down", {320, 200, 200, 100}}};
        QFETCH(int, direction);
        QFETCH(QString, next);

        QCOMPARE(QString::fromStdString(
                     ui::adjacentNode(rects, "middle", static_cast<ui::FocusDirection>(direction))),
                 next);
    }
};

LOWTIDE_WINDOW_TEST(CanvasGeometryTest)

}  // namespace lowtide::test::canvas_geometry_test

#include "canvas_geometry_test.moc"
