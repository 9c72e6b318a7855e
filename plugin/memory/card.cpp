#include "plugin/memory/card.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace lowtide::memory {

namespace {

constexpr Phrase kCardForms = phrase(
    "write the name of a card (lowtide devices --cards lists them), or its compute capability and "
    "memory: cuda:8.9,12GiB");
/// Fractions of what is stated that copies from pinned memory, and networks, commonly reach.
constexpr double kReachedOfLink = 0.8;
constexpr double kReachedOfProducts = 0.33;
constexpr double kReachedOfMemory = 0.8;
/// What cuBLAS and cuBLASLt take of the allocator at their first product (LibTorch 2.11,
/// CublasHandlePool.cpp): on cards from 9.0 on, and on older ones. An H200 took the first.
constexpr Bytes kProductWorkspace = 33 * kMiB;
constexpr Bytes kOlderProductWorkspace = (8320 + 1024) * kKiB;
constexpr int kLargeWorkspaceCapability = 90;
/// LibTorch's allocator takes segments of 2 and 20 MiB and leaves up to 1 MiB of a piece uncut
/// (CUDACachingAllocator.cpp); without slack runs at their minimum ran out on an H200.
constexpr Bytes kAllocatorSlack = 32 * kMiB;
/// Of a card that nobody lists: about what the listed ones with 6 to 12 GiB keep.
constexpr Bytes kUsualDriver = 640 * kMiB;
constexpr int kOldestCapability = 50;
constexpr int kNewestCapability = 129;
constexpr size_t kLeastAlike = 3;  ///< characters at the beginning of names: "rtx"
constexpr Bytes kSmallestMemory = kGiB;
constexpr Bytes kLargestMemory = 1024 * kGiB;

/// A figure of a card: its key in files, where it is kept, and what a card can have.
struct Figure {
    const char* key;
    double Card::*value;
    double unit;
    double least;
    double most;
};

constexpr std::array<Figure, 2> kLinks = {{
    {"memory_gb_per_second", &Card::memoryBytesPerSecond, 1e9, 10, 20000},
    {"pcie_gb_per_second", &Card::linkBytesPerSecond, 1e9, 1, 1000},
}};
constexpr std::array<Figure, 4> kProducts = {{
    {"f32", &Card::f32FlopsPerSecond, 1e12, 0.5, 1e4},
    {"f16", &Card::f16FlopsPerSecond, 1e12, 0.5, 1e5},
    {"bf16", &Card::bf16FlopsPerSecond, 1e12, 0.5, 1e5},
    {"f8", &Card::f8FlopsPerSecond, 1e12, 0.5, 1e5},
}};

[[noreturn]] void refuseCardFile(const std::string& what, const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("{}: {}", what, problem),
                message("install the module's resources again"));
}

[[noreturn]] void refuseCard(std::string_view text, const Message& why, const Message& hint) {
    throw Error(ErrorKind::InvalidInput, message("card {}: {}", quotedName(text), why), hint, "as");
}

/// Of a card in a file: refused where it is missing or no figure of a card.
double figureIn(const JsonReader& reader, const Figure& figure) {
    const std::optional<double> value = reader.number(figure.key);
    if (!value || !std::isfinite(*value) || *value < figure.least || *value > figure.most) {
        refuseCardFile(reader.what(), message("{} is no figure of a card", figure.key));
    }
    return *value * figure.unit;
}

std::string textIn(const JsonReader& reader, const char* key) {
    const std::optional<std::string> text = reader.text(key);
    if (!text || trim(*text).empty()) {
        refuseCardFile(reader.what(), message("{} is missing", key));
    }
    return *text;
}

Bytes bytesIn(const JsonReader& reader, const char* key, Bytes least, Bytes most) {
    const std::optional<Bytes> bytes = parseBytes(textIn(reader, key));
    if (!bytes || *bytes < least || *bytes > most) {
        refuseCardFile(reader.what(), message("{} is no memory of a card", key));
    }
    return *bytes;
}

