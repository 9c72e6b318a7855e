#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/memory/device_profile.hpp"
#include "plugin/memory/device_spec.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {

/// The kind of device that a card is.
inline constexpr const char* kCardKind = "cuda";

/// A CUDA card that a plan is for and that this machine need not have: what its maker states about
/// it.
struct Card {
    std::string name{};  ///< "RTX 4060"
    int capability = 0;  ///< compute capability: 89 is 8.9
    Bytes memory = 0;    ///< as it is sold
    Bytes driver = 0;    ///< of it what driver and CUDA keep for themselves; an estimate
    double memoryBytesPerSecond = 0;  ///< of its own memory; 0: not stated, here and below
    double linkBytesPerSecond = 0;    ///< from the host, one way
    double f32FlopsPerSecond = 0;     ///< of products, at most
    double f16FlopsPerSecond = 0;
    double bf16FlopsPerSecond = 0;
    double f8FlopsPerSecond = 0;
    std::string source{};  ///< who states memory and speeds

    bool operator==(const Card&) const = default;

    /// What programs can have of it.
    [[nodiscard]] Bytes capacity() const { return memory - driver; }
};

/// The cards of a file of resources/cards. Error{Corrupt} names `what`, the card and the key of
/// what is missing, twice there, or no such figure of a card.
[[nodiscard]] std::vector<Card> readCards(const Json& json, const std::string& what);

/// The card that a user means: the name of one of `known`, with or without the maker's words
/// ("rtx4060", "NVIDIA GeForce RTX 4060") or as far as it is the only one ("RTX 3060"), or
/// "cuda:8.9,12GiB" for any of that compute capability and memory. Error{InvalidInput} lists the
/// nearest names.
[[nodiscard]] Card findCard(std::string_view text, std::span<const Card> known);

/// What plans and lists state about a card; sizes in bytes, speeds in bytes and operations a
/// second.
[[nodiscard]] Json toJson(const Card& card);

/// How fast the card is likely to be: the fractions of the stated speeds that are commonly reached,
/// and where none is stated those of its kind.
[[nodiscard]] DeviceProfile estimatedProfile(const Card& card);

/// The same of a device that nobody measured: of the card that its driver calls by a known name,
/// else of its kind.
[[nodiscard]] DeviceProfile estimatedProfile(const DeviceInfo& device, std::span<const Card> known);

/// Host memory for bytes on their way to a CUDA card; more would hide no more of their reading.
inline constexpr Bytes kCudaStaging = 64 * kMiB;

/// How a CUDA card holds components, there or not: `hostFree` bytes of host memory are free.
[[nodiscard]] DeviceTraits cudaTraits(int capability, Bytes capacity, Bytes hostFree);
/// What a card may pin where so much host memory is free.
[[nodiscard]] Bytes pinnableOf(Bytes hostFree);

/// 89 of "8.9"; nothing where it is none.
[[nodiscard]] std::optional<int> parseCapability(std::string_view text);
/// "8.9" of 89.
[[nodiscard]] std::string capabilityText(int capability);

}  // namespace lowtide::memory
