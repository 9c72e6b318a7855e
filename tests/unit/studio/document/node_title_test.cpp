#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/node_title.hpp"

#include <QtTest/QtTest>

namespace node_title_test {

using namespace lowtide;
using namespace lowtide::ui;

class NodeTitleTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void isTheOwnOne_thenTheTypes_thenTheId() {
        graph::Document document;
        document.nodes["a"].type = "test.sampler";
        document.nodes["b"].type = "not.installed";
        NodeDesc desc;
        desc.id = "test.sampler";
        desc.label = "Sampler";
        const graph::Catalog catalog({desc});

        QCOMPARE(nodeTitle(document, catalog, "a"), QString("Sampler"));
        QCOMPARE(nodeTitle(document, catalog, "b"), QString("not.installed"));
        QCOMPARE(nodeTitle(document, catalog, "gone"), QString("gone"));
        document.nodes["a"].title = "First pass";
        QCOMPARE(nodeTitle(document, catalog, "a"), QString("First pass"));
    }

    void distinguishesNodesOfOneTitle() {
        graph::Document document;
        document.nodes["a"].type = "test.sampler";
        document.nodes["b"].type = "test.sampler";
        const graph::Catalog catalog({});

        QCOMPARE(distinctNodeTitle(document, catalog, "a"), QString("test.sampler (a)"));
        document.nodes["b"].title = "Second pass";
        QCOMPARE(distinctNodeTitle(document, catalog, "a"), QString("test.sampler"));
        QCOMPARE(distinctNodeTitle(document, catalog, "b"), QString("Second pass"));
    }
};

LOWTIDE_TEST(NodeTitleTest)

}  // namespace node_title_test

#include "node_title_test.moc"
