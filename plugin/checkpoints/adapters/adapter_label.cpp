#include "plugin/checkpoints/adapters/adapter_label.hpp"

#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/adapters/adapter_key.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

/// Of layers as people know them.
constexpr std::pair<std::string_view, std::string_view> kKindNames[] = {
    {"low_rank", "LoRA"},
    {"hadamard", "LoHa"},
    {"kronecker", "LoKr"},
    {"scale", "(IA)3"},
    {"difference", "full differences"},
};

constexpr std::pair<std::string_view, std::string_view> kComponentNames[] = {
    {kAdapterDenoiser, "UNet"},
    {kAdapterText, "text encoder"},
    {kAdapterText2, "text encoder 2"},
    {kAdapterText3, "text encoder 3"},
    {kAdapterText4, "text encoder 4"},
    {kAdapterDenoiser2, "low-noise model"},
};

/// "a, b and c".
std::string inOneSentence(const std::vector<std::string>& parts) {
    std::string text;
    for (size_t i = 0; i < parts.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    }
    return text;
}

/// Those of `names` that `has`, in their order.
template <class Names, class Has>
std::vector<std::string> namesWhere(const Names& names, Has&& has) {
    std::vector<std::string> found;
    for (const auto& [key, name] : names) {
        if (has(key)) {
            found.emplace_back(name);
        }
    }
    return found;
}

bool isDora(const AdapterLayer& layer) {
    return layer.factors.contains("dora_scale") || layer.factors.contains("magnitude");
}

/// LoCon: low-rank changes of convolutions with kernels.
bool isConvolution(const AdapterLayer& layer) {
    const auto down = layer.factors.find("down");
    return down != layer.factors.end() &&
           (layer.factors.contains("mid") ||
            (down->second.place.shape.size() > 2 && down->second.place.shape.back() > 1));
}

std::string rankText(const AdapterFile& file) {
    std::set<int64_t> ranks;
    for (const AdapterLayer& layer : file.layers) {
        if (layer.rank) {
            ranks.insert(*layer.rank);
        }
    }
    if (ranks.empty()) {
        return "";
    }
    const std::string least = std::to_string(*ranks.begin());
    return ranks.size() == 1 ? ", rank " + least
                             : ", ranks " + least + " to " + std::to_string(*ranks.rbegin());
}

}  // namespace

bool looksLikeAdapter(const WeightMap& file) {
    return std::any_of(file.tensors.begin(), file.tensors.end(), [](const auto& tensor) {
        return isOfAdapter(tensor.first);
    });
}

std::string kindsOf(const AdapterFile& file) {
    const auto any = [&](auto&& is) {
        return std::any_of(file.layers.begin(), file.layers.end(), is);
    };
    std::vector<std::string> kinds = namesWhere(kKindNames, [&](std::string_view kind) {
        return any([&](const AdapterLayer& layer) { return layer.kind == kind; });
    });
    if (kinds.front() == "LoRA") {
        kinds.front() = any(isConvolution) ? "LoCon" : "LoRA";
    }
    if (any(isDora)) {
        kinds.front() = "DoRA (" + kinds.front() + ")";
    }
    return inOneSentence(kinds);
}

std::string whatAdapterIs(const AdapterFile& file) {
    std::set<std::tuple<std::string_view, std::string_view>> modules;
    for (const AdapterLayer& layer : file.layers) {
        modules.emplace(layer.component, layer.module);
    }
    const AdapterBase base = baseOf(file);
    std::vector<std::string> components =
        namesWhere(kComponentNames, [&](std::string_view component) {
            return std::any_of(modules.begin(), modules.end(), [&](const auto& module) {
                return std::get<0>(module) == component;
            });
        });
    if (base.hasDenoiser && !base.isKnown() && !base.isUNet) {
        components.front() = "denoiser";
    }
    const std::string whose = base.text();
    return kindsOf(file) + (whose.empty() ? "" : " for " + whose) + rankText(file) + ", " +
           inOneSentence(components) + ", " + std::to_string(modules.size()) +
           (modules.size() == 1 ? " layer" : " layers");
}

std::string whatAdapterIs(const WeightFileHeader& header) {
    return whatAdapterIs(readAdapterHeader(header));
}

}  // namespace lowtide::models
