#include "plugin/executor/plan_memory.hpp"
#include "plugin/memory/component_tree.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace walk_memory_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

std::shared_ptr<const memory::ComponentTree> treeNamed(const std::string& id) {
    return std::make_shared<const memory::ComponentTree>(memory::ComponentTree{.id = id});
}

using Trees = std::vector<std::shared_ptr<const memory::ComponentTree>>;

/// Work of `leaves` over each of the trees, in turns.
memory::StageWork workOver(const Trees& trees, size_t leaves) {
    memory::StageWork work{
        .activations = 1000, .elsewhere = {{"cpu", 200}}, .guessed = 30, .workspace = 4};
    for (size_t i = 0; i < trees.size(); ++i) {
        memory::ComponentWork& own = work.components.emplace_back(memory::ComponentWork{
            .tree = trees[i], .pass = memory::AccessPattern(leaves, {.flops = 7}), .passes = 3});
        own.others[1] = {{.leaf = 1}};
        own.sequence = {{.pattern = 0, .next = 1}, {.pattern = 1}, {}};
        work.turns.push_back({.component = i, .passes = 3});
    }
    return work;
}

class OneNode {
public:
    OneNode() {
        desc_.id = "denoise.sample";
        desc_.version = 1;
        graph::SnapshotNode source{.id = "load", .desc = &desc_};
        graph::SnapshotNode node{.id = "denoise", .desc = &desc_};
        node.params = {{"seed", uint64_t{1}}, {"steps", int64_t{20}}};
        node.inputs = {{.port = "model", .sourceNode = 0, .sourcePort = "value"}};
        snapshot.nodes = {source, node};
        outlined.keys = {"key of load", "key of denoise"};
        outlined.work.resize(2);
        outlined.work[0].outputs = {{"value", {.type = "LATENT", .shape = {1, 4, 8, 8}}}};
        outlined.work[1].outputs = {{"value", {.type = "LATENT", .shape = {1, 4, 8, 8}}}};
        place.device.spec.kind = "cuda";
    }

    std::string key() const { return walkKey(snapshot, outlined, 1, trees, place); }

    graph::SnapshotNode& node() { return snapshot.nodes[1]; }

    graph::Snapshot snapshot;
    OutlinedGraph outlined;
    Trees trees = {treeNamed("unet")};
    memory::StagePlace place;

private:
    NodeDesc desc_;
};

/// A value that says what stages can learn of it, or nothing.
class Said final : public memory::WireValue {
public:
    explicit Said(std::optional<std::string> text) : text_(std::move(text)) {}

    std::string_view type() const override { return "LATENT"; }

    Bytes bytesOn(std::string_view) const override { return 0; }

    memory::WireRef onHost() const override { return nullptr; }

    std::optional<std::string> outlineKey() const override { return text_; }

private:
    std::optional<std::string> text_;
};

}  // namespace

class WalkMemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aKnownWalkIsNotTakenAgain() {
        WalkMemory memory;
        const Trees trees = {treeNamed("unet"), treeNamed("control")};
        const memory::StageWork found =
            memory.workOf("key", trees, [&] { return workOver(trees, 10); });
        QCOMPARE(memory.walks(), int64_t{1});
        const Trees later = {treeNamed("control"), treeNamed("unet")};  // as they are opened now
        const memory::StageWork known = memory.workOf(
            "key", later, [&]() -> memory::StageWork { throw std::logic_error("it walks"); });
        QCOMPARE(memory.walks(), int64_t{1});
        QVERIFY(found == workOver(trees, 10));
        QVERIFY(known == workOver({later[1], later[0]}, 10));
    }

    void anotherKeyOrAnotherTreeIsWalked() {
        WalkMemory memory;
        const Trees trees = {treeNamed("unet")};
        const auto walk = [&] { return workOver(trees, 10); };
        (void)memory.workOf("key", trees, walk);
        (void)memory.workOf("other", trees, walk);
        QCOMPARE(memory.walks(), int64_t{2});
        const Trees others = {treeNamed("another")};
        const memory::StageWork work =
            memory.workOf("key", others, [&] { return workOver(others, 20); });
        QCOMPARE(memory.walks(), int64_t{3});
        QVERIFY(work == workOver(others, 20));
    }

    void aWalkThatFailsIsNotKnown() {
        WalkMemory memory;
        const auto fail = [&]() -> memory::StageWork { throw std::runtime_error("no"); };
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, (void)memory.workOf("key", {}, fail));
        QCOMPARE(memory.workOf("key", {}, [] { return workOver({}, 0); }).activations, Bytes{1000});
    }

    /// A process goes on for months.
    void itHoldsNoTreeAndIsBounded() {
        WalkMemory memory;
        constexpr size_t kLeaves = 4000;
        for (int edit = 0; edit < 1000; ++edit) {
            const Trees trees = {treeNamed("unet " + std::to_string(edit))};
            const std::weak_ptr<const memory::ComponentTree> tree = trees[0];
            const std::string key = std::to_string(edit);
            (void)memory.workOf(key, trees, [&] { return workOver(trees, kLeaves); });
            (void)memory.workOf("0", {treeNamed("unet 0")}, [&]() -> memory::StageWork {
                throw std::logic_error("what is asked again and again was forgotten");
            });
            QVERIFY(memory.bytes() <= WalkMemory::kMostBytes);
            QCOMPARE(tree.use_count(), 1L);
        }
        QVERIFY(memory.bytes() > WalkMemory::kMostBytes / 2);
        const int64_t walks = memory.walks();
        const Trees trees = {treeNamed("unet 1")};
        (void)memory.workOf("1", trees, [&] { return workOver(trees, kLeaves); });
        QCOMPARE(memory.walks(), walks + 1);
    }

    void whatAWalkDependsOnIsInItsKey_data() {
        QTest::addColumn<std::function<void(OneNode&)>>("edit");
        QTest::addColumn<bool>("walks");
        const auto add = [](const char* name, bool walks, std::function<void(OneNode&)> edit) {
            QTest::newRow(name) << std::move(edit) << walks;
        };
        add("nothing", false, [](OneNode&) {});
        add("a seed", false, [](OneNode& one) { one.node().params["seed"] = uint64_t{2}; });
        add("its name", false, [](OneNode& one) { one.node().id = "denoise_2"; });
        add("what made a value", false, [](OneNode& one) { one.outlined.keys[0] = "other"; });
        add("steps", true, [](OneNode& one) { one.node().params["steps"] = int64_t{21}; });
        add("its networks", true, [](OneNode& one) { one.trees = {treeNamed("with a LoRA")}; });
        add("precision", true, [](OneNode& one) { one.outlined.work[1].precisions.resize(1); });
        add("files", true, [](OneNode& one) { one.outlined.work[1].fingerprints = {"a"}; });
        add("shape of an input", true, [](OneNode& one) {
            one.outlined.work[0].outputs[0].second.shape = {1, 4, 8, 9};
        });
        add("shape of an output", true, [](OneNode& one) {
            one.outlined.work[1].outputs[0].second.shape = {1, 4, 8, 9};
        });
        add("another card", true, [](OneNode& one) { one.place.device.spec.index = 1; });
        add("a card elsewhere", true, [](OneNode& one) { one.place.device.isThere = false; });
        add("previews", true, [](OneNode& one) { one.place.previews = true; });
        add("an input elsewhere", true, [](OneNode& one) { one.place.elsewhere = {"model"}; });
        add("a device that decodes at once", true, [](OneNode& one) {
            one.place.device.decodesAtOnce = true;
        });
        add("a role on the host", true, [](OneNode& one) {
            one.place.rolesElsewhere = {{"a", {}}};
        });
        add("a role on another card", true, [](OneNode& one) {
            one.place.rolesElsewhere = {{"a", {.spec = {.kind = "cuda", .index = 1}}}};
        });
        add("no input", true, [](OneNode& one) { one.node().inputs.clear(); });
    }

    void whatAWalkDependsOnIsInItsKey() {
        QFETCH(std::function<void(OneNode&)>, edit);
        QFETCH(bool, walks);
        OneNode one;
        const std::string before = one.key();
        edit(one);
        QCOMPARE(one.key() != before, walks);
    }

    void aValueIsWhatItSaysOrWhatMadeIt() {
        OneNode one;
        memory::WireRef& value = one.outlined.work[0].outputs[0].second.value;
        const auto keyWith = [&](std::optional<std::string> text, const char* maker) {
            value = std::make_shared<const Said>(std::move(text));
            one.outlined.keys[0] = maker;
            return one.key();
        };
        QVERIFY(keyWith("80 tokens", "a cat") == keyWith("80 tokens", "a dog"));
        QVERIFY(keyWith("80 tokens", "a cat") != keyWith("160 tokens", "a cat"));
        QVERIFY(keyWith(std::nullopt, "a cat") != keyWith(std::nullopt, "a dog"));
        QVERIFY(keyWith(std::nullopt, "a cat") == keyWith(std::nullopt, "a cat"));
    }
};

LOWTIDE_TEST(WalkMemoryTest)

}  // namespace walk_memory_test

#include "walk_memory_test.moc"
