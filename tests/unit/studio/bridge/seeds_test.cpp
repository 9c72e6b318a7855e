#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/small_plugin.hpp"
#include "ui/bridge/run_maker.hpp"
#include "ui/document/edits.hpp"

#include <QtTest/QtTest>

namespace seeds_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr uint64_t kLargest = UINT64_MAX;

graph::Document oneDenoiser(uint64_t seed, SeedMode mode) {
    graph::Document document;
    graph::DocumentNode& node = document.nodes["denoise"];
    node.type = "denoise.sample";
    node.params["seed"] = seed;
    setSeedMode(node, "seed", mode);
    return document;
}

uint64_t seedOf(const graph::Document& document) {
    return document.nodes.at("denoise").params.at("seed").get<uint64_t>();
}

}  // namespace

class SeedsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Also of nodes that keep theirs; muted ones are left alone.
    void severalRunsHaveSeedsOfTheirOwn() {
        const graph::Catalog catalog(smallNodes());
        uint64_t drawn = 100;
        const auto random = [&] { return ++drawn; };
        const auto seedsOf = [&](SeveralSeeds how, uint64_t first) {
            QList<quint64> seeds;
            for (uint64_t run = 0; run < 3; ++run) {
                graph::Document document = oneDenoiser(first, SeedMode::Keep);
                document.nodes["muted"] = document.nodes.at("denoise");
                document.nodes.at("muted").mode = graph::NodeMode::Muted;
                spreadSeeds(document, catalog, how, run, random);
                seeds << seedOf(document);
                [&] { QCOMPARE(document.nodes.at("muted").params.at("seed"), Json(first)); }();
            }
            return seeds;
        };
        QCOMPARE(seedsOf(SeveralSeeds::Counting, 7), (QList<quint64>{7, 8, 9}));
        QCOMPARE(seedsOf(SeveralSeeds::Counting, kLargest), (QList<quint64>{kLargest, 0, 1}));
        QCOMPARE(seedsOf(SeveralSeeds::Random, 7), (QList<quint64>{101, 102, 103}));
    }

    /// A muted node made nothing of the image, though it comes first.
    void theSeedOfARunIsThatOfActiveNodes() {
        const graph::Catalog catalog(smallNodes());
        graph::Document run = oneDenoiser(42, SeedMode::Random);
        run.nodes["a"] = run.nodes.at("denoise");
        run.nodes.at("a").params["seed"] = 7;
        run.nodes.at("a").mode = graph::NodeMode::Muted;
        const Json seeds = seedsIn(run, catalog);
        QCOMPARE(seeds, (Json{{"denoise", {{"seed", 42}}}}));
    }

    void seedsFollowTheirMode_data() {
        QTest::addColumn<quint64>("before");
        QTest::addColumn<int>("mode");
        QTest::addColumn<quint64>("after");
        const auto row = [](const char* name, uint64_t before, SeedMode mode, uint64_t after) {
            QTest::newRow(name) << quint64{before} << static_cast<int>(mode) << quint64{after};
        };
        row("keep", 7, SeedMode::Keep, 7);
        row("one more", 7, SeedMode::Increment, 8);
        row("beyond 32 bits", uint64_t{1} << 40, SeedMode::Increment, (uint64_t{1} << 40) + 1);
        row("after the largest", kLargest, SeedMode::Increment, 0);
        row("another", 7, SeedMode::Random, 12345);
    }

    void seedsFollowTheirMode() {
        QFETCH(quint64, before);
        QFETCH(int, mode);
        QFETCH(quint64, after);
        const graph::Catalog catalog(smallNodes());
        graph::Document document = oneDenoiser(before, static_cast<SeedMode>(mode));
        const bool changed = renewSeeds(document, catalog, [] { return uint64_t{12345}; });
        QCOMPARE(seedOf(document), uint64_t{after});
        QCOMPARE(changed, before != after);
    }

    void afterTheLastOfItsRangeASeedStartsOver() {
        std::vector<NodeDesc> nodes = smallNodes();
        for (NodeDesc& node : nodes) {
            for (ParamDesc& param : node.params) {
                param.max = param.kind == ParamKind::Seed ? std::optional(9.0) : param.max;
            }
        }
        graph::Document document = oneDenoiser(8, SeedMode::Increment);
        const graph::Catalog catalog(nodes);
        renewSeeds(document, catalog, [] { return uint64_t{5}; });
        QCOMPARE(seedOf(document), uint64_t{9});
        renewSeeds(document, catalog, [] { return uint64_t{5}; });
        QCOMPARE(seedOf(document), uint64_t{0});
    }

    void drawnSeedsAreReadable() {
        const graph::Catalog catalog(smallNodes());
        graph::Document document = oneDenoiser(1, SeedMode::Random);
        renewSeeds(document, catalog, [] { return kLargest; });
        QVERIFY(seedOf(document) < kDrawnSeeds);
    }

    void mutedAndUnknownNodesKeepTheirs() {
        const graph::Catalog catalog(smallNodes());
        graph::Document document = oneDenoiser(7, SeedMode::Increment);
        document.nodes.at("denoise").mode = graph::NodeMode::Muted;
        document.nodes["other"] = document.nodes.at("denoise");
        document.nodes.at("other").type = "not.installed";
        document.nodes.at("other").mode = graph::NodeMode::Active;
        QVERIFY(!renewSeeds(document, catalog, [] { return uint64_t{5}; }));
        QCOMPARE(seedOf(document), uint64_t{7});
    }
};

LOWTIDE_WINDOW_TEST(SeedsTest)

}  // namespace seeds_test

#include "seeds_test.moc"
