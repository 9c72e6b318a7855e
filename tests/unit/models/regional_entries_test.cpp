// Where and when prompts speak, and which others speak there.

#include "nodes/denoise/regional_entries.hpp"
#include "plugin/base/error.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace regional_entries_test {

using namespace lowtide;
using models::EntrySpec;
using models::LatentArea;
using nodes::PromptCall;
using nodes::RegionalEntry;
using tensor::ImageArea;

namespace {

constexpr nodes::Canvas kCanvas{.height = 8, .width = 16, .downsampling = 8};  // 128 x 64 pixels
const sampling::TimeAt kTimeAt = sampling::trainingTimes(1000);

models::ConditioningSpec entryAt(const ImageArea& area, double strength = 1) {
    return {{{.name = "embeds", .width = 4}},
            {{.tensors = {{"embeds", {1, 77, 4}}}, .scope = {.area = area, .strength = strength}}}};
}

RegionalEntry entryAt(size_t prompt, std::optional<LatentArea> area, int64_t tokens = 77) {
    return {.prompt = prompt, .tokens = {tokens}, .area = area};
}

}  // namespace

/// Numbers worked out by hand from ComfyUI's definitions.
class RegionalEntriesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void pixelsBecomeLatentLines() {
        const auto regionalEntries = nodes::regionalEntries(
            entryAt({.xPixels = 20, .yPixels = 8, .widthPixels = 39, .heightPixels = 16}, 0.5),
            kCanvas,
            "positive");
        QVERIFY(regionalEntries[0].area == (LatentArea{.y = 1, .x = 2, .height = 2, .width = 4}));
        QCOMPARE(regionalEntries[0].strength, 0.5);
    }

    void anAreaIsCutAtTheEdge() {
        const auto regionalEntries = nodes::regionalEntries(
            entryAt({.xPixels = 96, .yPixels = 0, .widthPixels = 512, .heightPixels = 4}),
            kCanvas,
            "positive");
        QVERIFY(regionalEntries[0].area == (LatentArea{.y = 0, .x = 12, .height = 1, .width = 4}));
        const auto low = nodes::regionalEntries(
            entryAt({.xPixels = 16, .yPixels = 40, .widthPixels = 4, .heightPixels = 512}),
            kCanvas,
            "positive");
        QVERIFY(low[0].area == (LatentArea{.y = 5, .x = 2, .height = 3, .width = 1}));
    }

    void whenAndHowStronglyPromptsSpeakIsKept() {
        models::ConditioningSpec one = entryAt({.widthPixels = 64, .heightPixels = 64}, 0.5);
        std::vector<EntrySpec> entries = {one.entries().front(), one.entries().front()};
        entries[1].scope.start = 0.25;
        entries[1].scope.end = 0.75;
        const auto regionalEntries =
            nodes::regionalEntries({one.fields(), entries}, kCanvas, "positive");
        QCOMPARE(regionalEntries.size(), size_t{2});
        QCOMPARE(regionalEntries[1].prompt, size_t{1});
        QCOMPARE(regionalEntries[1].strength, 0.5);
        QCOMPARE(regionalEntries[1].start, 0.25);
        QCOMPARE(regionalEntries[1].end, 0.75);
    }

    void anAreaOfTheImageIsNone() {
        const auto regionalEntries = nodes::regionalEntries(
            entryAt({.xPixels = 0, .yPixels = 0, .widthPixels = 512, .heightPixels = 64}),
            kCanvas,
            "positive");
        QVERIFY(regionalEntries[0].isUnrestricted());
    }

    void anAreaOutsideIsRefused_data() {
        const testing::Rows<int, int> row("x", "y");
        row("at the right", 128, 0);
        row("below", 0, 64);
    }

    void anAreaOutsideIsRefused() {
        QFETCH(int, x);
        QFETCH(int, y);
        const auto error = testing::errorOf([&] {
            (void)nodes::regionalEntries(
                entryAt({.xPixels = x, .yPixels = y, .widthPixels = 64, .heightPixels = 64}),
                kCanvas,
                "negative");
        });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("negative"));
        QVERIFY(error->message().str().find("128 x 64") != std::string::npos);
    }

    void timeIsAFractionOfTheTraining_data() {
        const testing::Rows<double, double, double, bool> row("start", "end", "timestep", "speaks");
        row("always, above the schedule", 0.0, 1.0, 1200.0, true);
        row("always, below it", 0.0, 1.0, -1.0, true);
        row("first half, noise", 0.0, 0.5, 999.0, true);
        row("first half, its end", 0.0, 0.5, 499.5, true);
        row("first half, later", 0.0, 0.5, 499.0, false);
        row("last tenth, before", 0.9, 1.0, 100.0, false);
        row("last tenth, in it", 0.9, 1.0, 99.0, true);
        row("a moment", 1.0, 1.0, 0.0, true);
    }

    void timeIsAFractionOfTheTraining() {
        QFETCH(double, start);
        QFETCH(double, end);
        QFETCH(double, timestep);
        QFETCH(bool, speaks);
        RegionalEntry entry;
        entry.start = start;
        entry.end = end;
        QCOMPARE(nodes::speaksAt(entry, timestep, kTimeAt), speaks);
    }

    void theSmallestPromptAroundAnAreaAnswersThere() {
        const LatentArea left{.y = 0, .x = 0, .height = 8, .width = 8};
        const LatentArea corner{.y = 0, .x = 0, .height = 4, .width = 4};
        std::vector<RegionalEntry> positive = {entryAt(0, std::nullopt), entryAt(1, corner)};
        positive[1].strength = 0.7;
        positive[1].start = 0.2;
        std::vector<RegionalEntry> negative = {entryAt(0, std::nullopt), entryAt(1, left, 154)};

        nodes::addCounterparts(positive, negative);

        QCOMPARE(negative.size(), size_t{3});
        QCOMPARE(negative[2].prompt, size_t{1});
        QCOMPARE(negative[2].tokens, std::vector<int64_t>{154});
        QVERIFY(negative[2].area == corner);
        QCOMPARE(negative[2].strength, 0.7);
        QCOMPARE(negative[2].start, 0.2);
        // The left half of the negative side is answered by the whole image of the positive one.
        QCOMPARE(positive.size(), size_t{3});
        QCOMPARE(positive[2].prompt, size_t{0});
        QVERIFY(positive[2].area == left);
    }

    /// Of several areas around one the smallest, in whichever order; one that it stands out of is
    /// not around it.
    void theSmallestOfSeveralAreasAnswers_data() {
        QTest::addColumn<int>("first");
        QTest::newRow("the small one first") << 0;
        QTest::newRow("the large one first") << 1;
    }

    void theSmallestOfSeveralAreasAnswers() {
        QFETCH(int, first);
        const LatentArea inner{.y = 2, .x = 2, .height = 2, .width = 2};
        const LatentArea areas[] = {{.y = 2, .x = 2, .height = 4, .width = 4},
                                    {.y = 0, .x = 0, .height = 8, .width = 8}};
        std::vector<RegionalEntry> positive = {entryAt(0, inner)};
        std::vector<RegionalEntry> negative = {entryAt(0, areas[first]),
                                               entryAt(1, areas[1 - first])};
        // Smaller, and beyond one edge of the inner one each.
        negative.push_back(entryAt(2, LatentArea{.y = 3, .x = 2, .height = 3, .width = 3}));
        negative.push_back(entryAt(3, LatentArea{.y = 2, .x = 3, .height = 3, .width = 3}));
        negative.push_back(entryAt(4, LatentArea{.y = 0, .x = 2, .height = 3, .width = 3}));
        negative.push_back(entryAt(5, LatentArea{.y = 2, .x = 0, .height = 3, .width = 3}));

        nodes::addCounterparts(positive, negative);

        QCOMPARE(negative.size(), size_t{7});
        QVERIFY(negative[6].area == inner);
        QCOMPARE(negative[6].prompt, static_cast<size_t>(first));
    }

    void aPromptOnTheSameAreaIsTheCounterpart() {
        const LatentArea left{.y = 0, .x = 0, .height = 8, .width = 8};
        std::vector<RegionalEntry> positive = {entryAt(0, left)};
        std::vector<RegionalEntry> negative = {entryAt(0, left)};
        nodes::addCounterparts(positive, negative);
        QCOMPARE(positive.size() + negative.size(), size_t{2});
    }

    void theFirstOfSeveralPromptsEverywhereIsTheCounterpart() {
        const LatentArea left{.y = 0, .x = 0, .height = 8, .width = 8};
        std::vector<RegionalEntry> positive = {entryAt(0, left)};
        std::vector<RegionalEntry> negative = {entryAt(0, std::nullopt), entryAt(1, std::nullopt)};
        nodes::addCounterparts(positive, negative);
        QCOMPARE(negative.size(), size_t{3});
        QCOMPARE(negative[2].prompt, size_t{0});
    }

    void promptsOfOneSizeGoTogetherInPairs() {
        const LatentArea left{.y = 0, .x = 0, .height = 8, .width = 8};
        const LatentArea right{.y = 0, .x = 8, .height = 8, .width = 8};
        const std::vector<RegionalEntry> positive = {entryAt(0, std::nullopt, 154),
                                                     entryAt(1, right),
                                                     entryAt(2, std::nullopt),
                                                     entryAt(3, std::nullopt)};
        const std::vector<RegionalEntry> negative = {entryAt(0, std::nullopt), entryAt(1, left)};

        const std::vector<PromptCall> calls = nodes::callsAt(positive, negative, 500, kTimeAt);

        QCOMPARE(calls.size(), size_t{4});
        QVERIFY(calls[0].negative == &negative[0] && calls[0].positive == &positive[2]);
        QVERIFY(calls[1].negative == &negative[1] && calls[1].positive == &positive[1]);
        QVERIFY(!calls[2].negative && calls[2].positive == &positive[0]);
        QVERIFY(!calls[3].negative && calls[3].positive == &positive[3]);
    }

    void promptsOfOtherSizesAreCalledApart_data() {
        const testing::Rows<int, int, bool> row("height", "width", "areTogether");
        row("one size", 4, 8, true);
        row("another height", 8, 8, false);
        row("another width", 4, 4, false);
    }

    void promptsOfOtherSizesAreCalledApart() {
        QFETCH(int, height);
        QFETCH(int, width);
        QFETCH(bool, areTogether);
        const std::vector<RegionalEntry> positive = {
            entryAt(0, LatentArea{.y = 0, .x = 0, .height = 4, .width = 8})};
        const std::vector<RegionalEntry> negative = {
            entryAt(0, LatentArea{.y = 0, .x = 0, .height = height, .width = width})};
        const size_t calls = nodes::callsAt(positive, negative, 500, kTimeAt).size();
        QCOMPARE(calls, size_t{areTogether ? 1U : 2U});
    }

    void promptsThatDoNotSpeakAreNotCalled() {
        std::vector<RegionalEntry> positive = {entryAt(0, std::nullopt), entryAt(1, std::nullopt)};
        positive[0].end = 0.5;
        positive[1].start = 0.5;
        const std::vector<PromptCall> calls = nodes::callsAt(positive, {}, 800, kTimeAt);
        QCOMPARE(calls.size(), size_t{1});
        QVERIFY(calls[0].positive == &positive[0]);
    }
};

LOWTIDE_TEST(RegionalEntriesTest)

}  // namespace regional_entries_test

#include "regional_entries_test.moc"
