#include "plugin/executor/plan_memory.hpp"
#include "plugin/memory/component_tree.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace dry_run_cache_test {

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
        memory::ComponentWork& own = work.components.emplace_back(
            memory::ComponentWork{.tree = trees[i],
                                  .forward = memory::AccessPattern(leaves, {.flops = 7}),
                                  .forwards = 3});
        own.others[1] = {{.leaf = 1}};
        own.sequence = {{.pattern = 0, .next = 1}, {.pattern = 1}, {}};
        work.bursts.push_back({.component = i, .forwards = 3});
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
        graphSpec.keys = {"key of load", "key of denoise"};
        graphSpec.work.resize(2);
        graphSpec.work[0].outputs = {{"value", {.type = "LATENT", .shape = {1, 4, 8, 8}}}};
        graphSpec.work[1].outputs = {{"value", {.type = "LATENT", .shape = {1, 4, 8, 8}}}};
        devices.device.spec.kind = "cuda";
    }

    std::string key() const { return dryRunKey(snapshot, graphSpec, 1, trees, devices); }

    graph::SnapshotNode& node() { return snapshot.nodes[1]; }

    graph::Snapshot snapshot;
    GraphSpec graphSpec;
    Trees trees = {treeNamed("unet")};
    memory::StageDevices devices;

private:
    NodeDesc desc_;
};

/// A value that states what stages can learn of it, or nothing.
class Stated final : public memory::WireValue {
public:
    explicit Stated(std::optional<std::string> text) : text_(std::move(text)) {}

    std::string_view type() const override { return "LATENT"; }

    Bytes bytesOn(std::string_view) const override { return 0; }

    memory::WireRef onHost() const override { return nullptr; }

    std::optional<std::string> specKey() const override { return text_; }

private:
    std::optional<std::string> text_;
};

}  // namespace

class DryRunCacheTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aKnownDryRunIsNotRepeated() {
        DryRunCache memory;
        const Trees trees = {treeNamed("unet"), treeNamed("control")};
        const memory::StageWork found =
            memory.workOf("key", trees, [&] { return workOver(trees, 10); });
        QCOMPARE(memory.dryRuns(), int64_t{1});
        const Trees later = {treeNamed("control"), treeNamed("unet")};  // as they are opened now
        const memory::StageWork known = memory.workOf(
            "key", later, [&]() -> memory::StageWork { throw std::logic_error("it walks"); });
        QCOMPARE(memory.dryRuns(), int64_t{1});
        QVERIFY(found == workOver(trees, 10));
        QVERIFY(known == workOver({later[1], later[0]}, 10));
    }

    void anotherKeyOrAnotherTreeNeedsADryRun() {
        DryRunCache memory;
        const Trees trees = {treeNamed("unet")};
        const auto dryRun = [&] { return workOver(trees, 10); };
        (void)memory.workOf("key", trees, dryRun);
        (void)memory.workOf("other", trees, dryRun);
        QCOMPARE(memory.dryRuns(), int64_t{2});
        const Trees others = {treeNamed("another")};
        const memory::StageWork work =
            memory.workOf("key", others, [&] { return workOver(others, 20); });
        QCOMPARE(memory.dryRuns(), int64_t{3});
        QVERIFY(work == workOver(others, 20));
    }

    void aDryRunThatFailsIsNotKnown() {
        DryRunCache memory;
        const auto fail = [&]() -> memory::StageWork { throw std::runtime_error("no"); };
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, (void)memory.workOf("key", {}, fail));
        QCOMPARE(memory.workOf("key", {}, [] { return workOver({}, 0); }).activations, Bytes{1000});
    }

    /// A process goes on for months.
    void itHoldsNoTreeAndIsBounded() {
        DryRunCache memory;
        constexpr size_t kLeaves = 4000;
        for (int edit = 0; edit < 1000; ++edit) {
            const Trees trees = {treeNamed("unet " + std::to_string(edit))};
            const std::weak_ptr<const memory::ComponentTree> tree = trees[0];
            const std::string key = std::to_string(edit);
            (void)memory.workOf(key, trees, [&] { return workOver(trees, kLeaves); });
            (void)memory.workOf("0", {treeNamed("unet 0")}, [&]() -> memory::StageWork {
                throw std::logic_error("what is asked again and again was forgotten");
            });
            QVERIFY(memory.bytes() <= DryRunCache::kMostBytes);
            QCOMPARE(tree.use_count(), 1L);
        }
        QVERIFY(memory.bytes() > DryRunCache::kMostBytes / 2);
        const int64_t dryRuns = memory.dryRuns();
        const Trees trees = {treeNamed("unet 1")};
        (void)memory.workOf("1", trees, [&] { return workOver(trees, kLeaves); });
        QCOMPARE(memory.dryRuns(), dryRuns + 1);
    }

    void whatADryRunDependsOnIsInItsKey_data() {
        const testing::Rows<std::function<void(OneNode&)>, bool> row("edit", "dryRuns");
        const auto add = [&](const char* name, bool dryRuns, std::function<void(OneNode&)> edit) {
            row(name, std::move(edit), dryRuns);
        };
        add("nothing", false, [](OneNode&) {});
        add("a seed", false, [](OneNode& one) { one.node().params["seed"] = uint64_t{2}; });
        add("its name", false, [](OneNode& one) { one.node().id = "denoise_2"; });
        add("what made a value", false, [](OneNode& one) { one.graphSpec.keys[0] = "other"; });
        add("steps", true, [](OneNode& one) { one.node().params["steps"] = int64_t{21}; });
        add("its networks", true, [](OneNode& one) { one.trees = {treeNamed("with a LoRA")}; });
        add("precision", true, [](OneNode& one) { one.graphSpec.work[1].precisions.resize(1); });
        add("files", true, [](OneNode& one) { one.graphSpec.work[1].fingerprints = {"a"}; });
        add("shape of an input", true, [](OneNode& one) {
            one.graphSpec.work[0].outputs[0].second.shape = {1, 4, 8, 9};
        });
        add("shape of an output", true, [](OneNode& one) {
            one.graphSpec.work[1].outputs[0].second.shape = {1, 4, 8, 9};
        });
        add("another GPU", true, [](OneNode& one) { one.devices.device.spec.index = 1; });
        add("a GPU elsewhere", true, [](OneNode& one) { one.devices.device.isThere = false; });
        add("previews", true, [](OneNode& one) { one.devices.previews = true; });
        add("an input elsewhere", true, [](OneNode& one) { one.devices.elsewhere = {"model"}; });
        add("a device that decodes at once", true, [](OneNode& one) {
            one.devices.device.decodesAtOnce = true;
        });
        add("a role on the host", true, [](OneNode& one) {
            one.devices.rolesElsewhere = {{"a", {}}};
        });
        add("a role on another GPU", true, [](OneNode& one) {
            one.devices.rolesElsewhere = {{"a", {.spec = {.kind = "cuda", .index = 1}}}};
        });
        add("no input", true, [](OneNode& one) { one.node().inputs.clear(); });
    }

    void whatADryRunDependsOnIsInItsKey() {
        QFETCH(std::function<void(OneNode&)>, edit);
        QFETCH(bool, dryRuns);
        OneNode one;
        const std::string before = one.key();
        edit(one);
        QCOMPARE(one.key() != before, dryRuns);
    }

    void aValueIsWhatItStatesOrWhatMadeIt() {
        OneNode one;
        memory::WireRef& value = one.graphSpec.work[0].outputs[0].second.value;
        const auto keyWith = [&](std::optional<std::string> text, const char* maker) {
            value = std::make_shared<const Stated>(std::move(text));
            one.graphSpec.keys[0] = maker;
            return one.key();
        };
        QVERIFY(keyWith("80 tokens", "a cat") == keyWith("80 tokens", "a dog"));
        QVERIFY(keyWith("80 tokens", "a cat") != keyWith("160 tokens", "a cat"));
        QVERIFY(keyWith(std::nullopt, "a cat") != keyWith(std::nullopt, "a dog"));
        QVERIFY(keyWith(std::nullopt, "a cat") == keyWith(std::nullopt, "a cat"));
    }
};

LOWTIDE_TEST(DryRunCacheTest)

}  // namespace dry_run_cache_test

#include "dry_run_cache_test.moc"