Card cardIn(const Json& json, const std::string& what) {
    Card card{.name = textIn(JsonReader(json, what), "name")};
    const JsonReader reader(json, what + ", " + card.name);
    const std::optional<int> capability = parseCapability(textIn(reader, "capability"));
    if (!capability) {
        refuseCardFile(reader.what(), message("capability is no compute capability"));
    }
    card.capability = *capability;
    card.memory = bytesIn(reader, "memory", kSmallestMemory, kLargestMemory);
    card.driver = bytesIn(reader, "driver", 1, card.memory / 2);
    card.source = textIn(reader, "source");
    for (const Figure& figure : kLinks) {
        card.*figure.value = figureIn(reader, figure);
    }
    const Json* products = reader.member("tflops");
    if (!products) {
        refuseCardFile(reader.what(), message("tflops is missing"));
    }
    const JsonReader rates(*products, reader.what() + ", tflops");
    for (const Figure& figure : kProducts) {
        if (rates.has(figure.key) || figure.value == &Card::f32FlopsPerSecond) {
            card.*figure.value = figureIn(rates, figure);
        }
    }
    return card;
}

/// "rtx4060" of "NVIDIA GeForce RTX 4060".
std::string plainName(std::string_view name) {
    std::string plain;
    for (const char c : toLower(name)) {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            plain += c;
        }
    }
    for (const std::string_view word : {"nvidia", "geforce"}) {
        if (plain.starts_with(word)) {
            plain.erase(0, word.size());
        }
    }
    return plain;
}

/// "cuda:8.9,12GiB".
Card cardOfParts(std::string_view text, std::string_view parts) {
    const size_t comma = std::min(parts.find(','), parts.size());
    const std::string_view capabilityPart = parts.substr(0, comma);
    const std::optional<int> capability = parseCapability(capabilityPart);
    if (!capability) {
        refuseCard(text,
                   message("{} is no compute capability of a card", quotedName(capabilityPart)),
                   kCardForms);
    }
    const std::string_view size = comma < parts.size() ? parts.substr(comma + 1) : "";
    const std::optional<Bytes> memory = parseBytes(size);
    if (!memory || *memory < kSmallestMemory || *memory > kLargestMemory) {
        refuseCard(text,
                   message("{} is no memory of a card, from {} to {}",
                           quotedName(size),
                           formatBytes(kSmallestMemory),
                           formatBytes(kLargestMemory)),
                   kCardForms);
    }
    return {.name = "cuda:" + capabilityText(*capability) + "," + formatBytes(*memory),
            .capability = *capability,
            .memory = *memory,
            .driver = std::min(kUsualDriver, *memory / 4)};
}

/// The names of `known` that begin with as much of `plain` as any does.
std::vector<std::string> nearNames(const std::string& plain, std::span<const Card> known) {
    std::vector<std::string> names;
    for (size_t length = plain.size(); length >= kLeastAlike && names.empty(); --length) {
        for (const Card& card : known) {
            if (plainName(card.name).starts_with(plain.substr(0, length))) {
                names.push_back(card.name);
            }
        }
    }
    return names;
}

}  // namespace

std::vector<Card> readCards(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    if (reader.integer("version") != 1) {
        refuseCardFile(what, message("version is not 1"));
    }
    static_cast<void>(textIn(reader, "driver_source"));
    const Json* list = reader.member("cards");
    if (!list || !list->is_array() || list->empty()) {
        refuseCardFile(what, message("there are no cards"));
    }
    std::vector<Card> cards;
    for (const Json& each : *list) {
        Card card = cardIn(each, what);
        const std::string plain = plainName(card.name);
        if (std::any_of(cards.begin(), cards.end(), [&](const Card& other) {
                return plainName(other.name) == plain;
            })) {
            refuseCardFile(what, message("{} is there twice", quotedName(card.name)));
        }
        cards.push_back(std::move(card));
    }
    return cards;
}

