#include "plugin/models/calibration/copy_speeds.hpp"

#include "plugin/models/calibration/timed_passes.hpp"
#include "plugin/residency/residency.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

/// Every pass copies everything, through one ring: from its file, or from pinned memory behind the
/// first one.
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

Seconds streamedPass(residency::Residency& residency,
                     const memory::DeviceSpec& device,
                     const CopiedWeights& weights,
                     const ScratchWeights& scratch,
                     const char* policy) {
    const auto tree = treeOf(weights, scratch);
    return secondsOfPass(residency, {device, tree, policy}, kRepeats, [&] {
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
    const memory::DeviceTraits traits = residency.traits(device);
    const auto secondsOf = [&](const CopiedWeights& weights, const char* policy) {
        return streamedPass(residency, device, weights, scratch, policy);
    };
    const CopiedWeights small{
        .role = "small copies", .leaves = kSmallLeaves, .elements = kSmallElements};
    const Seconds overhead = secondsOf(small, kPinned) / static_cast<double>(kSmallLeaves);
    const auto speedOf = [&](CopiedWeights weights, Seconds each, const char* policy) {
        weights.leaves = kLargeLeaves;
        weights.elements = kLargeElements;
        const Seconds pass = secondsOf(weights, policy);
        // At least half: neighbours of a busy machine may have slowed the small copies alone.
        const Seconds moving = std::max(pass - static_cast<double>(kLargeLeaves) * each, pass / 2);
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

}  // namespace lowtide::models
