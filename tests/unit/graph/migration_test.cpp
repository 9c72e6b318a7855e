#include "plugin/base/error.hpp"
#include "plugin/graph/document.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace migration_test {

using namespace lowtide;
using namespace lowtide::graph;

namespace {

/// Three formats: the first had "w", the second "width", the third a list.
const std::vector<Migration> kMigrations = {
    [](Json& graph) {
        graph["width"] = graph["w"];
        graph.erase("w");
    },
    [](Json& graph) { graph["width"] = Json::array({graph["width"]}); },
};

QString refusalOf(Json graph) {
    try {
        migrate(graph, kMigrations, 3);
    } catch (const Error& error) {
        return QString::fromStdString(error.message().str());
    }
    return {};
}

}  // namespace

class MigrationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void takesEveryMissingStep_inOrder() {
        Json graph = {{"format", 1}, {"w", 5}};

        migrate(graph, kMigrations, 3);

        QCOMPARE(graph, Json({{"format", 3}, {"width", {5}}}));
    }

    void takesOnlyTheStepsThatAreMissing() {
        Json graph = {{"format", 2}, {"width", 5}};

        migrate(graph, kMigrations, 3);

        QCOMPARE(graph, Json({{"format", 3}, {"width", {5}}}));
    }

    void leavesTheNewestFormatAsItIs() {
        Json graph = {{"format", 3}, {"w", 5}};

        migrate(graph, kMigrations, 3);

        QCOMPARE(graph, Json({{"format", 3}, {"w", 5}}));
    }

    void namesBothNumbers_whenTheFormatIsNewer() {
        const QString refusal = refusalOf({{"format", 17}});

        QVERIFY2(refusal.contains("17") && refusal.contains("3"), qPrintable(refusal));
    }

    void refusesFormatsThatNeverWere() {
        QVERIFY(refusalOf({{"format", 0}}).contains("0"));
        QVERIFY(!refusalOf({{"format", "1"}}).isEmpty());
        QVERIFY(!refusalOf({{"format", 1.5}}).isEmpty());
        QVERIFY(!refusalOf(Json::object()).isEmpty());
    }

    void oldPromptsKeepTheirOldWeights_data() {
        const testing::Rows<QString, QString> row("node", "weights");
        row("not stated", R"({"type": "prompt.encode", "params": {"prompt": "a"}})", "none");
        row("no parameters", R"({"type": "prompt.encode"})", "none");
        row("stated", R"({"type": "prompt.encode", "params": {"weights": "compel"}})", "compel");
        row("another node", R"({"type": "save.image", "params": {}})", "");
    }

    void oldPromptsKeepTheirOldWeights() {
        QFETCH(QString, node);
        QFETCH(QString, weights);
        const auto read = [&](int format) {
            return parseDocument(R"({"format": )" + std::to_string(format) +
                                 R"(, "nodes": {"n": )" + node.toStdString() + "}}")
                .nodes.at("n")
                .params;
        };

        QCOMPARE(QString::fromStdString(read(1).value("weights", "")), weights);
        // What format 2 leaves out is the node's default.
        QCOMPARE(read(2).contains("weights"), weights == "compel");
    }

    void oldGraphsOfAnyShapeAreReadOrRefused_data() {
        QTest::addColumn<QString>("nodes");
        QTest::newRow("list") << "[]";
        QTest::newRow("number for a node") << R"({"n": 3})";
        QTest::newRow("type no text") << R"({"n": {"type": ["prompt.encode"]}})";
        QTest::newRow("parameters a list") << R"({"n": {"type": "prompt.encode", "params": [1]}})";
        QTest::newRow("parameters null") << R"({"n": {"type": "prompt.encode", "params": null}})";
    }

    void oldGraphsOfAnyShapeAreReadOrRefused() {
        QFETCH(QString, nodes);
        QVERIFY_EXCEPTION_THROWN(
            (void)parseDocument(R"({"format": 1, "nodes": )" + nodes.toStdString() + "}"), Error);
    }

    void hasOneMigrationPerFormatThatWasReplaced() {
        QCOMPARE(static_cast<int64_t>(migrations().size()), kDocumentFormat - 1);
    }
};

LOWTIDE_TEST(MigrationTest)

}  // namespace migration_test

#include "migration_test.moc"
