#include "plugin/interop/fold.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/interop/sample_workflow.hpp"

#include <QtTest/QtTest>

#include <set>

namespace fold_test {

using namespace lowtide;
using namespace lowtide::interop;

namespace {

Prompt foldedFrom(const char* text, const ImageProbe& imageSize = {}) {
    Prompt prompt = promptOf(text);
    static_cast<void>(foldPrompt(prompt, sourceTable(), imageSize));
    return prompt;
}

/// The value of "x" of the node "end", which the one that is given feeds.
Json valueFrom(const std::string& node, const char* more = "") {
    const std::string text =
        R"({"end": {"class_type": "Odd", "inputs": {"x": ["n", 0]}}, "n": )" + node + more + "}";
    return foldedFrom(text.c_str()).nodes.at("end").inputs.at("x").value;
}

constexpr const char* kSwitch = R"({
  "a": {"class_type": "UNETLoader", "inputs": {"unet_name": "a.safetensors"}},
  "lora": {"class_type": "LoraLoaderModelOnly", "inputs": {"model": ["a", 0], "lora_name": "fast"}},
  "on": {"class_type": "PrimitiveBoolean", "inputs": {"value": %1}},
  "s": {"class_type": "ComfySwitchNode", "inputs": {"on_false": ["a", 0], "on_true": ["lora", 0], "switch": ["on", 0]}},
  "end": {"class_type": "Odd", "inputs": {"model": ["s", 0]}}
})";

}  // namespace

class FoldTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aSwitchTakesOneBranch_andForgetsTheOther() {
        const Prompt off = foldedFrom(QString(kSwitch).arg("false").toStdString().c_str());
        const Prompt on = foldedFrom(QString(kSwitch).arg("true").toStdString().c_str());

