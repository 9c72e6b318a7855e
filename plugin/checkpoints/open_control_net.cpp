#include "plugin/checkpoints/open_control_net.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/known_files.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_settings.hpp"
#include "plugin/checkpoints/single_file/sidecar_file.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// How a file names a ControlNet's weights.
struct ControlNames {
    std::string prefix;  ///< before every name: "control_model."
    bool isLdm = false;  ///< cldm's names, else those of diffusers
};

/// Nothing: it is none, or of a kind that is not built.
[[nodiscard]] std::optional<ControlNames> controlNamesOf(const WeightMap& file);

/// A name of cldm for one of diffusers: "controlnet_down_blocks.0.weight" ->
/// "zero_convs.0.0.weight". `hintBlocks`: convolutions of the hint between the first and the last.
[[nodiscard]] std::string ldmControlName(std::string_view name,
                                         const LdmUNetLayout& layout,
                                         int64_t hintBlocks);

/// The weights of a ControlNet among all of a file's, and settings as its config.json would have
/// them. What shapes do not determine: 32 norm groups; 64 channels a head where projections are
/// linear, else 8 heads; rgb. Error{Corrupt} names a tensor that is missing.
struct ControlFile {
    WeightMap weights;
    Json settings;
};

[[nodiscard]] ControlFile controlFileIn(const WeightMap& file, const ControlNames& names);

/// What a file is instead of a ControlNet that is built, and what to do with it; for users.
struct OtherControl {
    std::string kind;
    Message hint;
};

