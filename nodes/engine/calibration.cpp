#include "nodes/engine/calibration.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/adapters/adapter_math.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/denoisers/unet2d_condition.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/residency/residency.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>

namespace lowtide::residency {
class Residency;
}

namespace lowtide::nodes {

/// A component that is alone in a run, under one policy.
struct SoloRun {
    memory::DeviceSpec device;
    std::shared_ptr<const memory::ComponentTree> tree;
    std::string policy;
};

/// Plans and begins the run, executes `forward` once to warm up and then `repeats` times, and ends
/// it. Returns a time that a quarter of them kept: other programs only ever add to it.
/// Error{OutOfMemory} when the component does not fit, and what `forward` throws. Run thread, no
/// other run at work.
[[nodiscard]] Seconds secondsOfForward(residency::Residency& residency,
                                       const SoloRun& solo,
                                       int repeats,
                                       const std::function<void()>& forward);

/// What a forward takes: each leaf its overhead, and the operations that the dry run counts.
struct ComputeSpeeds {
    double flopsPerSecond = 0;
    Seconds leafOverhead = 0;
};

/// Two passes of a UNet, one so small that only its leaves take time, one large; both with all that
/// stands between the products, which the plan does not count on its own. Error{OutOfMemory} when
/// the device has no memory for them (about 200 MiB).
[[nodiscard]] ComputeSpeeds measureCompute(residency::Residency& residency,
                                           const memory::DeviceSpec& device,
                                           const ScratchWeights& scratch);

namespace {

/// Of its own for every process that measures at the same time.
std::string newPath(const std::string& folder) {
    std::random_device random;
    return (std::filesystem::path(folder) /
            ("calibration-" + std::to_string(random()) + ".weights"))
        .string();
}

void writeZeros(const std::string& path) {
    const std::vector<std::byte> zeros(static_cast<size_t>(kMiB));
    files::OutputFile file(path);
    for (Bytes written = 0; written < ScratchWeights::kBytes; written += kMiB) {
        file.write(zeros);
    }
    file.commit();
}

}  // namespace

ScratchWeights::ScratchWeights(const std::string& folder) : file_{.path = newPath(folder)} {
    writeZeros(file_.path);
    const files::InputFile written(file_.path);
    file_.size = written.identity().size;
    file_.modifiedNanoseconds = written.identity().modifiedNanoseconds;
    file_.inode = written.identity().inode;
    file_.isLocal = written.isLocal();
}

ScratchWeights::~ScratchWeights() {
    std::error_code ignored;  // what remains is found by its name
    std::filesystem::remove(file_.path, ignored);
}

std::shared_ptr<const memory::ComponentTree> treeOf(const CopiedWeights& weights,
                                                    const ScratchWeights& scratch) {
    auto tree = std::make_shared<memory::ComponentTree>();
    tree->id = "calibration of " + weights.role;
    tree->role = weights.role;
    tree->network = "Calibration";
    tree->files = {scratch.file()};
    tree->files[0].isLocal = scratch.file().isLocal && weights.mayBeMapped;
    const Bytes bytes = weights.elements * sizeOf(weights.fileType);
    const int64_t positions = ScratchWeights::kBytes / bytes;
    for (int64_t i = 0; i < weights.leaves; ++i) {
        const std::string name = "leaf" + std::to_string(i);
        tree->storages.push_back({.key = name,
                                  .fileOffset = i % positions * bytes,
                                  .fileType = weights.fileType,
                                  .elementCount = weights.elements});
        tree->weights.push_back({.name = name + ".weight",
                                 .storage = static_cast<memory::StorageId>(i),
                                 .shape = {weights.elements}});
        tree->leaves.push_back({.name = name, .weights = {static_cast<memory::WeightId>(i)}});
    }
    return tree;
}

namespace {

std::shared_ptr<const memory::Plan> planOf(residency::Residency& residency, const SoloRun& solo) {
    const memory::PlanRequest request{
        .nodes = {{.node = "calibration",
                   .policy = memory::parsePolicy(solo.policy),
                   .components = {solo.tree}}},
        .device = solo.device,
        .devices = {{.spec = solo.device,
                     .traits = residency.traits(solo.device),
                     .profile = memory::estimatedProfile(solo.device.kind),
                     .held = residency.ledger().bytesOn(solo.device.id())}}};
    auto decided = memory::makePlan(request);
    if (const auto* infeasible = std::get_if<memory::Infeasible>(&decided)) {
        throw Error(ErrorKind::OutOfMemory,
                    message("{} cannot be measured: {}", solo.device.id(), infeasible->reason),
                    message("release kept components, or use a larger device"));
    }
    return std::make_shared<const memory::Plan>(std::get<memory::Plan>(std::move(decided)));
}

/// The one node of a run, entered; whatever happens it is left, the run ends, and nothing remains
/// pinned.
class Entered {
public:
    Entered(residency::Residency& residency, const SoloRun& solo)
        : residency_(residency),
          own_{.tree = solo.tree->id, .device = solo.device.id(), .bytes = 0} {
        auto plan = planOf(residency, solo);
        residency_.ledger().beginRun();
        residency_.begin(std::move(plan), StopToken());
    }

