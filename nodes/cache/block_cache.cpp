#include "nodes/cache/cache_nodes.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/hash.hpp"

namespace lowtide::nodes {

namespace {

constexpr Bytes kLargestSettings = kMiB;

constexpr FileParam kCurve = {
    .id = "curve",
    .what = "curve",
    .hint = phrase("choose a file that lowtide calibrate-cache wrote, relative "
                   "to the graph or with its full path")};

constexpr FileParam kMaskFile = {
    .id = "mask_file",
    .what = "mask",
    .hint = phrase("choose a file with 0 and 1 for every call, relative to the "
                   "graph or with its full path")};

/// What lies in a file in place of its path, where the gate reads it.
std::vector<std::string> readFiles(Json& settings, std::string_view graphFolder) {
    const Json& gate = settings.at("gate");
    const bool readsMask = gate == "mask" && settings.at(kMaskFile.id) != "";
    if (gate != "mag" && !readsMask) {
        return {};
    }
    const FileParam& param = readsMask ? kMaskFile : kCurve;
    const files::InputFile file =
        chosenFile(param, settings.at(param.id).get<std::string>(), graphFolder);
    const std::string text = blaming(param, [&] { return file.readAll(kLargestSettings); });
    settings[param.id] = text;
    settings[std::string(param.id) + "_name"] = file.name();
    return {sha256Hex(text)};
}

std::vector<ParamDesc> curveParameters() {
    ParamDesc kept = numberParam("kept_share",
                                 "Kept fraction",
                                 "Of the gate Curve: first fraction of the calls, all computed.",
                                 0.2,
                                 0,
                                 1,
                                 1);
    kept.advanced = true;
    return {{.id = kCurve.id,
             .label = "Curve",
             .tooltip = "Of the gate Curve: the file that lowtide calibrate-cache wrote for this "
                        "checkpoint and sampler, relative to the graph or with its full path.",
             .kind = ParamKind::File,
             .defaultValue = std::string()},
            {.id = "curve_threshold",
             .label = "Curve threshold",
             .tooltip = "Of the gate Curve: the sum of expected errors up to which steps are "
                        "reused. Higher is faster and farther from the image. 0 computes "
                        "everything.",
             .kind = ParamKind::Float,
             .defaultValue = 0.06,
             .min = 0,
             .max = 10,
             .softMin = 0,
             .softMax = 0.3,
             .step = 0.01},
            std::move(kept)};
}

std::vector<ParamDesc> blockCacheParameters() {
    std::vector<ParamDesc> params = {
        {.id = "gate",
         .label = "Gate",
         .tooltip = "What decides: how far the first block's part has changed, a curve that was "
                    "measured for the checkpoint, or a mask.",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("first_block"),
         .choices = {{"first_block", "First block"},
                     {"mag", "Curve (MagCache)"},
                     {"mask", "Mask"}}},
        {.id = "threshold",
         .label = "Threshold",
         .tooltip = "Of the gate First block: the change up to which a step is reused. Higher is "
                    "faster and farther from the image. 0 computes everything.",
         .kind = ParamKind::Float,
         .defaultValue = 0.15,
         .min = 0,
         .max = 10,
         .softMin = 0,
         .softMax = 0.5,
         .step = 0.01},
        {.id = "mask",
         .label = "Mask",
         .tooltip = "Of the gate Mask: 1 for a computed call, 0 for a reused one, for every call "
                    "of the sampler.",
         .kind = ParamKind::Text,
         .defaultValue = std::string(),
         .advanced = true},
        {.id = kMaskFile.id,
         .label = "Mask file",
         .tooltip =
             "Of the gate Mask: a file to use instead of what is typed: text, or the JSON of "
             "a search (schedule_mask); relative to the graph or with its full path.",
         .kind = ParamKind::File,
         .defaultValue = std::string(),
         .advanced = true},
        {.id = "predictor",
         .label = "Predictor",
         .tooltip = "What stands for the other blocks: what they gave last, or the line through "
                    "the last two.",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("reuse"),
         .choices = {{"reuse", "Reuse"}, {"taylor", "Line (Taylor 1)"}}}};
    for (ParamDesc& param : curveParameters()) {
        params.push_back(std::move(param));
    }
    for (ParamDesc& param : limitParams(3, 3)) {
        params.push_back(std::move(param));
    }
    return params;
}

}  // namespace

executor::NodeType blockCacheNode(Stages&) {
    return cacheNode(
        {.id = "cache.block",
         .label = "Block cache",
         .tooltip = "Computes the first block of the network in every step; as long as "
                    "it changes little, the others are taken from a step before. "
                    "Faster, changes pixels.",
         .params = blockCacheParameters()},
        "block_cache",
        readFiles);
}

}  // namespace lowtide::nodes