[[nodiscard]] OtherControl otherThanControlNet(const WeightMap& file);

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
    {"controlnet_x_embedder", "ControlNet of a transformer"},
    {"controlnet_blocks.", "ControlNet of a transformer"},
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
    const auto hasNumbers = [&](size_t size, std::initializer_list<size_t> positions) {
        return parts.size() >= size &&
               std::all_of(positions.begin(), positions.end(), [&](size_t i) {
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
    for (const auto& [name, index] : file.tensors) {
        map.tensors.emplace(isPlainName(name) ? ldmControlName(name, layout, hintBlocks) : name,
                            index);
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
    const auto hint = [](int64_t index, std::string_view rest) {
        return "input_hint_block." + std::to_string(2 * index) + std::string(rest);
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
    ControlFile found{
        .weights = {.what = file.what,
                    .files = file.files,
                    .tensors = {},
                    .nameInFile = {},
                    .settings = phrase("what its shapes imply"),
                    .hint = phrase("get the ControlNet again, or choose another one")},
        .settings = std::move(settings)};
    for (const auto& [name, index] : own.tensors) {
        found.weights.tensors.emplace(names.prefix + name, index);
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
                message("choose a ControlNet for SD 1.x, 2.x or XL: this kind is not read")};
    }
    const std::optional<KnownFile> known = knownFile(file);
    if (known && known->kind == "lora") {
        return {known->family, message("choose a ControlNet here, and this file in Load LoRA")};
    }
    return {known ? known->family : "", message("choose a ControlNet for SD 1.x, 2.x or XL")};
}

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestControlConfig = kMiB;
constexpr const char* kControlClass = "ControlNetModel";
constexpr const char* kAdapterClass = "T2IAdapter";
constexpr const char* kControlStem = "diffusion_pytorch_model";

fs::path controlConfigOf(const CheckpointPath& folder) {
    return fs::path(folder.path) / "config.json";
}

std::string labelFor(const ControlConfig& config) {
    const std::string base = AdapterBase{.contextWidth = config.unet.contextWidth()}.text().str();
    return "ControlNet" + (base.empty() ? "" : " for " + base);
}

std::string labelFor(const HintAdapterConfig& config) {
    const NamedWidth* known = published(&AdapterMarks::hintSquares, config.squarePixels);
    return known ? "T2I-Adapter for " + std::string(known->name.text()) : "T2I-Adapter";
}

bool isOfClass(const Json& settings, const std::string& what, const std::string& name) {
    return settings.is_object() && JsonReader(settings, what).text("_class_name") == name;
}

Json readSettings(const CheckpointPath& folder, const files::InputFile& file) {
    return parseJson(file.readAll(kLargestControlConfig),
                     folder.name + "/config.json",
                     {.readPythonNumbers = true});
}

std::shared_ptr<const ControlNet> openControlFolder(const CheckpointPath& path) {
    const fs::path config = controlConfigOf(path);
    std::error_code missing;
    if (!fs::exists(config, missing)) {
        throw Error(ErrorKind::NotFound,
                    message("ControlNet {} has no config.json", path.name),
                    message("choose a ControlNet's folder in the diffusers layout, or its file"));
    }
    const files::InputFile file(config.string());
    const std::string what = path.name + "/config.json";
    const Json settings = readSettings(path, file);
    HintNetworkConfig read = isOfClass(settings, what, kAdapterClass)
                                 ? HintNetworkConfig(readHintAdapterConfig(settings, what))
                                 : HintNetworkConfig(readControlConfig(settings, what));
    WeightMap weights = openWeights(path.path, ".", kControlStem);
    weights.what = path.name;
    weights.hint = phrase("get the weights and config.json of the same network");
    weights.files.push_back(stampOf(file));
    return std::make_shared<const ControlNet>(path.name, std::move(read), std::move(weights));
}

[[noreturn]] void refuseControlFile(const WeightMap& file, const CheckpointPath& path) {
    const OtherControl other = otherThanControlNet(file);
    std::vector<std::string> seen;
    for (const auto& [name, index] : file.tensors) {
        seen.push_back(quotedName(name));
    }
    constexpr size_t kShownNames = 3;
    const Message has = seen.empty() ? message("no tensors")
                                     : message("the tensors {}", listSome(seen, kShownNames));
    throw Error(
        ErrorKind::Unsupported,
        other.kind.empty()
            ? message("{} is no ControlNet or T2I-Adapter that is built: it has {}", path.name, has)
            : message("{} is no ControlNet or T2I-Adapter that is built, it is of the kind \"{}\": "
                      "it has {}",
                      path.name,
                      other.kind,
                      has),
        other.hint);
}

/// Settings that no shape states are the published ones, or stand next to the file.
std::shared_ptr<const ControlNet> openControlFile(const CheckpointPath& path) {
    const WeightFileHeader header = openWeightFile(path.path);
    if (isHintAdapter(header.map)) {
        HintAdapterFile adapter = hintAdapterIn(header.map);
        return std::make_shared<const ControlNet>(
            path.name, std::move(adapter.config), std::move(adapter.weights));
    }
    const std::optional<ControlNames> names = controlNamesOf(header.map);
    if (!names) {
        refuseControlFile(header.map, path);
    }
    ControlFile file = controlFileIn(header.map, *names);
    const SidecarFile sidecar = readSidecar(path.path);
    const Json settings = withSidecar(std::move(file.settings), sidecar, "unet");
    checkUNetConstants(settings, file.weights.what, sidecar);
    if (sidecar.stamp) {
        file.weights.files.push_back(*sidecar.stamp);
    }
    return std::make_shared<const ControlNet>(
        path.name, readControlConfig(settings, file.weights.what), std::move(file.weights));
}

}  // namespace

std::shared_ptr<const ControlNet> openControlNet(const CheckpointPath& path) {
    std::error_code missing;
    return fs::is_directory(path.path, missing) ? openControlFolder(path) : openControlFile(path);
}

bool looksLikeControlNet(const WeightMap& file) {
    return isHintAdapter(file) || controlNamesOf(file);
}

std::optional<std::string> whatControlNetIs(const WeightMap& file) {
    if (isHintAdapter(file)) {
        return labelFor(hintAdapterIn(file).config);
    }
    const std::optional<ControlNames> names = controlNamesOf(file);
    if (!names) {
        return std::nullopt;
    }
    return labelFor(readControlConfig(controlFileIn(file, *names).settings, file.what));
}

std::optional<std::string> whatControlNetIs(const CheckpointPath& folder) {
    std::error_code missing;
    if (!fs::exists(controlConfigOf(folder), missing)) {
        return std::nullopt;
    }
    const Json settings = readSettings(folder, files::InputFile(controlConfigOf(folder).string()));
    const std::string what = folder.name + "/config.json";
    if (isOfClass(settings, what, kAdapterClass)) {
        return labelFor(readHintAdapterConfig(settings, what));
    }
    return isOfClass(settings, what, kControlClass)
               ? std::optional(labelFor(readControlConfig(settings, what)))
               : std::nullopt;
}

}  // namespace lowtide::models