    ~Entered() {
        residency_.leave(0);
        residency_.end(memory::Outcome::Finished);
        residency_.unpin(own_);
    }

    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

    void enter() { residency_.enter(0); }

private:
    residency::Residency& residency_;
    memory::PinnedComponent own_;
};

}  // namespace

Seconds secondsOfForward(residency::Residency& residency,
                         const SoloRun& solo,
                         int repeats,
                         const std::function<void()>& forward) {
    Entered run(residency, solo);
    run.enter();
    const auto finishedForward = [&] {
        forward();
        residency.finishCompute(solo.device);
    };
    finishedForward();
    std::vector<Seconds> seconds;
    for (int i = 0; i < repeats; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        finishedForward();
        seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 4];
}

namespace {

constexpr int64_t kLatentChannels = 4;
constexpr int64_t kTokens = 77;
constexpr int64_t kContextWidth = 768;

/// A UNet of the first Stable Diffusion, two of its levels, and the image it runs on.
struct Exercise {
    int64_t channels;
    int64_t side;  ///< of the latents
    int repeats;
};

constexpr Exercise kSmall = {.channels = 32, .side = 8, .repeats = 20};
constexpr Exercise kLarge = {.channels = 320, .side = 24, .repeats = 4};

models::UNet2DConfig configOf(const Exercise& exercise) {
    const models::UNetLevel plain{.channels = exercise.channels,
                                  .layers = 1,
                                  .downTransformers = {1},
                                  .upTransformers = {1, 1},
                                  .contextWidth = kContextWidth};
    models::UNetLevel attentive = plain;
    attentive.down = models::UNetBlock::CrossAttention;
    attentive.up = models::UNetBlock::CrossAttention;
    models::UNet2DConfig config;
    config.timeWidth = 4 * exercise.channels;
    config.levels = {attentive, plain};
    return config;
}

/// One pass, as the plan counts it and as it was measured.
struct Timed {
    double leaves = 0;
    double flops = 0;
    Seconds seconds = 0;
};

memory::ComponentWork dryRunWork(const models::UNet2DCondition& unet,
                                 const Exercise& exercise,
                                 const std::string& deviceKind) {
    models::DryRun dryRun(
        {.device = {.spec = {.kind = deviceKind}}}, {unet.tree()}, models::adapterMath());
    models::Forward forward(dryRun, *unet.tree(), tensor::Record(nullptr));
    const at::Tensor ignored =
        unet.predict(forward,
                     models::DryRun::onWire({1, kLatentChannels, exercise.side, exercise.side}),
                     at::scalar_tensor(1, at::kFloat),
                     {.context = models::DryRun::onWire({1, kTokens, kContextWidth})});
    memory::StageWork work = dryRun.work();
    LOWTIDE_ASSERT(work.components.size() == 1);
    return std::move(work.components.front());
}

Timed timed(residency::Residency& residency,
            const memory::DeviceSpec& device,
            const ScratchWeights& scratch,
            const Exercise& exercise) {
    const models::WeightMap weights{
        .what = "calibration", .files = {scratch.file()}, .tensors = {}, .everything = DType::F32};
    const models::UNet2DCondition unet(configOf(exercise), weights, models::kDenoiser);
    const memory::ComponentWork work = dryRunWork(unet, exercise, device.kind);
    const at::Tensor latents = at::zeros({1, kLatentChannels, exercise.side, exercise.side});
    const at::Tensor context = at::zeros({1, kTokens, kContextWidth});
    Timed result{.leaves = static_cast<double>(work.forward.size())};
    for (const memory::LeafUse& use : work.forward) {
        result.flops += use.flops;
    }
    result.seconds =
        secondsOfForward(residency, {device, unet.tree(), "none"}, exercise.repeats, [&] {
            models::Forward forward(residency, *unet.tree(), tensor::Record(nullptr));
            const at::Tensor noise =
                unet.predict(forward,
                             tensor::upload(latents, forward.device()),
                             at::scalar_tensor(1, at::kFloat),
                             {.context = tensor::upload(context, forward.device())});
            static_cast<void>(tensor::scalar(noise.flatten()[0]));  // waits for what is queued
        });
    return result;
}

}  // namespace

ComputeSpeeds measureCompute(residency::Residency& residency,
                             const memory::DeviceSpec& device,
                             const ScratchWeights& scratch) {
    const Timed small = timed(residency, device, scratch, kSmall);
    const Timed large = timed(residency, device, scratch, kLarge);
    // seconds = leaves x overhead + flops / rate, for both; the leaves are the same ones.
    const Seconds more = large.seconds - small.seconds;
    if (more <= 0) {
        throw Error(
            ErrorKind::Device,
            message("{} took no longer for more operations, so it cannot be measured", device.id()),
            message("measure again when the machine has less to do"));
    }
    ComputeSpeeds speeds;
    speeds.flopsPerSecond = (large.flops - small.flops) / more;
    speeds.leafOverhead =
        std::max(0.0, (small.seconds - small.flops / speeds.flopsPerSecond) / small.leaves);
    return speeds;
}

namespace {

/// Every forward copies everything, through one ring buffer: from its file, or from pinned memory
/// behind the first one.
constexpr const char* kFromFiles = "leaf+stream,pin=0";
constexpr const char* kPinned = "leaf+stream";
constexpr int kRepeats = 7;
constexpr int64_t kLargeLeaves = 16;
constexpr int64_t kLargeElements = kMiB;
constexpr Bytes kLargeBytes = kLargeLeaves * kLargeElements * 4;  // f32
constexpr int64_t kSmallLeaves = 256;
constexpr int64_t kSmallElements = 256;
constexpr Bytes kPage = 4096;

/// Reads a byte of each page, as compute does first of all.
void touch(const at::Tensor& weight) {
    const auto* bytes = static_cast<const std::byte*>(weight.const_data_ptr());
    for (Bytes offset = 0; offset < static_cast<Bytes>(weight.nbytes()); offset += kPage) {
        static_cast<void>(*static_cast<const volatile std::byte*>(bytes + offset));
    }
}

Seconds streamedForward(residency::Residency& residency,
                        const memory::DeviceSpec& device,
                        const CopiedWeights& weights,
                        const ScratchWeights& scratch,
                        const char* policy) {
    const auto tree = treeOf(weights, scratch);
    return secondsOfForward(residency, {device, tree, policy}, kRepeats, [&] {
        residency.beginForward(*tree, {});
        for (memory::LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
            const residency::Lease lease = residency.use(*tree, leaf);
            if (weights.mayBeMapped) {
                touch(lease[0]);
            }
        }
    });
}

}  // namespace

CopySpeeds measureCopies(residency::Residency& residency,
                         const memory::DeviceSpec& device,
                         const ScratchWeights& scratch) {
    const memory::DeviceTraits traits = residency.traits(device);
    const auto secondsOf = [&](const CopiedWeights& weights, const char* policy) {
        return streamedForward(residency, device, weights, scratch, policy);
    };
    const CopiedWeights small{
        .role = "small copies", .leaves = kSmallLeaves, .elements = kSmallElements};
    const Seconds overhead = secondsOf(small, kPinned) / static_cast<double>(kSmallLeaves);
    const auto speedOf = [&](CopiedWeights weights, Seconds each, const char* policy) {
        weights.leaves = kLargeLeaves;
        weights.elements = kLargeElements;
        const Seconds forward = secondsOf(weights, policy);
        // At least half: neighbours of a busy machine may have slowed the small copies alone.
        const Seconds moving =
            std::max(forward - static_cast<double>(kLargeLeaves) * each, forward / 2);
        return static_cast<double>(kLargeBytes) / moving;
    };
    CopySpeeds speeds{.overhead = overhead};
    speeds.bytesPerSecond = speedOf({.role = "copies"}, overhead, kFromFiles);
    speeds.convertedBytesPerSecond =
        speedOf({.role = "conversions", .fileType = DType::F16}, overhead, kFromFiles);
    if (traits.usesWeightsInPlace && scratch.file().isLocal) {
        speeds.mappedBytesPerSecond =
            speedOf({.role = "mapped", .mayBeMapped = true}, 0, kFromFiles);
    }
    if (traits.pinnable >= kLargeBytes) {
        speeds.pinnedBytesPerSecond = speedOf({.role = "pinned copies"}, overhead, kPinned);
    }
    return speeds;
}

memory::DeviceProfile measureDevice(residency::Residency& residency,
                                    const memory::DeviceSpec& device,
                                    const std::string& scratchFolder) {
    const ScratchWeights scratch(scratchFolder);
    const CopySpeeds copies = measureCopies(residency, device, scratch);
    const ComputeSpeeds compute = measureCompute(residency, device, scratch);
    return {.copyBytesPerSecond = copies.bytesPerSecond,
            .copyOverhead = copies.overhead,
            .flopsPerSecond = compute.flopsPerSecond,
            .leafOverhead = compute.leafOverhead,
            .convertedBytesPerSecond = copies.convertedBytesPerSecond,
            .mappedBytesPerSecond = copies.mappedBytesPerSecond,
            .pinnedBytesPerSecond = copies.pinnedBytesPerSecond};
}

}  // namespace lowtide::nodes
