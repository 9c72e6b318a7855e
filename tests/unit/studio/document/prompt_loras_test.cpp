#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/file_nodes.hpp"
#include "ui/document/prompt_loras.hpp"

#include <QtTest/QtTest>

namespace prompt_loras_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

/// LoRAs that a prompt names, and those of which no denoiser learns.
class PromptLorasTest : public QObject {
    Q_OBJECT

    graph::Catalog catalog_{fileNodes()};
    graph::Document document_;

    std::string add(const char* type) {
        return addNode(document_, *catalog_.find(type), {2000, 0});
    }

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        document_ = textToImage();
    }

    void denoiseGetsTheModelOfThePrompt() {
        const size_t wires = document_.links.size();
        QVERIFY(canReadPromptLoras(document_, catalog_, "encode"));

        readAllPromptLoras(document_, catalog_);

        QCOMPARE(document_.nodes.at("encode").params.at("loras"), Json(true));
        QCOMPARE(feeding(document_, "denoise", "model"), std::string("encode.model"));
        QCOMPARE(feeding(document_, "decode", "model"), std::string("load.model"));
        QCOMPARE(document_.links.size(), wires);
        QVERIFY(!canReadPromptLoras(document_, catalog_, "encode"));
    }

    void aLoraOnTheWayReadsThePromptsModel() {
        const std::string lora = add("load.lora");
        ui::connect(document_, {"load", "model"}, {lora, "model"});
        ui::connect(document_, {lora, "model"}, {"denoise", "model"});

        readPromptLoras(document_, catalog_, "encode");

        QCOMPARE(feeding(document_, lora, "model"), std::string("encode.model"));
        QCOMPARE(feeding(document_, "denoise", "model"), lora + ".model");
    }

    void denoisersOfOtherPromptsAreLeftAlone() {
        const std::string prompt = add("prompt.encode");
        const std::string second = add("denoise.sample");
        ui::connect(document_, {"load", "model"}, {prompt, "model"});
        ui::connect(document_, {"load", "model"}, {second, "model"});
        ui::connect(document_, {prompt, "positive"}, {second, "positive"});

        readPromptLoras(document_, catalog_, "encode");

        QCOMPARE(feeding(document_, "denoise", "model"), std::string("encode.model"));
        QCOMPARE(feeding(document_, second, "model"), std::string("load.model"));
    }

    void onlyWhoHasTheSwitchCanReadThem() {
        for (const char* id : {"load", "denoise", "save", "nobody"}) {
            QVERIFY2(!canReadPromptLoras(document_, catalog_, id), id);
        }
    }

    void aLoraOfTheTextEncodersAloneIsWarnedOf_andUsedEverywhere() {
        const std::string lora = add("load.lora");
        document_.nodes.at(lora).params["file"] = "ink.safetensors";
        ui::connect(document_, {"load", "model"}, {lora, "model"});
        ui::connect(document_, {lora, "model"}, {"encode", "model"});

        const Issues issues = lorasWithoutDenoiser(document_, catalog_);
        QCOMPARE(issues.size(), size_t{1});
        QCOMPARE(issues[0].node, lora);
        QCOMPARE(issues[0].severity, Severity::Warning);

        useLoraEverywhere(document_, catalog_, lora);
        QCOMPARE(feeding(document_, "denoise", "model"), lora + ".model");
        QCOMPARE(feeding(document_, "encode", "model"), lora + ".model");
        QVERIFY(lorasWithoutDenoiser(document_, catalog_).empty());
    }

    void noWarning_whereNoFileIsChosen_orThePromptGivesTheModelOn() {
        const std::string lora = add("load.lora");
        QVERIFY(lorasWithoutDenoiser(document_, catalog_).empty());
        document_.nodes.at(lora).params["file"] = "ink.safetensors";
        ui::connect(document_, {"load", "model"}, {lora, "model"});
        ui::connect(document_, {lora, "model"}, {"encode", "model"});
        ui::connect(document_, {"encode", "model"}, {"denoise", "model"});
        QVERIFY(lorasWithoutDenoiser(document_, catalog_).empty());
    }

    void aLooseLoraIsUsedWithTheModelOfDenoise() {
        const std::string lora = add("load.lora");
        useLoraEverywhere(document_, catalog_, lora);
        QCOMPARE(feeding(document_, lora, "model"), std::string("load.model"));
        QCOMPARE(feeding(document_, "denoise", "model"), lora + ".model");
    }
};

LOWTIDE_TEST(PromptLorasTest)

}  // namespace prompt_loras_test

#include "prompt_loras_test.moc"
