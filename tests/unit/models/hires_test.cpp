// Compares two passes with the latents at another size between with those of diffusers.

#include "plugin/base/json.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_bench.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace hires_test {

using namespace lowtide;
using nodes::WireRef;
using testing::ImageBench;
using testing::Truth;

namespace {

constexpr double kCfg = 4;  // of make_hires_goldens.py, as the prompts below

}  // namespace

class HiresTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        truth_ = std::make_unique<Truth>("make_hires_goldens.py", "hires");
        cases_ = parseJson(truth_->text("cases.json"), "cases.json");
    }

    void everyStageIsThatOfTheReference_data() { testing::addCaseRows(cases_); }

    void everyStageIsThatOfTheReference() {
        QFETCH(int, index);
        const Json& given = cases_.at(static_cast<size_t>(index));
        const std::string name = given.at("name").get<std::string>() + ".";
        ImageBench bench(testing::goldenCheckpoint(given.at("checkpoint")));
        testing::DenoiseRequest request = bench.request("a red car", "blurry");
        request.latent = bench.emptyLatent(given.at("width"), given.at("height"));
        request.steps = given.at("steps");
        request.cfg = kCfg;
        request.seed = given.at("seed");
        request.sampler = given.at("scheduler");

        const WireRef first = bench.denoise(request);
        const WireRef larger =
            bench.upscale({.latent = first,
                           .model = bench.model(),
                           .method = given.at("method"),
                           .size = image::PixelSize{.width = given.at("new_width"),
                                                    .height = given.at("new_height")}});
        request.latent = larger;
        request.seed = given.at("seed2");
        request.startStep = given.at("start");
        const WireRef second = bench.denoise(request);
        const WireRef image = bench.decode(second);

        QCOMPARE(truth_->disagreement(name + "first", ImageBench::samplesOf(first)), std::string());
        QCOMPARE(truth_->disagreement(name + "larger", ImageBench::samplesOf(larger)),
                 std::string());
        QCOMPARE(truth_->disagreement(name + "second", ImageBench::samplesOf(second)),
                 std::string());
        QCOMPARE(truth_->disagreement(name + "picture", ImageBench::pixelsOf(image)),
                 std::string());
    }

private:
    std::unique_ptr<Truth> truth_;
    Json cases_;
};

LOWTIDE_TEST(HiresTest)

}  // namespace hires_test

#include "hires_test.moc"
