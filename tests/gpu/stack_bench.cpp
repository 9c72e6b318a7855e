// A stack of transformer-like products with random weights under memory policies: time a forward,
// what moves, and how close that is to the bound max(compute, copy of what does not fit). On a GPU
// 13 billion parameters, or what fits (LOWTIDE_BENCH_SIZE=small: hardly any); without one the
// simulated GPU and a small stack, so that the measuring itself is tested.
#include "plugin/base/json.hpp"
#include "plugin/memory/component_tree.hpp"
#include "tests/bench/median.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/gpu/gpu.hpp"
#include "tests/gpu/measured_rows.hpp"
#include "tests/unit/residency/test_devices.hpp"

#include <ATen/ATen.h>

#include <QTemporaryDir>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace stack_bench {

using namespace lowtide;
using memory::ComponentTree;

namespace {

struct Size {
    int64_t width;
    int64_t layers;
    int64_t tokens;
};

constexpr Size kLarge{5120, 40, 4096};
constexpr Size kSmall{64, 6, 16};
constexpr int kForwards = 5;
constexpr Bytes kMostFile = kGiB;  ///< weights of a large stack lie in it over and over

/// A forward must come this close to the bound; a shared machine may take ten times as long.
constexpr double kLeastEfficiency = 0.95 / 10;

struct Way {
    const char* name;
    const char* policy;
    double part;  ///< of the weights that the GPU may take; 0: all it has
};

constexpr Way kWays[] = {{"resident", "none", 0},
                         {"leaf+stream", "leaf+stream", 0},
                         {"leaf+stream, nothing pinned", "leaf+stream,pin=0", 0},
                         {"auto, 50 %", "auto", 0.5},
                         {"auto, 25 %", "auto", 0.25}};

/// Random bf16 numbers of a trained layer's size: products of zeros are faster than others.
memory::WeightFile makeFile(const std::string& path, Bytes bytes) {
    std::ofstream file(path, std::ios::binary);
    const int64_t piece = 8 * kMiB;
    for (Bytes done = 0; done < bytes; done += 2 * piece) {
        const at::Tensor numbers = (at::randn({piece}) * 0.02).to(at::kBFloat16);
        file.write(static_cast<const char*>(numbers.const_data_ptr()),
                   std::min<Bytes>(2 * piece, bytes - done));
    }
    file.close();

    struct stat known {};

    ::stat(path.c_str(), &known);
    return {.path = path,
            .size = known.st_size,
            .modifiedNanoseconds = known.st_mtim.tv_sec * 1'000'000'000 + known.st_mtim.tv_nsec,
            .inode = known.st_ino};
}

std::vector<Shape> shapesOfLayer(int64_t width) {
    return {{3 * width, width}, {width, width}, {4 * width, width}, {width, 4 * width}};
}

std::shared_ptr<const ComponentTree> makeTree(const Size& size, const memory::WeightFile& file) {
    auto tree = std::make_shared<ComponentTree>();
    tree->id = "stack";
    tree->role = "denoiser";
    tree->network = "Stack";
    tree->files = {file};
    Bytes index = 0;
    for (int64_t layer = 0; layer < size.layers; ++layer) {
        for (const Shape& shape : shapesOfLayer(size.width)) {
            const int64_t count = shape[0] * shape[1];
            index = index + 2 * count > file.size ? 0 : index;
            const std::string name = std::to_string(tree->leaves.size());
            const auto id = static_cast<uint32_t>(tree->storages.size());
            tree->storages.push_back(
                {.key = name, .fileOffset = index, .fileType = DType::BF16, .elementCount = count});
            tree->weights.push_back(
                {.name = name, .storage = id, .computeType = DType::BF16, .shape = shape});
            tree->leaves.push_back({.name = name, .weights = {id}});
            index += 2 * count;
        }
        tree->blocks.push_back({.name = "layer " + std::to_string(layer),
                                .firstLeaf = static_cast<memory::LeafId>(4 * layer),
                                .leafCount = 4});
    }
    return tree;
}

double secondsOf(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

class StackBench : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    bool hasGpu_ = false;
    Size size_ = kSmall;
    memory::DeviceSpec device_;
    std::unique_ptr<residency::Residency> residency_;
    std::shared_ptr<const ComponentTree> tree_;
    at::Tensor expected_;   ///< on the host
    double compute_ = 0;    ///< seconds of a forward whose weights are there
    double bandwidth_ = 0;  ///< bytes a second of copies alone
    Json rows_ = Json::array();

    /// One forward; without products it only copies.
    at::Tensor forward(bool computes) {
        at::Tensor x =
            at::full({size_.tokens, size_.width},
                     0.5,
                     at::TensorOptions(at::kBFloat16).device(residency_->torchDeviceOf(*tree_)));
        residency_->beginForward(*tree_, {});
        for (memory::LeafId leaf = 0; leaf < tree_->leaves.size(); leaf += 4) {
            for (memory::LeafId part = 0; part < 4; ++part) {
                const residency::Lease lease = residency_->use(*tree_, leaf + part);
                if (!computes) {
                    continue;
                }
                at::Tensor y = at::linear(x, lease[0]);
                x = part == 0 ? y.narrow(1, 0, size_.width) : y;
                x = x / (x.abs().amax() + 1);
            }
        }
        residency_->finishCompute(device_);
        return x;
    }

    memory::PlanRequest request(const Way& way) const {
        memory::DeviceTraits traits = residency_->traits(device_);
        if (way.part > 0) {
            const Bytes activations = 16 * size_.tokens * size_.width * 4;
            traits.capacity =
                static_cast<Bytes>(way.part * static_cast<double>(tree_->deviceBytes())) +
                activations + traits.workspace;
        }
        memory::ComponentWork work{.tree = tree_, .forwards = kForwards + 1};
        double flops = 0;
        for (memory::LeafId leaf = 0; leaf < tree_->leaves.size(); ++leaf) {
            const Shape& shape = tree_->weights[leaf].shape;
            const double ofLeaf = 2.0 * static_cast<double>(size_.tokens * shape[0] * shape[1]);
            work.forward.push_back({leaf, ofLeaf});
            flops += ofLeaf;
        }
        memory::DeviceProfile profile = memory::estimatedProfile(device_.kind);
        profile.pinnedBytesPerSecond = bandwidth_ > 0 ? bandwidth_ : profile.pinnedBytesPerSecond;
        profile.bf16FlopsPerSecond = compute_ > 0 ? flops / compute_ : profile.bf16FlopsPerSecond;
        return {.nodes = {{.node = "stack",
                           .policy = memory::parsePolicy(way.policy),
                           .components = {tree_},
                           .work = {.activations = 16 * size_.tokens * size_.width * 4,
                                    .components = {work}}}},
                .device = device_,
                .devices = {{.spec = device_, .traits = traits, .profile = profile}}};
    }

    void enter(const Way& way) {
        auto decided = memory::makePlan(request(way));
        auto* plan = std::get_if<memory::Plan>(&decided);
        QVERIFY2(plan, way.name);
        residency_->begin(std::make_shared<const memory::Plan>(std::move(*plan)), {});
        residency_->enter(0);
    }

    void leave() {
        residency_->leave(0);
        residency_->end(memory::Outcome::Finished);
        residency_->collect(device_);
    }

    [[nodiscard]] std::vector<double> timedForwards(bool computes) {
        std::vector<double> seconds;
        for (int i = 0; i < kForwards; ++i) {
            seconds.push_back(secondsOf([&] { static_cast<void>(forward(computes)); }));
        }
        return seconds;
    }

private Q_SLOTS:

    void initTestCase() {
        hasGpu_ = testing::reasonToSkip().isEmpty();
        QVERIFY2(hasGpu_ || !qEnvironmentVariableIsSet("LOWTIDE_REQUIRE_CARD"),
                 qPrintable(testing::reasonToSkip()));
        const bool isLarge = hasGpu_ && qEnvironmentVariable("LOWTIDE_BENCH_SIZE") != "small";
        size_ = isLarge ? kLarge : kSmall;
        device_.kind = hasGpu_ ? "cuda" : "fake";
        const std::string libraries = testing::buildPath("lib").toStdString();
        residency_ = std::make_unique<residency::Residency>(
            residency::makeDeviceSource(libraries, testing::gpus()));
        const Bytes space = residency_->open(device_).free * 7 / 10;
        const Bytes layer = 2 * 12 * size_.width * size_.width;
        size_.layers = std::clamp<int64_t>(space / layer, 1, size_.layers);
        const Bytes all = layer * size_.layers;
        tree_ = makeTree(
            size_, makeFile(folder_.filePath("weights").toStdString(), std::min(all, kMostFile)));
        QCOMPARE(tree_->fileBytes(), all);
    }

    void measuresTheCopies() {
        enter({"copies alone", "leaf+stream", 0});
        static_cast<void>(forward(false));
        const Bytes before = residency_->traffic().bytesToDevice;
        const double seconds = testing::median(timedForwards(false));
        const Bytes moved = residency_->traffic().bytesToDevice - before;
        leave();
        bandwidth_ = static_cast<double>(moved) / kForwards / seconds;
        qInfo("copies alone: %.2f GB/s", bandwidth_ * 1e-9);
        QVERIFY(moved > 0);
    }

    void measuresEveryWay_data() {
        QTest::addColumn<int>("way");
        for (size_t i = 0; i < std::size(kWays); ++i) {
            QTest::newRow(kWays[i].name) << static_cast<int>(i);
        }
    }

    void measuresEveryWay() {
        QFETCH(int, way);
        const Way& asked = kWays[way];
        residency_->ledger().resetPeaks();
        enter(asked);
        const at::Tensor result = forward(true).cpu();
        if (way == 0) {
            expected_ = result;
        }
        QVERIFY(at::equal(result, expected_));  // whatever moves
        const Bytes before = residency_->traffic().bytesToDevice;
        const std::vector<double> seconds = timedForwards(true);
        const Bytes moved = (residency_->traffic().bytesToDevice - before) / kForwards;
        const Bytes peak = residency_->ledger().peakOn(device_.id());
        leave();
        const double median = testing::median(seconds);
        compute_ = way == 0 ? median : compute_;
        const double streamedBytes = (1 - asked.part) * static_cast<double>(tree_->deviceBytes());
        const double copy = std::min(static_cast<double>(moved), streamedBytes) / bandwidth_;
        const double bound = std::max(compute_, copy);
        testing::addRow(rows_,
                        {{"way", asked.name},
                         {"parameters", tree_->fileBytes() / 2},
                         {"seconds", median},
                         {"slowest", *std::max_element(seconds.begin(), seconds.end())},
                         {"moved", moved},
                         {"peak", peak},
                         {"bound", bound},
                         {"efficiency", bound / median}});
        QVERIFY(!hasGpu_ || bound / median > kLeastEfficiency);
    }

    /// The same stack in PyTorch, offloaded as users do it today; without a GPU the check that
    /// the peer runs at all.
    void measuresThePeers() {
        const Json peers = testing::peerRows("stack_peer.py",
                                             {QString::number(size_.width),
                                              QString::number(size_.layers),
                                              QString::number(size_.tokens),
                                              hasGpu_ ? "cuda" : "cpu"});
        for (const Json& row : peers) {
            testing::addRow(rows_, row);
            QVERIFY(hasGpu_ || !row.contains("refused"));
        }
    }

    void cleanupTestCase() {
        QCOMPARE(residency_->allocatedOn(device_) > 64 * kMiB, false);
        QVERIFY(testing::writeRows("stack", rows_));
        residency_.reset();
    }
};

LOWTIDE_TEST(StackBench)

}  // namespace stack_bench

#include "stack_bench.moc"
