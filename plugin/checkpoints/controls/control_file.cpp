#include "plugin/checkpoints/controls/control_file.hpp"

#include "plugin/base/text.hpp"
#include "plugin/checkpoints/known_files.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_settings.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

constexpr int64_t kXlNumberWidth = 256;
constexpr std::string_view kControlPrefix = "control_model.";
constexpr std::string_view kLdmHint = "input_hint_block.0.weight";
constexpr std::string_view kDiffusersHint = "controlnet_cond_embedding.conv_in.weight";

/// Parts of names of what is called a ControlNet, and is built otherwise.
constexpr std::pair<std::string_view, std::string_view> kOtherControls[] = {
    {"lora_controlnet", "Control-LoRA"},
    {"task_embedding", "ControlNet Union (ControlNet++)"},
    {"control_add_embedding", "ControlNet Union (ControlNet++)"},
    {"controlnet_x_embedder", "ControlNet of Flux"},
    {"controlnet_blocks.", "ControlNet of Flux or SD 3"},
};

std::optional<std::string_view> otherControl(const WeightMap& file) {
    for (const auto& [part, kind] : kOtherControls) {
        const bool isIn =
            std::any_of(file.tensors.begin(), file.tensors.end(), [&](const auto& tensor) {
                return tensor.first.find(part) != tensor.first.npos;
            });
        if (isIn) {
            return kind;
        }
    }
    return std::nullopt;
}

bool startsWithDot(std::string_view name, std::string_view module) {
    return name.starts_with(module) && name.size() > module.size() && name[module.size()] == '.';
}

/// The file's own names, without the prefix.
WeightMap withoutPrefix(const WeightMap& file, std::string_view prefix) {
    WeightMap map{.what = file.what, .files = file.files, .tensors = {}};
    for (auto each = file.tensors.lower_bound(prefix);
         each != file.tensors.end() && each->first.starts_with(prefix);
         ++each) {
        map.tensors.emplace(each->first.substr(prefix.size()), each->second);
    }
    return map;
}

/// How many modules "<list><number><rest>" there are in a row.
int64_t countOf(const WeightMap& file, std::string_view list, std::string_view rest) {
    int64_t count = 0;
    while (file.tensors.contains(std::string(list) + std::to_string(count) + std::string(rest))) {
        ++count;
    }
    return count;
}

bool isSmallNumber(const std::string& text) {
    constexpr size_t kMostDigits = 4;
    return !text.empty() && text.size() <= kMostDigits &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether a file's name has numbers where names of our networks have them.
bool isPlainName(const std::string& name) {
    const std::vector<std::string> parts = split(name, '.');
    const auto hasNumbers = [&](size_t size, std::initializer_list<size_t> places) {
        return parts.size() >= size && std::all_of(places.begin(), places.end(), [&](size_t i) {
                   return isSmallNumber(parts[i]);
               });
    };
    if (parts.empty()) {
        return false;
    }
    if (parts[0] == "down_blocks") {
        return hasNumbers(5, {1, 3});
    }
    if (parts[0] == "mid_block") {
        return hasNumbers(4, {2});
    }
    if (parts[0] == "controlnet_down_blocks") {
        return hasNumbers(3, {1});
    }
    if (parts[0] == "controlnet_cond_embedding") {
        return parts.size() == 3 || (parts[1] == "blocks" && hasNumbers(4, {2}));
    }
    return parts.size() <= 4;
}

/// The same tensors under cldm's names.
WeightMap inLdmNames(const WeightMap& file) {
    const LdmUNetLayout layout{
        .layers = std::max<int64_t>(countOf(file, "down_blocks.0.resnets.", ".conv1.weight"), 1),
        .attentionUpBlocks = {}};
    const int64_t hintBlocks = countOf(file, "controlnet_cond_embedding.blocks.", ".weight");
    WeightMap map{.what = file.what, .files = file.files, .tensors = {}};
    for (const auto& [name, place] : file.tensors) {
        map.tensors.emplace(isPlainName(name) ? ldmControlName(name, layout, hintBlocks) : name,
                            place);
    }
    return map;
}

/// Widths of the hint's convolutions: every second one widens.
std::vector<int64_t> hintWidths(const TensorView& tensors) {
    std::vector<int64_t> widths = {tensors.size("input_hint_block.0.weight", 0)};
    constexpr int64_t kStride = 4;
    for (int64_t i = kStride; tensors.has("input_hint_block." + std::to_string(i + 2) + ".weight");
         i += kStride) {
        widths.push_back(tensors.size("input_hint_block." + std::to_string(i) + ".weight", 0));
    }
    return widths;
}

}  // namespace

