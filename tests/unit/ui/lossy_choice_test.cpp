#include "cli/comparison.hpp"
#include "cli/measured_graph.hpp"
#include "plugin/memory/precision.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>

namespace lossy_choice_test {

using namespace lowtide;
using namespace lowtide::cli;

namespace {

ParamDesc whole(const char* id, int64_t value) {
    return {.id = id, .kind = ParamKind::Int, .defaultValue = value, .min = 0, .max = 100};
}

std::vector<NodeDesc> nodes() {
    return {{.id = "sample",
             .inputs = {{.id = "latent", .type = "LATENT", .optional = true},
                        {.id = "cache", .type = "STEP_CACHE", .optional = true}},
             .outputs = {{.id = "latent", .type = "LATENT"}},
             .params = {whole("steps", 20)}},
            {.id = "cache.one",
             .outputs = {{.id = "cache", .type = "STEP_CACHE"}},
             .params = {whole("interval", 3), whole("depth", 1)}},
            {.id = "cache.two", .outputs = {{.id = "out", .type = "STEP_CACHE"}}},
            {.id = "save", .output = true, .inputs = {{.id = "latent", .type = "LATENT"}}}};
}

/// A cache at one sampling node whose latents are saved.
Json graphWithCache() {
    return {{"format", 1},
            {"exact", true},
            {"nodes",
             {{"denoise", {{"type", "sample"}, {"v", 1}, {"precision", "speed"}}},
              {"c", {{"type", "cache.one"}, {"v", 1}, {"params", {{"interval", 4}}}}},
              {"save", {{"type", "save"}, {"v", 1}}}}},
            {"links",
             {{{"from", {"c", "cache"}}, {"to", {"denoise", "cache"}}},
              {{"from", {"denoise", "latent"}}, {"to", {"save", "latent"}}}}}};
}

std::vector<std::string> namesOf(const std::vector<LossyChoice>& choices) {
    std::vector<std::string> names;
    for (const LossyChoice& choice : choices) {
        names.push_back(choice.name);
    }
    return names;
}

}  // namespace

/// What `compare --sensitivity` measures.
class LossyChoiceTest : public QObject {
    Q_OBJECT

    graph::Catalog catalog_{nodes()};
    graph::Document document_ = graph::documentFromJson(graphWithCache());

    [[nodiscard]] std::vector<LossyChoice> varied(const std::vector<std::string>& texts) const {
        return variedChoices(document_, catalog_, "denoise", ui::parseVariations(texts));
    }

private Q_SLOTS:

    void theExactGraphHasNoLossyChoice() {
        const graph::Document exact = exactUpTo(document_, catalog_, "denoise");
        QCOMPARE(exact.links.size(), size_t{1});
        QCOMPARE(exact.links[0].from.node, std::string("denoise"));
        const auto precision =
            memory::precisionFromJson(exact.nodes.at("denoise").precision, "precision");
        QVERIFY(precision.types.storesAsInFile && precision.types.compute == DType::F32);
        QVERIFY(!exact.isExact);
        QCOMPARE(exact.until, std::set<std::string>{"denoise"});
    }

    void aChoiceIsMadeAtTheNode() {
        const graph::Document exact = exactUpTo(document_, catalog_, "denoise");
        for (const LossyChoice& choice : allLossyChoices(catalog_)) {
            const graph::Document lossy = withChoice(exact, catalog_, "denoise", choice);
            QCOMPARE(lossy.links.size(), choice.cache ? size_t{2} : size_t{1});
            QCOMPARE(lossy.nodes.at("denoise").precision,
                     choice.cache ? exact.nodes.at("denoise").precision : choice.precision);
            QVERIFY(graph::parseDocument(graph::toText(lossy)).links.size() == lossy.links.size());
        }
    }

    void allPresetsTypesAndCachesAreMeasured() {
        const std::vector<std::string> names = namesOf(allLossyChoices(catalog_));
        for (const char* name : {"quality",
                                 "balanced",
                                 "speed",
                                 "quality,storage=bf16,compute=bf16",
                                 "balanced,matmul_half_accumulation=on",
                                 "cache.one",
                                 "cache.two"}) {
            QVERIFY2(std::ranges::count(names, name) == 1, name);
        }
    }

    /// Parameters with their defaults are left out: the same choice has one name.
    void variantsOfTheCacheAreChoices() {
        const auto choices = varied({"c.interval=3,5", "c.depth=1,2"});
        QCOMPARE(namesOf(choices),
                 (std::vector<std::string>{"speed cache.one",
                                           "speed cache.one depth=2",
                                           "speed cache.one interval=5",
                                           "speed cache.one depth=2 interval=5"}));
        QCOMPARE(choices.back().cache->params, (Json{{"interval", 5}, {"depth", 2}}));
    }

    void otherVariationsAreRefused_data() {
        testing::addTable<QString, bool>({"variation", "hasCache"},
                                         {{"another node", "denoise.steps=2,3", true},
                                          {"no cache", "c.depth=1,2", false},
                                          {"one value", "c.depth=1", true}});
    }

    void otherVariationsAreRefused() {
        QFETCH(QString, variation);
        QFETCH(bool, hasCache);
        if (!hasCache) {
            document_ = exactUpTo(document_, catalog_, "denoise");
        }
        const auto error = testing::errorOf([&] { (void)varied({variation.toStdString()}); });
        document_ = graph::documentFromJson(graphWithCache());
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
    }

    void theSampledNodeIsTheOnlyOne_orChosen() {
        QCOMPARE(sampledNode(document_, catalog_, {}), std::string("denoise"));
        graph::Document two = document_;
        two.nodes["again"] = two.nodes.at("denoise");
        const auto error = testing::errorOf([&] { (void)sampledNode(two, catalog_, {}); });
        QVERIFY(error && error->message().str().find("again, denoise") != std::string::npos);
        QCOMPARE(sampledNode(two, catalog_, {"again"}), std::string("again"));
        QVERIFY(testing::errorOf([&] { (void)sampledNode(two, catalog_, {"save"}); }));
        two.nodes = {{"save", two.nodes.at("save")}};
        QVERIFY(testing::errorOf([&] { (void)sampledNode(two, catalog_, {}); }));
    }

    void theTableStatesWhatIsKnown() {
        const Json row = {{"setting", "speed"},
                          {"types", "f16 in f16"},
                          {"error", 0.01234},
                          {"worst", nullptr},
                          {"class", "tolerant"},
                          {"measured_on", "2026-11-21"},
                          {"is_new", false}};
        Json fresh = row;
        fresh["is_new"] = true;
        const QString table = QString::fromStdString(sensitivityTable(
            {{"node", "denoise"},
             {"weights", "0123456789abcdef"},
             {"sensitive_from", 0.1},
             {"sensitivities", {row, fresh}},
             {"refused", {{{"setting", "cache.two"}, {"reason", "it has no mask"}}}}}));
        const QStringList lines = table.split('\n');
        QVERIFY2(lines[0].contains("0123456789") && !lines[0].contains("abc"), qPrintable(table));
        QVERIFY2(lines[3].contains("0.012  not finite  tolerant  2026-11-21"), qPrintable(table));
        QVERIFY2(lines[4].endsWith("now"), qPrintable(table));
        QVERIFY2(table.contains("cache.two: not possible here, it has no mask"), qPrintable(table));
    }
};

LOWTIDE_TEST(LossyChoiceTest)

}  // namespace lossy_choice_test

#include "lossy_choice_test.moc"
