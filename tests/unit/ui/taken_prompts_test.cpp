#include "tests/fixtures/test_program.hpp"
#include "ui/prompts/resolved_graph.hpp"

#include <QtTest/QtTest>

namespace taken_prompts_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

ParamDesc textOf(const char* id) {
    return {.id = id, .kind = ParamKind::Text, .defaultValue = std::string(), .multiline = true};
}

std::vector<NodeDesc> encoders() {
    return {{.id = "prompt.encode", .params = {textOf("prompt"), textOf("negative")}},
            {.id = "prompt.other", .params = {textOf("prompt")}}};
}

graph::Document graphOf(const Json& nodes) {
    return graph::documentFromJson({{"format", 2}, {"nodes", nodes}});
}

Json encoder(const char* type, const Json& params) {
    return {{"type", type}, {"v", 1}, {"params", params}};
}

}  // namespace

class TakenPromptsTest : public QObject {
    Q_OBJECT

    graph::Catalog catalog_{encoders()};

private Q_SLOTS:

    void takesEachParameter_andKeepsWhatIsNotStated() {
        const graph::Document from =
            graphOf({{"words", encoder("prompt.encode", {{"prompt", "a fox"}, {"negative", ""}})}});
        graph::Document into =
            graphOf({{"encode",
                      encoder("prompt.encode", {{"prompt", "a tower"}, {"negative", "blurry"}})}});

        QCOMPARE(takePrompts(into, from, catalog_), size_t{0});

        QCOMPARE(into.nodes.at("encode").params,
                 Json({{"prompt", "a fox"}, {"negative", "blurry"}}));
    }

    /// Of another family: the type is another, the parameter has the same name.
    void takesThemToOtherTypes() {
        const graph::Document from =
            graphOf({{"words", encoder("prompt.other", {{"prompt", "a fox"}})}});
        graph::Document into = graphOf({{"encode", encoder("prompt.encode", Json::object())}});

        QCOMPARE(takePrompts(into, from, catalog_), size_t{0});

        QCOMPARE(into.nodes.at("encode").params.dump(), Json::object({{"prompt", "a fox"}}).dump());
    }

    void prefersTheSameType() {
        const graph::Document from =
            graphOf({{"words", encoder("prompt.encode", {{"prompt", "a fox"}})}});
        graph::Document into = graphOf({{"a", encoder("prompt.other", Json::object())},
                                        {"b", encoder("prompt.encode", Json::object())}});

        QCOMPARE(takePrompts(into, from, catalog_), size_t{0});

        QVERIFY(!into.nodes.at("a").params.contains("prompt"));
        QCOMPARE(into.nodes.at("b").params.dump(), Json::object({{"prompt", "a fox"}}).dump());
    }

    void reportsHowManyHadNoField() {
        const graph::Document from =
            graphOf({{"a", encoder("prompt.encode", {{"prompt", "left"}})},
                     {"b", encoder("prompt.encode", {{"prompt", "right"}})}});
        graph::Document into = graphOf({{"encode", encoder("prompt.encode", Json::object())}});

        QCOMPARE(takePrompts(into, from, catalog_), size_t{1});

        QCOMPARE(into.nodes.at("encode").params.dump(), Json::object({{"prompt", "left"}}).dump());
    }

    void leavesMutedNodesAlone() {
        const graph::Document from =
            graphOf({{"a", encoder("prompt.encode", {{"prompt", "a fox"}})}});
        Json muted = encoder("prompt.encode", Json::object());
        muted["mode"] = "muted";
        graph::Document into = graphOf({{"encode", muted}});

        QCOMPARE(takePrompts(into, from, catalog_), size_t{0});

        QVERIFY(into.nodes.at("encode").params.empty());
    }
};

LOWTIDE_TEST(TakenPromptsTest)

}  // namespace taken_prompts_test

#include "taken_prompts_test.moc"
