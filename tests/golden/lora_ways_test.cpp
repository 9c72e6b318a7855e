// The ways to give a model several LoRAs: nodes behind one another, one node with rows, tags of the
// prompt. They give the same bits.

#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace lora_ways_test {

using namespace lowtide;

namespace {

struct WayOfLoras {
    QByteArray dump;
    testing::CommandResult run;
};

/// The example with nodes between the checkpoint and what reads the model.
Json exampleWith(const std::vector<std::string>& types) {
    Json graph = parseJson(
        testing::contentsOf(testing::exampleGraph("text_to_image")).toStdString(), "graph");
    std::string last = "load";
    for (size_t i = 0; i < types.size(); ++i) {
        const std::string id = "lora_" + std::to_string(i);
        graph["nodes"][id] = {{"type", types[i]}, {"v", 1}};
        graph["links"].push_back({{"from", {last, "model"}}, {"to", {id, "model"}}});
        last = id;
    }
    for (Json& link : graph["links"]) {
        const std::string target = link["to"][0];
        if (link["from"][0] == "load" && (target == "encode" || target == "denoise")) {
            link["from"][0] = last;
        }
    }
    return graph;
}

/// Denoise reads the model that the prompt's LoRAs adapt.
Json exampleOfTags() {
    Json graph = exampleWith({});
    for (Json& link : graph["links"]) {
        if (link["from"][0] == "load" && link["to"][0] == "denoise") {
            link["from"] = {"encode", "model"};
        }
    }
    return graph;
}

}  // namespace

class LoraWaysTest : public QObject {
    Q_OBJECT

    QString goldens_;
    QTemporaryDir folder_;

    [[nodiscard]] QString lora(const QString& name) const { return "loras/" + name; }