Card findCard(std::string_view text, std::span<const Card> known) {
    constexpr std::string_view kParts = "cuda:";
    const std::string clean = trim(text);
    if (toLower(clean).starts_with(kParts)) {
        return cardOfParts(text, std::string_view(clean).substr(kParts.size()));
    }
    const std::string plain = plainName(clean);
    std::vector<const Card*> found;
    for (const Card& card : known) {
        const std::string name = plainName(card.name);
        if (name == plain) {
            return card;
        }
        if (!plain.empty() && name.starts_with(plain)) {
            found.push_back(&card);
        }
    }
    if (found.size() == 1) {
        return *found.front();
    }
    const std::vector<std::string> near = nearNames(plain, known);
    refuseCard(text,
               found.empty() ? message("no card of that name is known")
                             : message("several cards are called so"),
               near.empty() ? Message(kCardForms)
                            : message("did you mean {}? {}", listSome(near, 4), kCardForms));
}

Json toJson(const Card& card) {
    Json json = {{"name", card.name},
                 {"capability", capabilityText(card.capability)},
                 {"memory", card.memory},
                 {"driver", card.driver},
                 {"capacity", card.capacity()},
                 {"source", card.source}};
    json["memory_bytes_per_second"] = card.memoryBytesPerSecond;
    json["pcie_bytes_per_second"] = card.linkBytesPerSecond;
    json["flops_per_second"] = Json::object();
    for (const Figure& figure : kProducts) {
        if (card.*figure.value > 0) {
            json["flops_per_second"][figure.key] = card.*figure.value;
        }
    }
    return json;
}

DeviceProfile estimatedProfile(const Card& card) {
    DeviceProfile profile = estimatedProfile(kCardKind);
    if (card.f32FlopsPerSecond > 0) {
        profile.flopsPerSecond = kReachedOfProducts * card.f32FlopsPerSecond;
        profile.f16FlopsPerSecond = kReachedOfProducts * card.f16FlopsPerSecond;
        profile.bf16FlopsPerSecond = kReachedOfProducts * card.bf16FlopsPerSecond;
    }
    if (card.linkBytesPerSecond > 0) {
        profile.pinnedBytesPerSecond = kReachedOfLink * card.linkBytesPerSecond;
        profile.copyBytesPerSecond =
            std::min(profile.copyBytesPerSecond, profile.pinnedBytesPerSecond);
    }
    profile.memoryBytesPerSecond = kReachedOfMemory * card.memoryBytesPerSecond;
    return profile;
}

DeviceProfile estimatedProfile(const DeviceInfo& device, std::span<const Card> known) {
    const std::string name = plainName(device.name);
    const auto card = std::find_if(known.begin(), known.end(), [&](const Card& each) {
        return device.kind == kCardKind && plainName(each.name) == name;
    });
    return card == known.end() ? estimatedProfile(device.kind) : estimatedProfile(*card);
}

DeviceTraits cudaTraits(int capability, Bytes capacity, Bytes hostFree) {
    return {.capacity = capacity,
            .replays = true,
            .staging = kCudaStaging,
            .workspace =
                capability < kLargeWorkspaceCapability ? kOlderProductWorkspace : kProductWorkspace,
            .slack = kAllocatorSlack,
            .decodesAtOnce = true,
            .pinnable = pinnableOf(hostFree)};
}

Bytes pinnableOf(Bytes hostFree) {
    return hostFree / 2;
}

std::optional<int> parseCapability(std::string_view text) {
    int major = 0;
    int minor = 0;
    const char* end = text.data() + text.size();
    const auto [point, failure] = std::from_chars(text.data(), end, major);
    if (failure != std::errc() || point == end || *point != '.') {
        return std::nullopt;
    }
    const auto [rest, fault] = std::from_chars(point + 1, end, minor);
    if (fault != std::errc() || rest != end || minor < 0 || minor > 9 || major > 99) {
        return std::nullopt;
    }
    const int capability = 10 * major + minor;
    return capability >= kOldestCapability && capability <= kNewestCapability
               ? std::optional(capability)
               : std::nullopt;
}

std::string capabilityText(int capability) {
    return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

}  // namespace lowtide::memory
