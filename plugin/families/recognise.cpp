#include "plugin/families/recognise.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/checkpoints/embeddings.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/image_prompts/ip_adapter.hpp"
#include "plugin/checkpoints/known_files.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/checkpoints/open_control_net.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"
#include "plugin/checkpoints/upscaler_type.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/component_source.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace lowtide::models {

namespace {

/// Looks at images; it is not run here.
constexpr std::string_view kNotRun = "safety_checker";
/// Known models whose files are remembered at most.
constexpr size_t kMostRemembered = 4096;

void addWeights(const WeightMap& map, Recognised& known) {
    for (const auto& [name, location] : map.tensors) {
        const Bytes bytes = storedBytes(location);
        known.largest = std::max(known.largest, bytes);
        known.stored.add(location.type, location.encoded, bytes);
    }
}

/// Of a folder: components that have weights.
std::vector<std::string> networksOf(const Checkpoint& checkpoint) {
    std::vector<std::string> networks;
    for (const auto& [component, entry] : checkpoint.index().items()) {
        const bool isNetwork = !checkpoint.componentClass(component).empty() &&
                               !component.starts_with("tokenizer") && component != kNotRun &&
                               checkpoint.has(component + "/config.json");
        if (isNetwork) {
            networks.push_back(component);
        }
    }
    return networks;
}

void addComponents(Checkpoint& checkpoint, Recognised& known) {
    for (const std::string& component : networksOf(checkpoint)) {
        const Json& entry = checkpoint.index().at(component);
        const bool isText = entry[0] == "transformers";
        addWeights(checkpoint.weights(component, isText ? kTransformersStem : kDiffusersStem),
                   known);
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

/// What a user can give with a file of it; empty: nothing here takes one.
Message givenPart(const std::string& component) {
    return component == "vae"              ? message("an autoencoder (vae)")
           : component == "text_encoder_4" ? message("a fourth text encoder (text_encoder_4)")
                                           : Message();
}

/// As loading does, and the text encoders too, which that leaves for later.
void openWhole(Checkpoint& checkpoint, const Family& family, Recognised& known) {
    known.readiness = Readiness::Refused;
    try {
        const std::shared_ptr<const Model> model = family.open(checkpoint);
        for (const ComponentDesc& component : model->components()) {
            (void)model->tree(component.role);
        }
        known.readiness = Readiness::Runs;
    } catch (const MissingComponent& missing) {
        known.needs = givenPart(missing.component());
        if (known.needs.empty()) {
            throw;
        }
        for (const std::string& component : networksOf(checkpoint)) {
            openNetwork(checkpoint, component);
        }
        known.readiness = Readiness::RunsWith;
    }
}

/// nullptr: nothing here runs it.
const Family* labelWhole(Checkpoint& checkpoint, Families families, Recognised& known) {
    known.readiness = Readiness::NotBuilt;
    known.family = withoutEnding(checkpoint.pipelineClass());
    const Family* family = familyOf(checkpoint, families);
    if (family) {
        known.family = family->label ? family->label(checkpoint) : family->name;
    }
    return family;
}

void recognisePart(Checkpoint& checkpoint, const Layout& layout, Recognised& known) {
    known.readiness = Readiness::Refused;
    if (layout.label) {
        known.family = layout.label(checkpoint);
    }
    openNetwork(checkpoint, layout.component);
    if (layout.other) {
        known.needs = layout.other(checkpoint);
    }
    known.readiness = known.needs.empty() ? Readiness::Runs : Readiness::OneOfTwo;
}

/// A denoiser's file that has a text encoder or an autoencoder too, as some users pack them.
bool holdsMore(const WeightMap& file) {
    constexpr std::string_view kOthers[] = {
        "text_encoders.", "cond_stage_model.", "conditioner.", "vae.", kLdmAutoencoder};
    return std::any_of(std::begin(kOthers), std::end(kOthers), [&](std::string_view other) {
        return hasUnder(file, other);
    });
}

void recogniseLayout(const Layout& layout,
                     const ModelSource& source,
                     const std::string& resourcesFolder,
                     Families families,
                     Recognised& known) {
    known.kind = layout.kind;
    known.layout = layout.name;
    known.family = layout.isComplete() ? "" : known.kind;
    const std::unique_ptr<Checkpoint> checkpoint = layout.open(source, resourcesFolder);
    const Family* family = layout.isComplete() ? labelWhole(*checkpoint, families, known) : nullptr;
    if (!source.header) {
        addComponents(*checkpoint, known);
    }
    if (family) {
        openWhole(*checkpoint, *family, known);
    } else if (!layout.isComplete()) {
        recognisePart(*checkpoint, layout, known);
        if (known.readiness == Readiness::Runs && layout.kind == "diffusion_model" &&
            source.header && holdsMore(source.header->map)) {
            known.readiness = Readiness::InPart;
            known.needs = message(
                "a text encoder and an autoencoder in files of their own; what else this "
                "file holds is not read");
        }
    }
    known.files = checkpoint->files();
}

/// `label` states more, or why it cannot be used.
template <class Label>
void recogniseOpened(const char* kind, const char* family, Recognised& known, const Label& label) {
    known.kind = kind;
    known.family = family;
    known.readiness = Readiness::Refused;
    known.family = label();
    known.readiness = Readiness::Runs;
}

void recogniseAdapter(const WeightFileHeader& file, Recognised& known) {
    known.readiness = Readiness::Refused;
    const AdapterFile adapter = readAdapterHeader(file);
    const AdapterBase base = baseOf(adapter);
    known.family = whatAdapterIs(adapter).str();
    known.readiness = base.isTaken()   ? Readiness::Runs
                      : base.isKnown() ? Readiness::NotBuilt
                                       : Readiness::NotKnown;
}

void recogniseOther(const CheckpointPath& path, const WeightFileHeader& file, Recognised& known) {
    if (looksLikeControlNet(file.map)) {
        recogniseOpened("controlnet", "", known, [&] {
            (void)openControlNet(path);
            return whatControlNetIs(file.map).value_or("");
        });
        return;
    }
    if (isIpAdapter(file.map)) {
        recogniseOpened("ip_adapter", "IP-Adapter", known, [&] {
            const IpAdapterFile adapter = ipAdapterIn(file.map);
            (void)ImageProjection(adapter.projection, adapter.projectionWeights, kImageProjection);
            return adapter.label();
        });
        return;
    }
    const std::optional<KnownFile> other = knownFile(file.map);
    if (!other) {
        return;
    }
    known.kind = other->kind;
    known.family = other->family;
    known.readiness = Readiness::NotBuilt;
    if (other->isUpscaler) {
        recogniseOpened("upscaler", other->family.c_str(), known, [&] {
            (void)openUpscaler(path.path, path.name);
            return other->family;
        });
    } else if (other->kind == "lora") {
        recogniseAdapter(file, known);
    } else if (other->kind == "embedding") {
        recogniseOpened(
            "embedding", other->family.c_str(), known, [&] { return whatEmbeddingIs(file); });
    }
}

void recogniseFolder(const CheckpointPath& path, Recognised& known) {
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::path(path.path) / "model_index.json", ignored)) {
        return;
    }
    known.kind = "folder";
    throw Error(
        ErrorKind::NotFound,
        message(
            "{} is no model: it has no model_index.json, and no weights that stand for a network",
            path.name));
}

void recogniseSource(const CheckpointPath& path,
                     const std::string& resourcesFolder,
                     Families families,
                     Recognised& known) {
    const ModelSource source = readSource(path);
    if (source.header) {
        addWeights(source.header->map, known);
        known.files = source.header->map.files;
    }
    std::error_code ignored;
    const bool isFolder = std::filesystem::is_directory(path.path, ignored);
    if (const auto control = isFolder ? whatControlNetIs(path) : std::nullopt) {
        recogniseOpened("controlnet", "", known, [&] {
            (void)openControlNet(path);
            return *control;
        });
        return;
    }
    const Layout* layout = layoutOf(source);
    if (!source.header && (!layout || layout->isComplete())) {
        recogniseFolder(path, known);
    }
    if (layout) {
        recogniseLayout(*layout, source, resourcesFolder, families, known);
        if (known.readiness == Readiness::OneOfTwo && !lowNoiseIn(path.path).empty()) {
            known.readiness = Readiness::Runs;  // the other one lies in the same folder
            known.needs = {};
        }
    } else {
        recogniseOther(source.path, *source.header, known);
    }
}

}  // namespace