std::optional<ControlNames> controlNamesOf(const WeightMap& file) {
    if (otherControl(file)) {
        return std::nullopt;
    }
    for (const std::string_view prefix : {kControlPrefix, std::string_view()}) {
        for (const bool isLdm : {true, false}) {
            const std::string name =
                std::string(prefix) + std::string(isLdm ? kLdmHint : kDiffusersHint);
            if (file.tensors.contains(name)) {
                return ControlNames{.prefix = std::string(prefix), .isLdm = isLdm};
            }
        }
    }
    return std::nullopt;
}

std::string ldmControlName(std::string_view name, const LdmUNetLayout& layout, int64_t hintBlocks) {
    constexpr std::string_view kHint = "controlnet_cond_embedding.";
    constexpr std::string_view kBlocks = "blocks.";
    constexpr std::string_view kSkips = "controlnet_down_blocks.";
    constexpr std::string_view kMiddle = "controlnet_mid_block";
    const auto hint = [](int64_t place, std::string_view rest) {
        return "input_hint_block." + std::to_string(2 * place) + std::string(rest);
    };
    if (name.starts_with(kHint)) {
        name.remove_prefix(kHint.size());
        if (startsWithDot(name, "conv_in")) {
            return hint(0, name.substr(std::string_view("conv_in").size()));
        }
        if (startsWithDot(name, "conv_out")) {
            return hint(hintBlocks + 1, name.substr(std::string_view("conv_out").size()));
        }
        const std::vector<std::string> parts = split(std::string(name), '.');
        return name.starts_with(kBlocks) ? hint(std::stoll(parts[1]) + 1, "." + parts[2])
                                         : std::string(name);
    }
    if (name.starts_with(kSkips)) {
        const std::vector<std::string> parts = split(std::string(name), '.');
        return "zero_convs." + parts[1] + ".0." + parts.back();
    }
    if (startsWithDot(name, kMiddle)) {
        return "middle_block_out.0" + std::string(name.substr(kMiddle.size()));
    }
    return ldmUNetName(name, layout);
}

ControlFile controlFileIn(const WeightMap& file, const ControlNames& names) {
    const WeightMap own = withoutPrefix(file, names.prefix);
    const WeightMap ldm = names.isLdm ? own : inLdmNames(own);
    const TensorView view(ldm, [](std::string_view name) { return std::string(name); });
    Json settings = unetDownSettings(view);
    settings["_class_name"] = "ControlNetModel";
    if (settings.contains("addition_embed_type")) {
        settings["addition_time_embed_dim"] = kXlNumberWidth;  // of the denoiser, not read here
    }
    const std::vector<int64_t> widths = hintWidths(view);
    settings["conditioning_embedding_out_channels"] = widths;
    settings["conditioning_channels"] = view.size("input_hint_block.0.weight", 1);
    ControlFile found{.weights = {.what = file.what,
                                  .files = file.files,
                                  .tensors = {},
                                  .nameInFile = {},
                                  .settings = "what its shapes imply",
                                  .hint = "get the ControlNet again, or choose another one"},
                      .settings = std::move(settings)};
    for (const auto& [name, place] : own.tensors) {
        found.weights.tensors.emplace(names.prefix + name, place);
    }
    const LdmUNetLayout layout{.layers = found.settings.at("layers_per_block").get<int64_t>(),
                               .attentionUpBlocks = {}};
    const auto hintBlocks = 2 * (static_cast<int64_t>(widths.size()) - 1);
    found.weights.nameInFile =
        [prefix = names.prefix, isLdm = names.isLdm, layout, hintBlocks](std::string_view name) {
            return prefix + (isLdm ? ldmControlName(name, layout, hintBlocks) : std::string(name));
        };
    return found;
}

OtherControl otherThanControlNet(const WeightMap& file) {
    if (const auto kind = otherControl(file)) {
        return {std::string(*kind),
                "choose a ControlNet for SD 1.x, 2.x or SDXL: this kind is not read"};
    }
    const std::optional<KnownFile> known = knownFile(file);
    if (known && known->kind == "lora") {
        return {known->family, "choose a ControlNet here, and this file in Load LoRA"};
    }
    return {known ? known->family : "", "choose a ControlNet for SD 1.x, 2.x or SDXL"};
}

}  // namespace lowtide::models
