// What an image states of its model is kept with the graph: its file is found under any name.
#include "tests/fixtures/test_program.hpp"
#include "ui/document/opened_graph.hpp"

#include <QtTest/QtTest>

namespace model_hashes_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

graph::Document graphWith(const char* file) {
    graph::Document document;
    graph::DocumentNode node;
    node.type = "load.checkpoint";
    node.params = {{"checkpoint", file}, {"steps", 3}};
    document.nodes["load"] = node;
    return document;
}

}  // namespace

class ModelHashesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void keepsTheHashOfTheModelThatTheGraphNames_data() {
        QTest::addColumn<QByteArray>("parameters");
        QTest::addColumn<QByteArray>("hash");
        // As A1111 and this program write them (docs/output_files.md).
        QTest::newRow("usual") << QByteArray(
                                      "a boat\nNegative prompt: x\nSteps: 20, Size: 512x512, Model "
                                      "hash: 6CE0161689, Model: "
                                      "v1-5, Version: v1.10")
                               << QByteArray("6ce0161689");
        QTest::newRow("another model")
            << QByteArray("Steps: 20, Model hash: 6ce0161689, Model: dream") << QByteArray();
        QTest::newRow("a prompt that looks like it")
            << QByteArray("Model hash: 6ce0161689, Model: v1-5\nSteps: 20") << QByteArray();
        QTest::newRow("no digits") << QByteArray("Model hash: none, Model: v1-5") << QByteArray();
        QTest::newRow("empty") << QByteArray() << QByteArray();
    }

    void keepsTheHashOfTheModelThatTheGraphNames() {
        QFETCH(QByteArray, parameters);
        QFETCH(QByteArray, hash);
        graph::Document document = graphWith("sd15/v1-5.safetensors");
        keepModelHashes(document, parameters.toStdString());
        QCOMPARE(modelHashOf(document, "sd15/v1-5.safetensors"), hash.toStdString());
        const graph::Document again = graph::parseDocument(graph::toText(document));
        QCOMPARE(modelHashOf(again, "sd15/v1-5.safetensors"), hash.toStdString());
    }

    void aFileWithoutTextsKeepsNothing() {
        graph::Document document = graphWith("a.safetensors");
        const std::string before = graph::toText(document);
        keepModelHashes(document, QStringLiteral("/nowhere/x.png"));
        QCOMPARE(graph::toText(document), before);
    }
};

LOWTIDE_TEST(ModelHashesTest)

}  // namespace model_hashes_test

#include "model_hashes_test.moc"
