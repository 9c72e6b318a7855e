#include "cli/comparison.hpp"
#include "cli/fewer_steps.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <cmath>

namespace comparison_test {

using namespace lowtide;
using namespace lowtide::cli;

namespace {

NodeDesc sampling() {
    const auto whole = [](const char* id, int64_t value) {
        return ParamDesc{
            .id = id, .kind = ParamKind::Int, .defaultValue = value, .min = -1, .max = 1000};
    };
    return {.id = "denoise.sample",
            .params = {whole("steps", 20), whole("start_step", 0), whole("end_step", -1)}};
}

graph::Document documentOf(const Json& nodes) {
    return graph::documentFromJson({{"format", 1}, {"nodes", nodes}, {"links", Json::array()}});
}

Json node(const char* type, const Json& params) {
    return {{"type", type}, {"v", 1}, {"params", params}};
}

Image8 flat(int side, uint8_t level) {
    const auto pixels = std::make_shared<uint8_t[]>(static_cast<size_t>(3 * side * side));
    std::fill_n(pixels.get(), 3 * side * side, level);
    return {.widthPixels = side, .heightPixels = side, .channels = 3, .pixels = pixels};
}

VariantRun runOf(std::vector<Image8> images) {
    VariantRun run{.name = "a.x=1", .settings = {"a.x=1"}, .status = Status::Ok};
    run.images = std::move(images);
    return run;
}

}  // namespace

/// What is made of the runs of a comparison.
class ComparisonTest : public QObject {
    Q_OBJECT

    graph::Catalog catalog_{{sampling(), {.id = "save.image"}}};

private Q_SLOTS:

    void fewerStepsTakeTheirFraction() {
        const graph::Document document =
            documentOf({{"denoise", node("denoise.sample", {{"steps", 30}})},
                        {"refine", node("denoise.sample", Json::object())},
                        {"save", node("save.image", Json::object())}});
        QCOMPARE(fewerSteps(document, catalog_, 0.5),
                 (std::vector<std::string>{"denoise.steps=15", "refine.steps=10"}));
        QCOMPARE(fewerSteps(document, catalog_, 0.001),
                 (std::vector<std::string>{"denoise.steps=1", "refine.steps=1"}));
        QVERIFY(fewerSteps(document, catalog_, 0.99).empty());
        QVERIFY(fewerSteps(document, catalog_, 3).empty());
    }

    void aSplitScheduleRemainsSplit() {
        const graph::Document document =
            documentOf({{"first", node("denoise.sample", {{"steps", 20}, {"end_step", 10}})},
                        {"second", node("denoise.sample", {{"steps", 20}, {"start_step", 10}})}});
        QCOMPARE(
            fewerSteps(document, catalog_, 0.4),
            (std::vector<std::string>{
                "first.steps=8", "first.end_step=4", "second.steps=8", "second.start_step=4"}));
    }

    void stepsThatDifferAreSeen_defaultsToo() {
        const graph::Document first = documentOf({{"a", node("denoise.sample", {{"steps", 20}})}});
        const graph::Document second = documentOf({{"a", node("denoise.sample", Json::object())}});
        const graph::Document third = documentOf({{"a", node("denoise.sample", {{"steps", 10}})}});
        QVERIFY(!stepsDiffer(first, second, catalog_));
        QVERIFY(stepsDiffer(first, third, catalog_));
    }

    void onlySamplingIsTimed() {
        const Json repetition = {{"nodes",
                                  {{{"type", "denoise.sample"}, {"ms", 30.0}},
                                   {{"type", "save.image"}, {"ms", 5.0}},
                                   {{"type", "denoise.sample"}, {"ms", 12.0}}}}};
        QCOMPARE(samplingMilliseconds(repetition, catalog_), 42.0);
    }

    void stepsAreReadWhereTheReportHasThem() {
        Json repetition = {{"nodes", {{{"type", "denoise.sample"}}}}};
        QVERIFY(!stepsOf(repetition));
        repetition["nodes"].push_back(
            {{"steps", {{"full", 4}, {"partial", 6}, {"predicted", 0}, {"misses", {}}}}});
        repetition["nodes"].push_back({{"steps", {{"full", 1}, {"predicted", 2}}}});
        const auto counts = stepsOf(repetition);
        QVERIFY(counts && counts->full == 5 && counts->partial == 6 && counts->predicted == 2);
    }