        QCOMPARE(off.nodes.at("end").inputs.at("model").from, (Socket{"a", 0}));
        QVERIFY(!off.nodes.contains("lora"));
        QCOMPARE(off.leftOut.at(0).node, std::string("lora"));
        QCOMPARE(on.nodes.at("end").inputs.at("model").from, (Socket{"lora", 0}));
        QVERIFY(!on.nodes.contains("s") && !on.nodes.contains("on"));
    }

    void evaluates_data() {
        const testing::Rows<QString, QString> row("node", "value");
        row("maths",
            R"({"class_type": "ComfyMathExpression", "inputs": {"expression": "a * b + 1", "values.a": 5, "values.b": 16}})",
            "81.0");
        row("a text",
            R"({"class_type": "PrimitiveString", "inputs": {"value": "cat"}})",
            "\"cat\"");
        row("two texts",
            R"({"class_type": "StringConcatenate", "inputs": {"string_a": "cat", "string_b": "dog", "delimiter": ", "}})",
            "\"cat, dog\"");
        row("a text within",
            R"({"class_type": "StringReplace", "inputs": {"string": "a {x} b {x}", "find": "{x}", "replace": 3}})",
            "\"a 3 b 3\"");
        row("a choice",
            R"({"class_type": "CustomCombo", "inputs": {"choice": "Turbo", "index": 2}})",
            "\"Turbo\"");
        row("a resolution",
            R"json({"class_type": "ResolutionSelector",
                    "inputs": {"aspect_ratio": "16:9 (Widescreen)", "megapixels": 1, "multiple": 8}})json",
            "1368");
    }

    void evaluates() {
        QFETCH(QString, node);
        QFETCH(QString, value);
        QCOMPARE(QString::fromStdString(valueFrom(node.toStdString()).dump()), value);
    }

    void anAspectWithoutANumberIsNotEvaluated() {
        for (const char* aspect : {"inf:inf", "nan:1", "0:1", "1e308:1e-308"}) {
            const Json node = {{"class_type", "ResolutionSelector"},
                               {"inputs", {{"megapixels", 1}, {"aspect_ratio", aspect}}}};
            QVERIFY2(valueFrom(node.dump()).is_null(), aspect);
        }
    }

    void evaluatesInTheOrderOfTheWires() {
        const Json value = valueFrom(
            R"({"class_type": "ComfyMathExpression", "inputs": {"expression": "a + 1", "values.a": ["z", 1]}})",
            R"(, "z": {"class_type": "ComfyMathExpression", "inputs": {"expression": "7 / 2"}})");
        QCOMPARE(value, Json(4.0));  // the second output of z is whole
    }

    void whatOnlyARunGivesRemains() {
        const Prompt prompt = foldedFrom(R"({
            "i": {"class_type": "LoadImage", "inputs": {"image": "a.png"}},
            "size": {"class_type": "GetImageSize", "inputs": {"image": ["i", 0]}},
            "end": {"class_type": "Odd", "inputs": {"x": ["size", 0]}}})");
        QCOMPARE(prompt.nodes.at("end").inputs.at("x").from, (Socket{"size", 0}));
    }

    void theSizeOfAFileIsKnown() {
        const Prompt prompt = foldedFrom(
            R"({"i": {"class_type": "LoadImage", "inputs": {"image": "a.png"}},
            "size": {"class_type": "GetImageSize", "inputs": {"image": ["i", 0]}},
            "end": {"class_type": "Odd", "inputs": {"x": ["size", 1], "image": ["i", 0]}}})",
            [](const std::string&) {
                return PixelSize{640, 480};
            });
        QCOMPARE(prompt.nodes.at("end").inputs.at("x").value, Json(480));
    }

    void zerosOfANegativeAreNotAskedFor_atGuidanceOne() {
        const char* kText = R"({
            "p": {"class_type": "CLIPTextEncode", "inputs": {"text": "cat"}},
            "z": {"class_type": "ConditioningZeroOut", "inputs": {"conditioning": ["p", 0]}},
            "k": {"class_type": "KSampler", "inputs": {"cfg": %1, "positive": ["p", 0], "negative": ["z", 0]}}})";

        const Prompt one = foldedFrom(QString(kText).arg("1.0").toStdString().c_str());
        const Prompt four = foldedFrom(QString(kText).arg("4.0").toStdString().c_str());

        QVERIFY(!one.nodes.contains("z"));
        QVERIFY(four.nodes.contains("z"));
    }

    void zerosOfANegativeAreAskedFor_whereASamplerElsewhereIsOfCfgPlusPlus() {
        const char* kText = R"({
            "p": {"class_type": "CLIPTextEncode", "inputs": {"text": "cat"}},
            "z": {"class_type": "ConditioningZeroOut", "inputs": {"conditioning": ["p", 0]}},
            "s": {"class_type": "KSamplerSelect", "inputs": {"sampler_name": "%1"}},
            "g": {"class_type": "CFGGuider", "inputs": {"cfg": 1, "positive": ["p", 0], "negative": ["z", 0]}}})";

        const Prompt plain = foldedFrom(QString(kText).arg("euler").toStdString().c_str());
        const Prompt both = foldedFrom(QString(kText).arg("euler_cfg_pp").toStdString().c_str());

        QVERIFY(!plain.nodes.contains("z"));
        QVERIFY(both.nodes.contains("z"));
    }

    void theFirstThatIsWiredIsTaken_inOtherPacks() {
        const std::string text = withType(R"({
            "a": {"class_type": "LoadImage", "inputs": {"image": "a.png"}},
            "b": {"class_type": "LoadImage", "inputs": {"image": "b.png"}},
            "s": {"class_type": "TYPE", "inputs": {"any_02": ["b", 0], "any_03": ["a", 0]}},
            "n": {"class_type": "PrimitiveInt", "inputs": {"value": 7}},
            "c": {"class_type": "StringConstant", "inputs": {"string": "cat"}},
            "k": {"class_type": "Odd", "inputs": {"image": ["s", 0], "seed": ["n", 0], "text": ["c", 0]}}})",
                                          "Any Switch (rgthree)");

        const Prompt prompt = foldedFrom(text.c_str());

        QCOMPARE(apiOf(prompt)["k"]["inputs"],
                 parsed(R"({"image": ["b", 0], "seed": 7, "text": "cat"})"));
        QVERIFY(!prompt.nodes.contains("a") && !prompt.nodes.contains("s"));
    }

    void aChainOfTenThousandNodesIsSortedAtOnce() {
        Prompt prompt;
        for (int i = 0; i < 10000; ++i) {
            PromptNode node;
            node.type = "Odd";
            if (i > 0) {
                node.inputs["x"] = {.from = Socket{std::to_string(i - 1), 0}, .value = {}};
            }
            prompt.nodes.emplace(std::to_string(i), std::move(node));
        }

        const std::vector<std::string> order = inOrder(prompt);

        QCOMPARE(order.front(), std::string("0"));
        QCOMPARE(order.back(), std::string("9999"));
    }
};

LOWTIDE_TEST(FoldTest)

}  // namespace fold_test

#include "fold_test.moc"
