#include "plugin/models/calibration/copy_speeds.hpp"

#include "plugin/models/calibration/timed_passes.hpp"
#include "plugin/residency/residency.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr const char* kPolicy = "leaf+stream";  ///< every pass copies everything, through one ring
constexpr int kRepeats = 7;
constexpr int64_t kLargeLeaves = 16;
constexpr int64_t kLargeElements = kMiB;
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

Seconds streamedPass(residency::Residency& residency,
                     const memory::DeviceSpec& device,
                     const CopiedWeights& weights,
                     const ScratchWeights& scratch) {
    const auto tree = treeOf(weights, scratch);
    return secondsOfPass(residency, {device, tree, kPolicy}, kRepeats, [&] {
        residency.beginPass(*tree, {});
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
    const auto secondsOf = [&](const CopiedWeights& weights) {
        return streamedPass(residency, device, weights, scratch);
    };
    const Seconds overhead =
        secondsOf({.role = "small copies", .leaves = kSmallLeaves, .elements = kSmallElements}) /
        static_cast<double>(kSmallLeaves);
    const auto speedOf = [&](CopiedWeights weights, Seconds each) {
        weights.leaves = kLargeLeaves;
        weights.elements = kLargeElements;
        const Seconds pass = secondsOf(weights);
        // At least half: neighbours of a busy machine may have slowed the small copies alone.
        const Seconds moving = std::max(pass - static_cast<double>(kLargeLeaves) * each, pass / 2);
        return static_cast<double>(kLargeLeaves * kLargeElements * sizeOf(DType::F32)) / moving;
    };
    CopySpeeds speeds{.overhead = overhead};
    speeds.bytesPerSecond = speedOf({.role = "copies"}, overhead);
    speeds.convertedBytesPerSecond =
        speedOf({.role = "conversions", .fileType = DType::F16}, overhead);
    if (residency.traits(device).usesWeightsInPlace && scratch.file().isLocal) {
        speeds.mappedBytesPerSecond = speedOf({.role = "mapped", .mayBeMapped = true}, 0);
    }
    return speeds;
}

}  // namespace lowtide::models