    void latentsAreComparedByDirection() {
        const std::map<std::string, LatentSteps> reference = {
            {"", {.steps = {{1, 0}, {1, 1}}, .last = {2, 0}}},
            {"refine", {.steps = {{1, 0}}, .last = {1, 0}}}};
        std::map<std::string, LatentSteps> other = {
            {"", {.steps = {{0, 1}, {3, 3}}, .last = {-1, 0}}},
            {"refine", {.steps = {{1, 0}, {1, 0}}, .last = {5, 0}}}};
        const std::vector<LatentCosine> cosines = latentCosines(reference, other);
        QCOMPARE(cosines.size(), 2U);
        QVERIFY(std::abs(cosines[0].steps.at(0)) < 1e-12);
        QVERIFY(std::abs(cosines[0].steps.at(1) - 1) < 1e-12);
        QCOMPARE(cosines[0].last, -1.0);
        QVERIFY(cosines[1].steps.empty());  // other numbers of steps
        QCOMPARE(cosines[1].last, 1.0);
        other[""].last = {1, 2, 3};
        QCOMPARE(latentCosines(reference, other).size(), 1U);
        QCOMPARE(latentCosines(reference, {{"", {.steps = {}, .last = {0, 0}}}}).size(), 1U);
    }

    void severalImagesGiveOneFigure() {
        const VariantRun reference = runOf({flat(64, 100), flat(64, 100)});
        const VariantComparison half = compared(reference, runOf({flat(64, 100), flat(64, 110)}));
        const image::ImageDifference all = together(half.images);
        const double expected = 10 * std::log10(255.0 * 255.0 / 50);  // 100 in one of two images
        QVERIFY(std::abs(all.psnr - expected) < 1e-9);
        QVERIFY(std::isfinite(all.worst.psnr));
        QVERIFY(all.colourShift > 0 && all.colourShift < half.images[1].colourShift);
        QVERIFY(std::isinf(together(compared(reference, reference).images).psnr));
    }

    void imagesThatCannotBeComparedExplainWhy() {
        const VariantRun reference = runOf({flat(64, 100)});
        const VariantComparison larger = compared(reference, runOf({flat(32, 100)}));
        QVERIFY(larger.images.empty());
        QVERIFY(larger.problem.find("32 x 32") != std::string::npos);
        const VariantComparison more = compared(reference, runOf({flat(64, 100), flat(64, 100)}));
        QVERIFY(more.images.empty() && !more.problem.empty());
    }

    void tableAndSheetsShowEveryVariant() {
        Comparison comparison{.graph = "g.json", .variants = {}, .columns = 3};
        comparison.variants.push_back({.own = runOf({flat(64, 100)})});
        comparison.variants.push_back({.own = runOf({flat(64, 120)})});
        ComparedVariant& second = comparison.variants.back();
        second.own.peak = 5 * kMiB;
        second.own.difference = compared(comparison.variants[0].own, second.own);
        second.fewerSteps = second.own;
        second.fewerSteps->name = "denoise.steps=7";
        comparison.variants.push_back({.own = {.name = "bad", .settings = {"a.x=9"}}});
        const std::string table = tableOf(comparison);
        QVERIFY(table.find("same time: denoise.steps=7") != std::string::npos);
        QVERIFY(table.find("failed") != std::string::npos);
        QVERIFY(table.find("5.0 MiB") != std::string::npos);
        QCOMPARE(contactSheetOf(comparison).cells.size(), 4U);
        const image::ContactSheet heat = heatMapsOf(comparison);
        QCOMPARE(heat.cells[1].images.size(), 1U);
        QVERIFY(heat.cells[2].images.empty());
        const Json json = toJson(comparison);
        QVERIFY(json["variants"][0]["difference"].is_null());
        QCOMPARE(json["variants"][1]["fewer_steps"]["name"].get<std::string>(),
                 std::string("denoise.steps=7"));
        QCOMPARE(json["variants"][2]["status"].get<int>(), static_cast<int>(Status::Failed));
        QVERIFY(json["variants"][1]["steps"].is_null());
    }
};

LOWTIDE_TEST(ComparisonTest)

}  // namespace comparison_test

#include "comparison_test.moc"
