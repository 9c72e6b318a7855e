#include "plugin/nn/upscalers/rrdb_layout.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace lowtide::models {

namespace {

constexpr int64_t kLargestUnshuffle = 4;
/// Eightfold, the most that is published.
constexpr int64_t kMostUps = 3;
/// No name of a tensor counts further.
constexpr int64_t kMostBlocks = 10000;

using Style = RrdbNames (*)(const WeightMap&);

bool hasLayer(const WeightMap& weights, const std::string& name) {
    return weights.tensors.contains(name + ".weight") || weights.tensors.contains(name + ".bias");
}

/// The number at the beginning of `text`; `rest` is what stands behind it.
std::optional<int64_t> blockNumberAt(std::string_view text, std::string_view& rest) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0 || number >= kMostBlocks) {
        return std::nullopt;
    }
    rest = text.substr(static_cast<size_t>(end - text.data()));
    return number;
}

/// One more than the highest number of a block that any tensor's name has.
int64_t countBlocks(const WeightMap& weights, const RrdbNames& names) {
    int64_t count = 0;
    for (auto each = weights.tensors.lower_bound(names.body);
         each != weights.tensors.end() && each->first.starts_with(names.body);
         ++each) {
        std::string_view rest;
        const auto number =
            blockNumberAt(std::string_view(each->first).substr(names.body.size()), rest);
        if (number && rest.starts_with(names.dense)) {
            count = std::max(count, *number + 1);
        }
    }
    return count;
}

/// Convolutions of the enlargement as far as the file has them without a gap.
template <class NameOf>
std::vector<std::string> upsOf(const WeightMap& weights, NameOf&& nameOf) {
    std::vector<std::string> names;
    for (int64_t i = 1; hasLayer(weights, nameOf(i)); ++i) {
        names.push_back(nameOf(i));
    }
    return names;
}

/// One flat list of modules, numbered with those that have no weights. Source: ESRGAN's first
/// release, and used for most later models.
RrdbNames oldNames(const WeightMap& weights) {
    RrdbNames names{
        .input = "model.0",
        .body = "model.1.sub.",
        .dense = ".RDB",
        .convEnding = ".0",
        .bodyOutput = {},
        .up = upsOf(weights, [](int64_t i) { return "model." + std::to_string(3 * i); }),
        .detail = {},
        .output = {}};
    const auto last = 3 * names.up.size();
    names.bodyOutput = names.body + std::to_string(countBlocks(weights, names));
    names.detail = "model." + std::to_string(last + 2);
    names.output = "model." + std::to_string(last + 4);
    return names;
}

/// Source: ESRGAN's second release, BSRGAN, RealSR.
RrdbNames trunkNames(const WeightMap& weights) {
    return {.input = "conv_first",
            .body = "RRDB_trunk.",
            .dense = ".RDB",
            .convEnding = {},
            .bodyOutput = "trunk_conv",
            .up = upsOf(weights, [](int64_t i) { return "upconv" + std::to_string(i); }),
            .detail = "HRconv",
            .output = "conv_last"};
}

/// Source: BasicSR, Real-ESRGAN.
RrdbNames basicsrNames(const WeightMap& weights) {
    return {.input = "conv_first",
            .body = "body.",
            .dense = ".rdb",
            .convEnding = {},
            .bodyOutput = "conv_body",
            .up = upsOf(weights, [](int64_t i) { return "conv_up" + std::to_string(i); }),
            .detail = "conv_hr",
            .output = "conv_last"};
}

constexpr Style kStyles[] = {oldNames, trunkNames, basicsrNames};

std::optional<RrdbNames> rrdbNamesIn(const WeightMap& weights) {
    for (const Style style : kStyles) {
        RrdbNames names = style(weights);
        if (countBlocks(weights, names) > 0) {
            return names;
        }
    }
    return std::nullopt;
}

[[noreturn]] void refuseRrdb(ErrorKind kind, const WeightMap& weights, const Message& problem) {
    throw Error(kind,
                message("{}: {}", weights.what, problem),
                kind == ErrorKind::Corrupt ? message("get the file again")
                                           : message("choose another upscaler"));
}

/// [out, in] of a 3x3 convolution.
std::pair<int64_t, int64_t> convChannels(const WeightMap& weights, const std::string& name) {
    const auto found = weights.tensors.find(name);
    if (found == weights.tensors.end()) {
        refuseRrdb(ErrorKind::Corrupt, weights, message("there is no tensor {}", name));
    }
    const Shape& shape = found->second.shape;
    const bool isConv = shape.size() == 4 && shape[0] > 0 && shape[1] > 0;
    if (!isConv || shape[2] != 3 || shape[3] != 3) {
        refuseRrdb(
            ErrorKind::Unsupported,
            weights,
            message(
                "{} is {}, an RRDBNet has [channels, channels, 3, 3] there", name, toText(shape)));
    }
    return {shape[0], shape[1]};
}

int64_t unshuffleFor(const WeightMap& weights, const std::string& name, int64_t channels) {
    for (int64_t factor = 1; factor <= kLargestUnshuffle; factor *= 2) {
        if (channels == kRrdbImageChannels * factor * factor) {
            return factor;
        }
    }
    refuseRrdb(
        ErrorKind::Unsupported,
        weights,
        message("{} takes {} channels; 3 (RGB), 12 and 48 (squares of 2 and 4 pixels) are read",
                name,
                channels));
}

}  // namespace

int64_t RrdbConfig::scale() const {
    return (int64_t{1} << names.up.size()) / unshuffle;
}

Message RrdbConfig::text() const {
    return message("an RRDBNet of {} blocks, {} channels and scale {}", blocks, width, scale());
}

bool isRrdb(const WeightMap& weights) {
    return rrdbNamesIn(weights).has_value();
}

RrdbConfig readRrdbConfig(const WeightMap& weights) {
    RrdbConfig config{.names = rrdbNamesIn(weights).value()};
    const RrdbNames& names = config.names;
    config.blocks = countBlocks(weights, names);
    const std::string input = names.input + ".weight";
    const auto [width, channels] = convChannels(weights, input);
    config.width = width;
    config.unshuffle = unshuffleFor(weights, input, channels);
    const std::string first = names.body + "0" + names.dense + "1.conv1" + names.convEnding;
    config.growth = convChannels(weights, first + ".weight").first;
    const auto ups = static_cast<int64_t>(names.up.size());
    if (ups > kMostUps || config.scale() < 1) {
        refuseRrdb(ErrorKind::Unsupported,
                   weights,
                   message("{} doublings ({} is the last) of an image whose squares of {} pixels "
                           "are channels; scales 1, 2, 4 and 8 are read",
                           ups,
                           ups ? Message(names.up.back()) : message("no convolution"),
                           config.unshuffle));
    }
    return config;
}

}  // namespace lowtide::models
