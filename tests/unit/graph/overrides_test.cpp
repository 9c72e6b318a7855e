#include "plugin/base/error.hpp"
#include "plugin/graph/overrides.hpp"
#include "plugin/memory/policy.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/graph/sample_graph.hpp"

#include <QtTest/QtTest>

namespace overrides_test {

using namespace lowtide;
using namespace lowtide::graph;

class OverridesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void setsValues_byTheirKinds() {
        const Document document = applied({.params = {"denoise.seed=18446744073709551615",
                                                      "denoise.cfg=4",
                                                      "denoise.add_noise=false",
                                                      "encode.prompt=a=b, \"c\" ",
                                                      "denoise.steps=5",
                                                      "denoise.steps=6"},
                                           .policies = {}});

        const Json& params = document.nodes.at("denoise").params;
        QCOMPARE(params["seed"], Json(18446744073709551615ull));
        QCOMPARE(params["cfg"], Json(4.0));
        QCOMPARE(params["add_noise"], Json(false));
        QCOMPARE(params["steps"], Json(6));
        QCOMPARE(document.nodes.at("encode").params["prompt"], Json("a=b, \"c\" "));
    }

    void takesTheLongestNodeId() {
        const Document document = applied({.params = {"denoise.second.steps=9"}, .policies = {}});

        QCOMPARE(document.nodes.at("denoise.second").params["steps"], Json(9));
        QCOMPARE(document.nodes.at("denoise").params["steps"], Json(4));
    }

    void replacesThePolicyOfANode() {
        const Document document = applied({.params = {}, .policies = {"encode=model@fake:8GiB"}});

        QCOMPARE(memory::policyFromJson(document.nodes.at("encode").memory, "test"),
                 memory::parsePolicy("model@fake:8GiB"));
    }

    void addsThePolicyOfAComponent() {
        const Document document = applied({.params = {},
                                           .policies = {"denoise=model",
                                                        "denoise.denoiser=none",
                                                        "encode=auto",
                                                        "encode.text_encoder_3=leaf"}});

        memory::Policy expected = memory::parsePolicy("model");
        expected.components["denoiser"] = memory::parsePolicy("none");
        QCOMPARE(memory::policyFromJson(document.nodes.at("denoise").memory, "test"), expected);
        memory::Policy third;
        third.components["text_encoder_3"] = memory::parsePolicy("leaf");
        QCOMPARE(memory::policyFromJson(document.nodes.at("encode").memory, "test"), third);
    }

    void endsWithANode_forOneRunOnly() {
        const Document document = applied({.until = {"encode", "latent"}});

        QVERIFY(document.until == std::set<std::string>({"encode", "latent"}));
        QVERIFY(documentFromJson(toJson(document)).until.empty());
    }

    void refusesANodeThatCannotBeTheEnd() {
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(applied({.until = {"encod"}})), Error);
        Json graph = textToImage();
        graph["nodes"]["encode"]["mode"] = "bypassed";
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(applyOverrides(
                                     documentFromJson(graph), catalog_, {.until = {"encode"}})),
                                 Error);
    }

    void refusesWithWhatExists_data() {
        const testing::Rows<QString, bool, QStringList> add("text", "isPolicy", "named");
        const auto row = [&](const char* text, bool isPolicy, QStringList named) {
            add(text, QString(text), isPolicy, named);
        };
        row("denoise.steps", false, {"=", "node.param=value"});
        row("denois.steps=5", false, {"denois", "denoise"});
        row("quite_else.steps=5", false, {"quite_else", "load", "save"});
        row("denoise.stepz=5", false, {"stepz", "steps"});
        row("denoise=5", false, {"denoise"});
        row("denoise.steps=0", false, {"denoise.steps", "0", "from 1 to 150"});
        row("denoise.steps=x", false, {"denoise.steps", "\"x\"", "whole number"});
        row("denoise.cfg=nan", false, {"denoise.cfg", "nan"});
        row("denoise.sampler=dpm", false, {"dpm", "euler, ddim"});
        row("strange.x=1", false, {"not.installed"});
        row("latent=model", true, {"latent", "no network"});
        row("denoise.autoencoder=model", true, {"autoencoder", "denoiser"});
        row("denoise=quick", true, {"quick"});
        row("denoise", true, {"node=policy"});
    }

    void refusesWithWhatExists() {
        QFETCH(QString, text);
        QFETCH(bool, isPolicy);
        QFETCH(QStringList, named);
        const std::vector<std::string> list = {text.toStdString()};

        QString refusal;
        try {
            static_cast<void>(applied({.params = isPolicy ? std::vector<std::string>() : list,
                                       .policies = isPolicy ? list : std::vector<std::string>()}));
        } catch (const Error& error) {
            refusal = QString::fromStdString(error.message().str() + " " + error.hint().str());
        }

        for (const QString& name : named) {
            QVERIFY2(refusal.contains(name), qPrintable("\"" + refusal + "\" lacks " + name));
        }
    }

private:
    Document applied(const Overrides& overrides) const {
        Json graph = textToImage();
        graph["nodes"]["encode"]["memory"] = {{"policy", "model"},
                                              {"components", {{"text_encoder", "none"}}}};
        graph["nodes"]["denoise.second"] = graph["nodes"]["denoise"];
        graph["nodes"]["strange"] = {{"type", "not.installed"}};
        return applyOverrides(documentFromJson(graph), catalog_, overrides);
    }

    const Catalog catalog_{sampleNodes()};
};

LOWTIDE_TEST(OverridesTest)

}  // namespace overrides_test

#include "overrides_test.moc"
