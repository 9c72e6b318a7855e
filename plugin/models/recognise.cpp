#include "plugin/models/recognise.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/adapters/adapter_base.hpp"
#include "plugin/models/adapters/adapter_label.hpp"
#include "plugin/models/blocks/weight_map.hpp"
#include "plugin/models/controls/open_control_net.hpp"
#include "plugin/models/embeddings/embedding_label.hpp"
#include "plugin/models/families/family.hpp"
#include "plugin/models/image_prompts/ip_adapter_file.hpp"
#include "plugin/models/known_files.hpp"
#include "plugin/models/layouts/layout.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace lowtide::models {

namespace {

/// Looks at pictures; it is not run here.
constexpr std::string_view kNotRun = "safety_checker";

void addWeights(const WeightMap& map, Recognised& known) {
    for (const auto& [name, place] : map.tensors) {
        const Bytes bytes = storedBytes(place);
        known.largest = std::max(known.largest, bytes);
        known.stored.add(place.type, place.encoded, bytes);
    }
}

/// Of a folder: components that have weights.
void addComponents(Checkpoint& checkpoint, Recognised& known) {
    for (const auto& [component, entry] : checkpoint.index().items()) {
        const bool isNetwork = entry.is_array() && entry.size() == 2 && entry[0].is_string() &&
                               checkpoint.has(component + "/config.json");
        if (isNetwork && component != kNotRun) {
            const bool isText = entry[0] == "transformers";
            addWeights(checkpoint.weights(component, isText ? "model" : "diffusion_pytorch_model"),
                       known);
        }
    }
}

/// "StableDiffusionXLPipeline" -> "StableDiffusionXL".
std::string withoutEnding(std::string pipeline) {
    constexpr std::string_view kEnding = "Pipeline";
    if (pipeline.ends_with(kEnding)) {
        pipeline.resize(pipeline.size() - kEnding.size());
    }
    return pipeline;
}

void recogniseWhole(Checkpoint& checkpoint, Families families, Recognised& known) {
    known.family = withoutEnding(checkpoint.pipelineClass());
    const Family* family = familyOf(checkpoint, families);
    if (!family) {
        return;
    }
    known.family = family->label ? family->label(checkpoint) : family->name;
    known.isRunnable = true;
}

void recogniseLayout(const Layout& layout,
                     const ModelSource& source,
                     const std::string& resourcesFolder,
                     Families families,
                     Recognised& known) {
    known.kind = layout.kind;
    known.layout = layout.name;
    known.family = layout.isWhole() ? "" : known.kind;
    const std::unique_ptr<Checkpoint> checkpoint = layout.open(source, resourcesFolder);
    if (layout.isWhole()) {
        recogniseWhole(*checkpoint, families, known);
    } else {
        known.isRunnable = true;
        if (layout.label) {
            known.family = layout.label(*checkpoint);
        }
    }
    if (!source.header) {
        addComponents(*checkpoint, known);
    }
}

/// `label` says more, or why it cannot be used.
void recogniseControlNet(const std::function<std::string()>& label, Recognised& known) {
    known.kind = "controlnet";
    known.family = label();
    known.isRunnable = true;
}

void recogniseOther(const WeightFileHeader& file, Recognised& known) {
    if (looksLikeControlNet(file.map)) {
        recogniseControlNet([&] { return whatControlNetIs(file.map).value_or(""); }, known);
        return;
    }
    if (isIpAdapter(file.map)) {
        known.kind = "ip_adapter";
        known.family = "IP-Adapter";
        known.family = ipAdapterIn(file.map).label();
        known.isRunnable = true;
        return;
    }
    if (const std::optional<KnownFile> other = knownFile(file.map)) {
        known.kind = other->kind;
        known.family = other->family;
        known.isRunnable = other->isUpscaler;
        if (other->kind == "lora") {
            const AdapterFile adapter = readAdapterHeader(file);
            known.family = whatAdapterIs(adapter);
            known.isRunnable = baseOf(adapter).isBuilt;
        } else if (other->kind == "embedding") {
            known.family = whatEmbeddingIs(file);
            known.isRunnable = true;
        }
    }
}

}  // namespace

Recognised recogniseModel(const CheckpointPath& path,
                          const std::string& resourcesFolder,
                          Families families) {
    Recognised known;
    try {
        const ModelSource source = readSource(path);
        if (source.header) {
            addWeights(source.header->map, known);
        }
        const auto folder = source.header ? std::nullopt : whatControlNetIs(path);
        if (folder) {
            recogniseControlNet([&] { return *folder; }, known);
            addWeights(openWeights(path.path, ".", "diffusion_pytorch_model"), known);
        } else if (const Layout* layout = layoutOf(source)) {
            recogniseLayout(*layout, source, resourcesFolder, families, known);
        } else {
            recogniseOther(*source.header, known);
        }
    } catch (const Error& error) {
        known.problem = error.message();
        known.isRunnable = false;
    }
    return known;
}

}  // namespace lowtide::models
