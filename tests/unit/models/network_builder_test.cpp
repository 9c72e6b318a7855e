#include "plugin/base/log.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/network_builder.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace network_builder_test {

using namespace lowtide;
using models::NetworkBuilder;
using models::TensorLocation;
using models::WeightMap;

namespace {

WeightMap someWeights() {
    return {.what = "unet",
            .files = {{.path = "/x/a.safetensors", .size = 100}},
            .tensors = {{"a.bias", {.offset = 8, .type = DType::F16, .shape = {3}}},
                        {"a.weight", {.offset = 16, .type = DType::F32, .shape = {3, 2}}},
                        {"b.weight", {.offset = 64, .type = DType::BF16, .shape = {4}}}}};
}

NetworkBuilder builderOf(const WeightMap& weights) {
    return {"denoiser", "Net", weights, DType::F32};
}

std::string refusal(NetworkBuilder& builder, const std::vector<std::string>& ignored = {}) {
    const auto error = testing::errorOf([&] { (void)builder.finish(ignored); });
    return error && error->kind() == ErrorKind::Corrupt ? error->message().str() : "not refused";
}

bool has(const std::string& text, const char* part) {
    return text.find(part) != text.npos;
}

/// The warnings that are logged while it lives.
class Warnings final : public LogReader {
public:
    Warnings() {
        logSource().add(*this);
        texts_.clear();
    }

    ~Warnings() override { logSource().remove(*this); }

    void line(Level level, int64_t /*milliseconds*/, std::string_view text) noexcept override {
        if (level == Level::Warning) {
            texts_.emplace_back(text);
        }
    }

    [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

private:
    std::vector<std::string> texts_;
};

}  // namespace

/// Trees from headers.
class NetworkBuilderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void describesLeavesAsTheFileHasThem() {
        const WeightMap weights = someWeights();
        NetworkBuilder builder = builderOf(weights);
        QCOMPARE(builder.leaf(
                     "a.", {{.name = "weight", .shape = {3, 2}}, {.name = "bias", .shape = {3}}}),
                 0u);
        QCOMPARE(builder.leaf("b.", {{.name = "weight", .shape = {4}}}, true), 1u);

        const auto tree = builder.finish({});

        QCOMPARE(tree->role, std::string("denoiser"));
        QCOMPARE(tree->network, std::string("Net"));
        QCOMPARE(tree->leaves[0].name, std::string("a"));
        QVERIFY(!tree->leaves[0].gathered && tree->leaves[1].gathered);
        const memory::Weight& bias = tree->weights[tree->leaves[0].weights[1]];
        QCOMPARE(bias.name, std::string("a.bias"));
        QCOMPARE(bias.computeType, DType::F32);
        const memory::Storage& storage = tree->storages[bias.storage];
        QCOMPARE(storage.fileOffset, 8);
        QCOMPARE(storage.fileType, DType::F16);
        QCOMPARE(storage.elementCount, 3);
    }

    void leavesOfOneTensorShareItsStorage() {
        const WeightMap weights = someWeights();
        NetworkBuilder builder = builderOf(weights);
        builder.leaf("b.", {{.name = "weight", .shape = {4}}});
        builder.leaf("b.", {{.name = "weight", .shape = {4}}});

        const auto tree = builder.finish({"a."});

        QCOMPARE(tree->storages.size(), 1u);
        QCOMPARE(tree->weights.size(), 2u);
        QCOMPARE(tree->weights[0].storage, tree->weights[1].storage);
    }

    void aTransposedMatrixKeepsItsPosition() {
        WeightMap weights = someWeights();
        const auto idWith = [&](bool isTransposed) {
            weights.tensors.at("a.weight").isTransposed = isTransposed;
            NetworkBuilder builder = builderOf(weights);
            builder.leaf("a.", {{.name = "weight", .shape = {3, 2}}});
            const auto tree = builder.finish({});
            return std::pair(tree->id, tree->weights.front().isTransposed);
        };
        const auto [plainId, isPlainTransposed] = idWith(false);
        const auto [transposedId, isTransposed] = idWith(true);
        QVERIFY(!isPlainTransposed && isTransposed);
        QVERIFY(plainId != transposedId);
    }

    void refusesToTransposeWhatIsNoMatrix() {
        WeightMap weights = someWeights();
        weights.tensors.at("a.bias").isTransposed = true;
        weights.tensors.at("a.weight").isTransposed = true;
        NetworkBuilder builder = builderOf(weights);
        builder.leaf("a.", {{.name = "bias", .shape = {3}}});
        builder.leaf("a.", {{.name = "weight", .shape = {3, 2}}}, true);

        const std::string message = refusal(builder);

        QVERIFY2(has(message, "a.bias is stored transposed"), message.c_str());
        QVERIFY2(has(message, "a.weight is stored transposed"), message.c_str());
    }

    void namesEveryKindOfMisfit() {
        WeightMap weights = someWeights();
        weights.tensors["c.count"] = {.offset = 80, .type = DType::I64, .shape = {1}};
        NetworkBuilder builder = builderOf(weights);
        builder.leaf("a.", {{.name = "weight", .shape = {2, 3}}, {.name = "scale", .shape = {3}}});
        builder.leaf("c.", {{.name = "count", .shape = {1}}});

        const std::string message = refusal(builder);

        QVERIFY2(has(message, "unet") && has(message, "1 missing: a.scale"), message.c_str());
        QVERIFY2(has(message, "a.weight is [3, 2], needs [2, 3]"), message.c_str());
        QVERIFY2(has(message, "c.count has the type I64"), message.c_str());
        QVERIFY2(has(message, "2 that the network does not have: a.bias, b.weight"),
                 message.c_str());
    }

