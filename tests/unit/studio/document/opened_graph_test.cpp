// What another program wrote is imported when its file is opened; graphs of this one are read.
#include "plugin/image/image_file.hpp"
#include "plugin/image/png.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/opened_graph.hpp"

#include <QtTest/QtTest>

#include <set>

namespace opened_graph_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr const char* kPrompt = R"({"3": {"class_type": "KSampler", "inputs": {"seed": 5}}})";
constexpr const char* kParameters = "a fox\nSteps: 20, Sampler: Euler, Seed: 5, Model: fox";

QByteArray imageWith(const std::vector<image::ImageText>& texts) {
    const Image8 image{.widthPixels = 2,
                       .heightPixels = 2,
                       .channels = 3,
                       .pixels = std::make_shared<uint8_t[]>(12)};
    return QByteArray::fromStdString(image::encodePng(image, texts));
}

const graph::Catalog& someCatalog() {
    static const graph::Catalog all(someNodes());
    return all;
}

graph::DocumentNode nodeOf(const char* type) {
    graph::DocumentNode node;
    node.type = type;
    node.position = {0, 0};
    return node;
}

}  // namespace

class OpenedGraphTest : public test::StrictTest {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string asked_;  ///< of the importer
    QString askedFolder_;

    Importer importer() {
        return [this](const std::string& text, const QString& folder) {
            asked_ = text;
            askedFolder_ = folder;
            return ImportedGraph{.document = someGraph(), .report = {{"source", "a test"}}};
        };
    }

    QString write(const char* name, const QByteArray& bytes) {
        writeFile(folder_.filePath(name), bytes);
        return folder_.filePath(name);
    }

private Q_SLOTS:

    void init() { asked_.clear(); }

    void whatAnotherProgramWroteIsImported_data() {
        const Rows<QString, QByteArray, QString> row("name", "bytes", "text");
        row("a workflow", "flow.json", kPrompt, kPrompt);
        row("settings", "fox.txt", kParameters, kParameters);
        row("an image of ComfyUI", "flow.png", imageWith({{"prompt", kPrompt}}), kPrompt);
        row("an image of A1111", "fox.png", imageWith({{"parameters", kParameters}}), kParameters);
    }

    void whatAnotherProgramWroteIsImported() {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QString, text);

        const OpenedGraph opened = openedFile(write(qPrintable(name), bytes), importer());

        QCOMPARE(QString::fromStdString(asked_), text);
        QCOMPARE(askedFolder_, folder_.path());
        QCOMPARE(opened.report, (Json{{"source", "a test"}}));
        QCOMPARE(opened.document.nodes.size(), someGraph().nodes.size());
    }

    void aGraphOfThisProgramIsRead_data() {
        const std::string graph = someGraphText().toStdString();
        const Rows<QString, QByteArray> row("name", "bytes");
        row("a file", "own.json", someGraphText().toUtf8());
        row("an image that A1111 reads, too",
            "own.png",
            imageWith({{"parameters", kParameters}, {"lowtide_graph", graph}}));
    }

    void aGraphOfThisProgramIsRead() {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);

        const OpenedGraph opened = openedFile(write(qPrintable(name), bytes), importer());

        QCOMPARE(asked_, std::string());
        QVERIFY(opened.report.is_null());
        QCOMPARE(opened.document.nodes.size(), someGraph().nodes.size());
    }

    void aRefusalNamesTheFile() {
        const QString path = write("flow.json", kPrompt);
        const Importer refusing = [](const std::string&, const QString&) -> ImportedGraph {
            throw Error(ErrorKind::Corrupt, message("two nodes have one id"), message("try again"));
        };

        const auto error = errorOf([&] { static_cast<void>(openedFile(path, refusing)); });

        QVERIFY(error.has_value());
        QCOMPARE(error->message().str(), std::string("\"flow.json\": two nodes have one id"));
        QCOMPARE(error->hint().str(), std::string("try again"));
    }

    void withoutAModuleNothingIsImported() {
        const QString path = write("flow.json", kPrompt);
        const auto error = errorOf([&] { static_cast<void>(openedFile(path, {})); });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
    }

    void aTextIsKeptByNoFile() {
        const OpenedGraph opened = openedText(kParameters, "pasted", importer());

        QCOMPARE(asked_, std::string(kParameters));
        QCOMPARE(opened.name, QString("pasted"));
        QVERIFY(!opened.isKept);
    }

    void outputsThatCannotRunAreMuted_whereOthersCan() {
        graph::Document document;
        document.nodes["image"] = nodeOf("finish.sharpen");
        document.nodes["odd"] = nodeOf("comfyui.Odd");
        document.nodes["save_image"] = nodeOf("save.image");
        document.nodes["save_odd"] = nodeOf("save.image");
        ui::connect(document, {"image", "image"}, {"odd", "image"});
        ui::connect(document, {"image", "image"}, {"save_image", "image"});
        ui::connect(document, {"odd", "output_0"}, {"save_odd", "image"});

        settleImport(document, someCatalog());

        QCOMPARE(document.nodes.at("save_odd").mode, graph::NodeMode::Muted);
        QCOMPARE(document.nodes.at("save_image").mode, graph::NodeMode::Active);

        removeNodes(document, someCatalog(), {"save_image"});
        document.nodes.at("save_odd").mode = graph::NodeMode::Active;
        settleImport(document, someCatalog());
        QCOMPARE(document.nodes.at("save_odd").mode, graph::NodeMode::Active);
    }

    void nodesWithoutAPositionAreLaidOut() {
        graph::Document document;
        for (const char* id : {"encode", "denoise", "decode"}) {
            document.nodes[id] = nodeOf("denoise.sample");
        }
        settleImport(document, someCatalog());
        QCOMPARE(positionOf(document.nodes.at("decode")), Point());  // where the file has it

        document.nodes.at("decode").position = nullptr;
        settleImport(document, someCatalog());
        std::set<std::pair<double, double>> positions;
        for (const auto& [id, node] : document.nodes) {
            positions.emplace(positionOf(node).x, positionOf(node).y);
        }
        QCOMPARE(positions.size(), size_t{3});
    }
};

LOWTIDE_WINDOW_TEST(OpenedGraphTest)

}  // namespace opened_graph_test

#include "opened_graph_test.moc"
