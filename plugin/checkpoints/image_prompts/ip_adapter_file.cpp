#include "plugin/checkpoints/image_prompts/ip_adapter_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/known_files.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace lowtide::models {

namespace {

constexpr std::string_view kImagePart = "image_proj.";
constexpr std::string_view kPairPart = "ip_adapter.";
constexpr Phrase kAgain = phrase("get the IP-Adapter again, or choose another one");

bool hasPart(const WeightMap& file, std::string_view part) {
    const auto found = file.tensors.lower_bound(part);
    return found != file.tensors.end() && found->first.starts_with(part);
}

bool hasImage(const WeightMap& file, std::string_view name) {
    return file.tensors.contains(std::string(kImagePart) + std::string(name));
}

[[noreturn]] void refuseKind(const WeightMap& file, const Message& why, const Message& hint) {
    throw Error(ErrorKind::Unsupported, message("{} {}", file.what, why), hint);
}

[[noreturn]] void refuseDamagedAdapter(const WeightMap& file, const Message& problem) {
    throw Error(ErrorKind::Corrupt, message("{}: {}", file.what, problem), kAgain);
}

void refuseOtherKinds(const WeightMap& file) {
    constexpr Phrase kOthers = phrase("choose IP-Adapter, IP-Adapter Plus or IP-Adapter Plus Face");
    const bool isFace = hasPart(file, "image_proj.perceiver_resampler.") ||
                        (hasImage(file, "proj.0.weight") && hasImage(file, "norm.weight"));
    if (isFace) {
        refuseKind(file,
                   message("is an IP-Adapter FaceID: it reads what a face recognition network "
                           "(InsightFace) computes from a face, and none is built"),
                   kOthers);
    }
    if (hasImage(file, "proj.3.weight")) {
        refuseKind(file, message("is an IP-Adapter Full Face, which is not built"), kOthers);
    }
}

[[noreturn]] void refuseNoAdapter(const WeightMap& file) {
    std::vector<std::string> seen;
    for (const auto& [name, location] : file.tensors) {
        seen.push_back(quotedName(name));
    }
    const std::optional<KnownFile> known = knownFile(file);
    constexpr size_t kShownNames = 3;
    const Message has = seen.empty() ? message("no tensors")
                                     : message("the tensors {}", listSome(seen, kShownNames));
    refuseKind(file,
               known ? message("is no IP-Adapter, it is of the kind {}: it has {}",
                               quotedName(known->family),
                               has)
                     : message("is no IP-Adapter: it has {}", has),
               message("choose a file with image_proj and ip_adapter"));
}

/// A tensor of the projection; of so many dimensions, none of them 0.
const Shape& imageShape(const WeightMap& file, const std::string& name, size_t dimensions) {
    const std::string key = std::string(kImagePart) + name;
    const auto found = file.tensors.find(key);
    if (found == file.tensors.end()) {
        refuseDamagedAdapter(file, message("there is no tensor {}", quotedName(key)));
    }
    const Shape& shape = found->second.shape;
    if (shape.size() != dimensions || std::count(shape.begin(), shape.end(), 0) > 0) {
        refuseDamagedAdapter(file, message("{} is {}", quotedName(key), toText(shape)));
    }
    return shape;
}

ImageProjectionConfig pooledConfig(const WeightMap& file) {
    const Shape& weight = imageShape(file, "proj.weight", 2);
    const int64_t width = imageShape(file, "norm.weight", 1)[0];
    if (weight[0] % width != 0) {
        refuseDamagedAdapter(
            file,
            message("image_proj.proj.weight is {}, no whole number of tokens {} wide",
                    toText(weight),
                    width));
    }
    return {.visionWidth = weight[1], .tokens = weight[0] / width, .width = width};
}

ImageProjectionConfig resamplerConfig(const WeightMap& file) {
    const Shape& tokens = imageShape(file, "latents", 3);
    const Shape& query = imageShape(file, "layers.0.0.to_q.weight", 2);
    ImageProjectionConfig config{.isResampler = true,
                                 .visionWidth = imageShape(file, "proj_in.weight", 2)[1],
                                 .tokens = tokens[1],
                                 .width = imageShape(file, "proj_out.weight", 2)[0],
                                 .innerWidth = tokens[2],
                                 .headsWidth = query[0],
                                 .feedWidth = imageShape(file, "layers.0.1.1.weight", 2)[0]};
    while (hasImage(file, "layers." + std::to_string(config.layers) + ".0.to_q.weight")) {
        ++config.layers;
    }
    if (config.headsWidth % kResamplerHead != 0) {
        refuseDamagedAdapter(
            file,
            message("image_proj.layers.0.0.to_q.weight is {}, no whole number of heads 64 wide",
                    toText(query)));
    }
    return config;
}

WeightMap projectionWeights(const WeightMap& file) {
    WeightMap map{
        .what = file.what,
        .files = file.files,
        .tensors = {},
        .nameInFile =
            [](std::string_view name) { return std::string(kImagePart) + std::string(name); },
        .settings = phrase("what its shapes imply"),
        .hint = kAgain,
        .mustBeFinite = true};
    for (auto each = file.tensors.lower_bound(kImagePart);
         each != file.tensors.end() && each->first.starts_with(kImagePart);
         ++each) {
        map.tensors.insert(*each);
    }
    return map;
}

/// Of "ip_adapter.13.to_k_ip.weight": 13; of what is named otherwise nothing.
std::optional<std::pair<int64_t, std::string>> numberedName(const std::string& name) {
    constexpr size_t kMostDigits = 4;
    const std::vector<std::string> parts = split(name, '.');
    const bool isNumbered =
        parts.size() == 4 && !parts[1].empty() && parts[1].size() <= kMostDigits &&
        parts[1].find_first_not_of("0123456789") == parts[1].npos &&
        (parts[2] == "to_k_ip" || parts[2] == "to_v_ip") && parts[3] == "weight";
    return isNumbered ? std::optional(std::pair(std::stoll(parts[1]), parts[2])) : std::nullopt;
}

void checkPairTensor(const WeightMap& file, const IpTensor& tensor, int64_t contextWidth) {
    const TensorLocation& location = tensor.location;
    const bool fits = location.shape.size() == 2 && location.shape[0] > 0 &&
                      location.shape[1] == contextWidth && isFloating(location.type) &&
                      location.isRowMajor;
    if (!fits) {
        const Message seen = message("{} is {} of {}",
                                     quotedName(tensor.key),
                                     toText(location.shape),
                                     nameOf(location.type));
        refuseDamagedAdapter(
            file,
            message("{}; needs [width, {}] of floating point, as wide as its tokens",
                    location.isRowMajor ? seen : message("{}, not stored row by row", seen),
                    contextWidth));
    }
}

/// They count all attentions of the denoiser, of which every second is a cross attention.
std::vector<IpPair> pairsIn(const WeightMap& file, int64_t contextWidth) {
    std::map<int64_t, std::map<std::string, IpTensor>> found;
    for (auto each = file.tensors.lower_bound(kPairPart);
         each != file.tensors.end() && each->first.starts_with(kPairPart);
         ++each) {
        const auto numbered = numberedName(each->first);
        if (!numbered) {
            refuseKind(file,
                       message("has a tensor {}, which no IP-Adapter that is built has",
                               quotedName(each->first)),
                       message("choose IP-Adapter, IP-Adapter Plus or IP-Adapter Plus Face"));
        }
        found[numbered->first].emplace(numbered->second, IpTensor{each->first, each->second});
    }
    std::vector<IpPair> pairs;
    for (auto& [number, tensors] : found) {
        const auto expected = static_cast<int64_t>(2 * pairs.size() + 1);
        if (number != expected || tensors.size() != 2) {
            refuseDamagedAdapter(
                file,
                message(
                    "there are no {}{}.to_k_ip.weight and to_v_ip.weight", kPairPart, expected));
        }
        IpPair& pair = pairs.emplace_back(
            IpPair{.key = tensors.at("to_k_ip"), .value = tensors.at("to_v_ip")});
        checkPairTensor(file, pair.key, contextWidth);
        checkPairTensor(file, pair.value, contextWidth);
        if (pair.key.location.shape != pair.value.location.shape) {
            refuseDamagedAdapter(file,
                                 message("{} is {}, {} {}",
                                         quotedName(pair.key.key),
                                         toText(pair.key.location.shape),
                                         quotedName(pair.value.key),
                                         toText(pair.value.location.shape)));
        }
    }
    return pairs;
}

}  // namespace

std::string IpAdapterFile::label() const {
    const std::string base = AdapterBase{.contextWidth = contextWidth()}.text().str();
    return std::string("IP-Adapter") + (projection.isResampler ? " Plus" : "") +
           (base.empty() ? "" : " for " + base);
}

bool isIpAdapter(const WeightMap& file) {
    return hasPart(file, kImagePart) && hasPart(file, kPairPart);
}

IpAdapterFile ipAdapterIn(const WeightMap& file) {
    if (!isIpAdapter(file)) {
        refuseNoAdapter(file);
    }
    refuseOtherKinds(file);
    IpAdapterFile found{.what = file.what, .files = file.files};
    found.projection = hasImage(file, "latents") ? resamplerConfig(file) : pooledConfig(file);
    found.projectionWeights = projectionWeights(file);
    found.pairs = pairsIn(file, found.contextWidth());
    return found;
}

}  // namespace lowtide::models
