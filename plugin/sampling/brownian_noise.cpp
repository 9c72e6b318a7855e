#include "plugin/sampling/brownian_noise.hpp"

#include "plugin/tensor/generator.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace lowtide::sampling {

namespace {

constexpr size_t kPoolSize = 24;

/// The words of a number, lowest first; 0 has one.
void appendWords(std::vector<uint32_t>& words, uint64_t number) {
    constexpr unsigned kWordBits = 32;
    do {
        words.push_back(static_cast<uint32_t>(number));
        number >>= kWordBits;
    } while (number > 0);
}

/// A multiplier that changes with every use.
class SeedHash {
public:
    SeedHash(uint32_t first, uint32_t multiplier) : value_(first), multiplier_(multiplier) {}

    uint32_t operator()(uint32_t word) {
        word ^= value_;
        value_ *= multiplier_;
        word *= value_;
        return word ^ (word >> 16U);
    }

private:
    uint32_t value_;
    uint32_t multiplier_;
};

uint32_t mixedWords(uint32_t left, uint32_t right) {
    const uint32_t mixed = 0xca01f9ddU * left - 0x4973f715U * right;
    return mixed ^ (mixed >> 16U);
}

/// Six decimals, where the tree's intervals are halved. Every second middle of two such levels has
/// a seventh decimal of 5: whether its double lies above or below, the product alone does not show.
double sixDecimals(double level) {
    constexpr double kMillion = 1e6;
    const double scaled = level * kMillion;
    const double dropped = std::fma(level, kMillion, -scaled);
    const double below = std::floor(scaled);
    if (scaled - below == 0.5 && dropped != 0) {
        return (dropped > 0 ? below + 1 : below) / kMillion;
    }
    return std::nearbyint(scaled) / kMillion;
}

}  // namespace

uint32_t seedWord(uint64_t seed, std::span<const uint64_t> spawned) {
    std::vector<uint32_t> words;
    appendWords(words, seed);
    words.resize(std::max(words.size(), kPoolSize), 0);
    for (const uint64_t number : spawned) {
        appendWords(words, number);
    }
    SeedHash hash(0x43b0d7e5U, 0x931e8875U);
    std::array<uint32_t, kPoolSize> pool{};
    for (size_t i = 0; i < kPoolSize; ++i) {
        pool[i] = hash(words[i]);
    }
    for (size_t from = 0; from < words.size(); ++from) {
        for (size_t to = 0; to < kPoolSize; ++to) {
            if (from != to) {
                pool[to] = mixedWords(pool[to], hash(from < kPoolSize ? pool[from] : words[from]));
            }
        }
    }
    return SeedHash(0x8b51f9ddU, 0x58f38dedU)(pool.front());
}

/// A part of the tree whose increment is known.
struct BrownianNoise::Node {
    double begin;
    double end;
    uint64_t key;    ///< among the nodes of its depth
    uint64_t depth;  ///< of the root: 0
    at::Tensor increment;
};

BrownianNoise::BrownianNoise(uint64_t seed,
                             std::vector<int64_t> shape,
                             double lowest,
                             double highest)
    : seed_(seed),
      shape_(std::move(shape)),
      lowest_(sixDecimals(lowest)),
      highest_(sixDecimals(highest)),
      length_(highest - lowest) {}

at::Tensor BrownianNoise::drawn(std::span<const uint64_t> spawned) const {
    return tensor::NoiseGenerator(seedWord(seed_, spawned)).draw(shape_);
}

at::Tensor BrownianNoise::increment(const Node& node, double begin, double end) const {
    if (begin == node.begin && end == node.end) {
        return node.increment;
    }
    if (begin == end) {  // closer than the intervals are halved
        return at::zeros(shape_);
    }
    const double half = sixDecimals((node.begin + node.end) / 2);
    const double length = node.end - node.begin;
    const double left = half - node.begin;
    const std::array<uint64_t, 2> spawned = {node.key, node.depth};
    const at::Tensor first = node.increment * (left / length) +
                             drawn(spawned) * std::sqrt(left * (node.end - half) / length);
    const auto ofFirst = [&](double to) {
        return increment({node.begin, half, 2 * node.key, node.depth + 1, first}, begin, to);
    };
    const auto ofSecond = [&](double from) {
        return increment(
            {half, node.end, 2 * node.key + 1, node.depth + 1, node.increment - first}, from, end);
    };
    if (end <= half) {
        return ofFirst(end);
    }
    return begin >= half ? ofSecond(begin) : ofFirst(half) + ofSecond(half);
}

at::Tensor BrownianNoise::between(double from, double to) const {
    const Node root{lowest_, highest_, 0, 0, drawn({}) * std::sqrt(length_)};
    const auto within = [&](double level) {
        return sixDecimals(std::clamp(level, lowest_, highest_));
    };
    return increment(root, within(to), within(from)) / -std::sqrt(from - to);
}

}  // namespace lowtide::sampling