    /// The graph next to a folder loras/, run on the checkpoint of the files.
    [[nodiscard]] WayOfLoras ran(const Json& graph,
                                 const QStringList& settings,
                                 const QString& policy = "none") const {
        const QString path = folder_.filePath("graph.json");
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) {
            return {};
        }
        file.write(QByteArray::fromStdString(graph.dump()));
        file.close();
        const QString dump = folder_.filePath("dump.safetensors");
        QFile::remove(dump);
        QStringList arguments = {"run", path, "--out", folder_.path(), "--dump", dump};
        arguments << "--policy"
                  << "denoise=" + policy << "--policy"
                  << "encode=" + policy;
        const QStringList common = {"load.checkpoint=" + goldens_ + "/checkpoints/sd15_0",
                                    "latent.width=64",
                                    "latent.height=64",
                                    "denoise.steps=3"};
        for (const QString& setting : common + settings) {
            arguments << "--set" << setting;
        }
        WayOfLoras way;
        way.run = testing::runInProcess(arguments);
        way.dump = way.run.exitCode == 0 ? testing::contentsOf(dump) : QByteArray();
        return way;
    }

    [[nodiscard]] WayOfLoras nodes(const QString& policy = "none") const {
        return ran(exampleWith({"load.lora", "load.lora"}),
                   {"lora_0.file=" + lora("kohya.safetensors"),
                    "lora_0.strength=0.5",
                    "lora_0.text_strength=0.75",
                    "lora_1.file=" + lora("peft"),
                    "lora_1.strength=-0.25",
                    "lora_1.text_strength=1",
                    "encode.prompt=a cat, red"},
                   policy);
    }

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::loraGoldenFolder();
        QVERIFY(QFile::link(goldens_ + "/lora/sd15_0_0", folder_.filePath("loras")));
    }

    void aStackGivesTheBitsOfNodes_data() {
        QTest::addColumn<QString>("policy");
        QTest::newRow("resident") << "none";
        QTest::newRow("streamed") << "leaf+stream";
    }

    void aStackGivesTheBitsOfNodes() {
        QFETCH(QString, policy);
        const WayOfLoras single = nodes(policy);
        QVERIFY2(single.dump.size() > 10000, qPrintable(single.run.errors));

        const WayOfLoras stack = ran(exampleWith({"load.lora_stack"}),
                                     {"lora_0.file_2=" + lora("kohya.safetensors"),
                                      "lora_0.strength_2=0.5",
                                      "lora_0.text_strength_2=0.75",
                                      "lora_0.file_3=" + lora("diffusers"),
                                      "lora_0.use_3=false",
                                      "lora_0.file_7=" + lora("peft"),
                                      "lora_0.strength_7=-0.25",
                                      "encode.prompt=a cat, red"},
                                     policy);

        QVERIFY2(stack.dump == single.dump, qPrintable(stack.run.errors));
    }

    void theOrderOfRowsIsThatOfTheSums() {
        const QStringList settings = {"lora_0.file_1=" + lora("kohya"),
                                      "lora_0.file_2=" + lora("none_such")};
        const WayOfLoras missing = ran(exampleWith({"load.lora_stack"}), settings);
        QCOMPARE(missing.run.exitCode, 2);
        QVERIFY2(missing.run.errors.contains("lora_0") && missing.run.errors.contains("none_such"),
                 qPrintable(missing.run.errors));
        QVERIFY2(missing.run.errors.contains("file_2"), qPrintable(missing.run.errors));
    }

    void tagsGiveTheBitsOfNodes_data() {
        const testing::Rows<QString> row("prompt");
        row("numbers", "a cat<lora:kohya:0.75:0.5>, red<lora:peft.safetensors:1:-0.25>");
        row("named", "<lora:kohya:te=0.75:unet=0.5>a cat, <lyco:peft:1:-0.25:lbw=ALL>red");
        row("with others",
            "a cat<lora:none_such:1>, <lora:kohya:0.75:0.5>red"
            "<lora:peft:1:-0.25><lora:diffusers:x>");
    }

    void tagsGiveTheBitsOfNodes() {
        QFETCH(QString, prompt);
        const WayOfLoras single = nodes();
        const WayOfLoras tags =
            ran(exampleOfTags(), {"encode.loras=true", "encode.prompt=" + prompt});
        QVERIFY2(!tags.dump.isEmpty() && tags.dump == single.dump, qPrintable(tags.run.errors));
    }

    void whatIsLeftOutIsReported() {
        const WayOfLoras way = ran(exampleWith({}),
                                   {"encode.loras=true",
                                    "encode.prompt=a cat <lora:none_such:1> <lora:kohya:0,8> "
                                    "<hypernet:h:1> <lora:kohya:0.5>",
                                    "encode.negative=<lora:peft:1>"});
        QCOMPARE(way.run.exitCode, 0);
        const QString message = way.run.errors + way.run.output;
        for (const char* part :
             {"\"<lora:none_such:1>\" is left out: there is no LoRA \"none_such\"",
              "\"<lora:kohya:0,8>\" is left out: \"0,8\" is no number",
              "\"<hypernet:h:1>\" is left out: \"hypernet\" is not built",
              "nothing reads the output Model",
              "\"<lora:peft:1>\" (elsewhere a file to load)"}) {
            QVERIFY2(message.contains(part),
                     qPrintable(QString(part) + "\nis not in:\n" + message));
        }
    }

    /// The switch is off: tags are words, with a warning that states how they are read.
    void withoutTheSwitchTagsAreWords() {
        const WayOfLoras way =
            ran(exampleOfTags(), {"encode.prompt=a cat <lora:kohya:1>", "encode.weights=none"});
        const WayOfLoras plain = ran(exampleOfTags(), {"encode.prompt=a cat"});
        QCOMPARE(way.run.exitCode, 0);
        QVERIFY(way.dump != plain.dump);
        QVERIFY2((way.run.errors + way.run.output).contains("turn on LoRAs of the prompt"),
                 qPrintable(way.run.errors));
    }
};

LOWTIDE_TEST(LoraWaysTest)

}  // namespace lora_ways_test

#include "lora_ways_test.moc"