std::string_view idOf(Readiness readiness) {
    switch (readiness) {
        case Readiness::Runs:
            return "runs";
        case Readiness::OneOfTwo:
            return "one_of_two";
        case Readiness::InPart:
            return "in_part";
        case Readiness::RunsWith:
            return "runs_with";
        case Readiness::NotBuilt:
            return "not_built";
        case Readiness::Refused:
            return "refused";
        case Readiness::NotKnown:
            break;
    }
    return "not_known";
}

Recognised recogniseModel(const CheckpointPath& path,
                          const std::string& resourcesFolder,
                          Families families) {
    Recognised known;
    try {
        recogniseSource(path, resourcesFolder, families, known);
    } catch (const Error& error) {
        known.problem = error.hint().empty() ? error.message()
                                             : message("{}; {}", error.message(), error.hint());
        known.needs = {};
        known.readiness = Readiness::Refused;
    }
    return known;
}

std::optional<Recognised> RecognisedModels::find(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(path);
    return known != known_.end() && areUnchanged(known->second.files) ? std::optional(known->second)
                                                                      : std::nullopt;
}

void RecognisedModels::keep(const std::string& path, const Recognised& found) {
    const std::lock_guard lock(mutex_);
    known_.erase(path);
    if (found.isRunnable() && !found.files.empty() && known_.size() < kMostRemembered) {
        known_.emplace(path, found);
    }
}

}  // namespace lowtide::models
