// What the parameters text of an image states of Stable Diffusion XL's prompts.

#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_bench.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace image_fields_test {

using namespace lowtide;
using nodes::WireRef;
using testing::DenoiseRequest;
using testing::EncodeRequest;
using testing::ImageBench;

namespace {

constexpr const char* kBase = "sdxl_1";
constexpr const char* kRefiner = "refiner_0";

struct Stated {
    const char* row;
    const char* checkpoint;
    EncodeRequest prompts;
    std::string fields;  ///< behind the model's name, before the version
};

std::vector<Stated> reported() {
    return {
        {"one text for both", kBase, {.prompt = "a cat", .negative = "dark"}, ""},
        {"texts of the second encoder",
         kBase,
         {.prompt = "a cat", .others = {{{.prompt = "a dog, \"big\"", .negative = "fog"}}}},
         "Second prompt: \"a dog, \\\"big\\\"\", Second negative prompt: fog, "},
        {"sizes and a crop",
         kBase,
         {.prompt = "a cat",
          .numbers = {{"original_width", 1024},
                      {"original_height", 768},
                      {"crop_left", 64},
                      {"target_width", 512}}},
         "Original height: 768, Original width: 1024, Crop left: 64, Target width: 512, "},
        {"the model's own clip skip", kBase, {.prompt = "a cat", .clipSkip = -1}, ""},
        {"one layer more, as other programs count",
         kBase,
         {.prompt = "a cat", .clipSkip = 1},
         "Clip skip: 3, "},
        {"what a base does not read",
         kBase,
         {.prompt = "", .numbers = {{"aesthetic_score", 7}}},
         ""},
        {"scores of a refiner",
         kRefiner,
         {.prompt = "a cat",
          .numbers = {{"aesthetic_score", 7.5}, {"negative_aesthetic_score", 1}}},
         "Aesthetic score: 7.5, Negative aesthetic score: 1, "},
        {"what a refiner does not read",
         kRefiner,
         {.prompt = "a cat",
          .others = {{{.prompt = "a dog", .negative = "fog"}}},
          .numbers = {{"target_width", 8}}},
         ""},
    };
}

}  // namespace

class ImageFieldsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void reportsWhatWasGivenWithThePrompt_data() { testing::addEach(reported(), &Stated::row); }

    void reportsWhatWasGivenWithThePrompt() {
        QFETCH(int, index);
        const Stated each = reported()[static_cast<size_t>(index)];
        ImageBench bench(folderOf(each.checkpoint));
        const std::string text = textOf(bench, bench.request(each.prompts));
        const std::string end =
            std::string("Model: ") + each.checkpoint + ", " + each.fields + "Version: Lowtide ";
        QVERIFY2(text.find(end) != std::string::npos, text.c_str());
    }

    /// What a schedule needs to be made again, and guidance.
    void reportsHowLevelsWereChosen() {
        ImageBench bench(folderOf(kBase));
        DenoiseRequest request = bench.request({.prompt = "a cat"});
        const std::string plain = textOf(bench, request);
        for (const char* field : {"Spacing", "Eta", "Guidance rescale"}) {
            QVERIFY2(plain.find(field) == std::string::npos, plain.c_str());
        }
        request.spacing = "trailing";
        request.eta = 0.3;
        request.guidanceRescale = 0.7;
        const std::string text = textOf(bench, request, "ddim");
        QVERIFY2(text.find("Sampler: DDIM, Spacing: trailing, Eta: 0.3, CFG scale: 7.5, "
                           "Guidance rescale: 0.7, ") != std::string::npos,
                 text.c_str());
    }

    /// Other programs count the layer that SDXL leaves out by itself.
    void aClipSkipOfSdxlIsGivenInTheirNumbers() {
        ImageBench bench(folderOf(kBase));
        const auto issuesWith = [&](int clipSkip) {
            return testing::spec(
                       bench.stages(),
                       EncodeRequest{
                           .model = bench.model(), .prompt = "a cat", .clipSkip = clipSkip})
                .issues;
        };
        QVERIFY(issuesWith(-1).empty());
        QVERIFY(issuesWith(0).empty());
        const Issues issues = issuesWith(1);
        QCOMPARE(issues.size(), size_t{1});
        QCOMPARE(issues.front().item, std::string("clip_skip"));
        QVERIFY2(issues.front().message.str().find("other programs call clip skip 3") !=
                     std::string::npos,
                 issues.front().message.str().c_str());
    }

    /// In the words that the node has for the first texts.
    void joinedPromptsHaveJoinedSecondTexts() {
        ImageBench bench(folderOf(kBase));
        const DenoiseRequest plain = bench.request({.prompt = "a cat"});
        const DenoiseRequest other =
            bench.request({.prompt = "a dog", .others = {{{.prompt = "a wolf", .negative = {}}}}});
        DenoiseRequest request = plain;
        request.positive = edited(
            bench,
            {.edit = testing::CombineEdit{}, .first = plain.positive, .second = other.positive});
        request.positive = edited(bench,
                                  {.edit = testing::TimeEdit{.start = 0, .end = 0.9},
                                   .first = request.positive,
                                   .second = nullptr});
        const std::string text = textOf(bench, request);
        QVERIFY2(text.starts_with("a cat AND a dog\n"), text.c_str());
        QVERIFY2(text.find("Second prompt: a cat AND a wolf, ") != std::string::npos, text.c_str());
    }

private:
    static std::string folderOf(const char* checkpoint) {
        return (testing::sdxlGoldenFolder() + "/checkpoints/" + checkpoint).toStdString();
    }

    static WireRef edited(ImageBench& bench, const testing::ConditioningEdit& edit) {
        return testing::run(bench.stages(), edit, bench.bench().call("edit")).front();
    }

    /// The text of an image that the denoiser made of it, by way of a host's cache.
    static std::string textOf(ImageBench& bench,
                              DenoiseRequest request,
                              const char* sampler = "euler") {
        request.positive = request.positive->onHost();
        request.negative = request.negative->onHost();
        request.latent = bench.emptyLatent(64, 64);
        request.steps = 1;
        request.sampler = sampler;
        const WireRef latent = bench.denoise(request);
        const auto& provenance = dynamic_cast<const tensor::Latents&>(*latent).provenance();
        return bench.stages().parametersText(
            std::make_shared<const tensor::Images>(at::zeros({1, 3, 8, 8}), provenance), 0);
    }
};

LOWTIDE_TEST(ImageFieldsTest)

}  // namespace image_fields_test

#include "image_fields_test.moc"