    void namesTenAndHowManyMore() {
        WeightMap weights{.what = "unet", .files = someWeights().files, .tensors = {}};
        NetworkBuilder builder = builderOf(weights);
        for (int i = 10; i < 23; ++i) {
            const std::string number = std::to_string(i);
            weights.tensors["surplus" + number] = {.shape = {1}};
            builder.leaf("missing" + number + ".", {{.name = "w", .shape = {1}}});
        }

        const std::string message = refusal(builder);

        QVERIFY2(
            has(message, "13 missing: missing10.w, ") && has(message, "missing19.w and 3 more"),
            message.c_str());
        QVERIFY2(has(message, "13 that the network does not have: surplus10, ") &&
                     has(message, "surplus19 and 3 more"),
                 message.c_str());
        QVERIFY2(!has(message, "missing20") && !has(message, "surplus20"), message.c_str());
    }

    /// As from_pretrained of the reference.
    void surplusTensorsAreLeftOut() {
        const WeightMap weights = someWeights();
        NetworkBuilder builder = builderOf(weights);
        builder.leaf("a.", {{.name = "weight", .shape = {3, 2}}, {.name = "bias", .shape = {3}}});
        const Warnings warnings;
        const auto tree = builder.finish({});
        QCOMPARE(tree->weights.size(), 2u);
        QCOMPARE(tree->storages.size(), 2u);
        QCOMPARE(warnings.texts(),
                 std::vector<std::string>{"unet has 1 tensor that the network does not have; they "
                                          "are left out: b.weight"});
    }

    void surplusTensorsMayBeRefusedOrIgnoredByPrefix() {
        const WeightMap weights = someWeights();
        NetworkBuilder builder = builderOf(weights);
        builder.leaf("a.", {{.name = "weight", .shape = {3, 2}}, {.name = "bias", .shape = {3}}});
        const auto finish = [&](const std::vector<std::string>& ignored) {
            return testing::errorOf(
                [&] { (void)builder.finish(ignored, models::Surplus::Refused); });
        };
        const auto error = finish({});
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        QVERIFY2(has(error->message().str(), "1 that the network does not have: b.weight"),
                 error->what());
        QVERIFY(!finish({"b."}));
    }

    void optionalWeightsMayBeAbsent() {
        const WeightMap weights = someWeights();
        NetworkBuilder builder = builderOf(weights);
        builder.leaf(
            "b.",
            {{.name = "weight", .shape = {4}}, {.name = "bias", .shape = {4}, .optional = true}});
        QCOMPARE(builder.finish({"a."})->leaves[0].weights.size(), 1u);
    }

    void endsEarly_whenAConfigAsksForLayersWithoutEnd() {
        const WeightMap weights = someWeights();
        NetworkBuilder builder = builderOf(weights);
        int made = 0;
        const auto error = testing::errorOf([&] {
            for (; made < 1'000'000; ++made) {
                builder.leaf("x" + std::to_string(made) + ".", {{.name = "weight", .shape = {1}}});
            }
        });
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        QVERIFY(made < 2000);
    }

    void blocksNest() {
        const WeightMap weights = someWeights();
        NetworkBuilder builder = builderOf(weights);
        {
            const NetworkBuilder::BlockGuard outer(builder, "outer");
            builder.leaf("a.",
                         {{.name = "weight", .shape = {3, 2}}, {.name = "bias", .shape = {3}}});
            const NetworkBuilder::BlockGuard inner(builder, "inner");
            builder.leaf("b.", {{.name = "weight", .shape = {4}}});
        }
        builder.leaf("b.", {{.name = "weight", .shape = {4}}});

        const auto tree = builder.finish({});

        QCOMPARE(tree->blocks.size(), 2u);
        QCOMPARE(tree->blocks[0].name, std::string("outer"));
        QCOMPARE(tree->blocks[0].leafCount, 2u);
        QCOMPARE(tree->blocks[1].depth, 1);
        QCOMPARE(tree->blocks[1].firstLeaf, 1u);
        QCOMPARE(tree->blocks[1].leafCount, 1u);
    }

    void idChangesWithFilesAndStructureOnly() {
        const auto idOf = [](const WeightMap& weights, int64_t rows) {
            NetworkBuilder builder = builderOf(weights);
            builder.leaf("b.", {{.name = "weight", .shape = {rows}}});
            return builder.finish({"a."})->id;
        };
        WeightMap other = someWeights();
        other.files[0].modifiedNanoseconds = 1;
        WeightMap longer = someWeights();
        longer.tensors["b.weight"].shape = {5};

        QCOMPARE(idOf(someWeights(), 4), idOf(someWeights(), 4));
        QVERIFY(idOf(someWeights(), 4) != idOf(other, 4));
        QVERIFY(idOf(someWeights(), 4) != idOf(longer, 5));
    }
};

LOWTIDE_TEST(NetworkBuilderTest)

}  // namespace network_builder_test

#include "network_builder_test.moc"
