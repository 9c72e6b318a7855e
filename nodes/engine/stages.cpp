#include "nodes/engine/stages.hpp"

#include "nodes/engine/image_fields.hpp"
#include "nodes/engine/stage_errors.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/engine/stage_run.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/parted_checkpoint.hpp"
#include "plugin/checkpoints/upscaler_type.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/paths.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/residency/residency.hpp"
#include "plugin/text/prompt_syntax.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace lowtide::nodes {

namespace {

constexpr const char* kUpscalerItem = "upscaler";
constexpr const char* kFileItem = "file";
constexpr const char* kDiffusionModelItem = "diffusion_model";
constexpr const char* kControlItem = "controlnet";
constexpr const char* kIpAdapterItem = "adapter";
constexpr const char* kImageEncoderItem = "image_encoder";
constexpr const char* kPromptItem = "prompt";
constexpr const char* kNoiseModelItem = "expert";

/// The folder that the checkpoint's file or folder is in; empty: it has no files.
std::string folderOfCheckpoint(const models::ModelInfo& info) {
    const std::string file = info.files.empty() ? std::string() : info.files.front().path;
    for (std::string path = file; path.size() > 1; path = files::folderOf(path)) {
        if (files::lastPart(path) == info.checkpoint) {
            return files::folderOf(path);
        }
    }
    return file.empty() ? file : files::folderOf(file);
}

/// Errors blame a port that a part is connected to, or else the file.
template <class Open>
std::invoke_result_t<Open> onFile(const Open& open) {
    try {
        return open();
    } catch (const Error& error) {
        const bool isOfPart =
            error.item() == models::kLowNoiseItem || error.item().starts_with(kFileItem) ||
            std::any_of(std::begin(models::kSplitParts),
                        std::end(models::kSplitParts),
                        [&](const models::SplitPart& part) { return error.item() == part.item; });
        throw Error(
            error.kind(), error.message(), error.hint(), isOfPart ? error.item() : kFileItem);
    }
}

}  // namespace

Stages::Stages(StagesSettings settings)
    : settings_(std::move(settings)),
      families_(settings_.families.empty() ? models::families() : settings_.families),
      models_(settings_.resourcesFolder, families_),
      hashes_(settings_.digests ? settings_.digests : std::make_shared<files::FileDigests>()) {}

WireRef Stages::loadCheckpoint(const models::LoadRequest& request, std::string_view graphFolder) {
    return withErrorsOf("load", [&] {
        const models::CheckpointChoice choice = chosen(request, graphFolder);
        try {
            return WireRef(models_.open(choice));
        } catch (const Error& error) {
            // Whatever file is to blame, the user chose the checkpoint, or a part of it.
            const bool isOfPart = choice.parts.contains(error.item());
            throw Error(error.kind(),
                        error.message(),
                        error.hint(),
                        isOfPart ? error.item() : "checkpoint");
        }
    });
}

WireRef Stages::loadPart(const models::PartRequest& request, std::string_view graphFolder) {
    return withErrorsOf("load", [&] {
        return onFile([&] {
            const models::SplitPart& part = models::splitPart(request.item);
            const std::vector<models::ParameterFile> files = filesOf(request, graphFolder);
            std::string key(part.type);
            for (const models::ParameterFile& file : files) {
                key += "\n" + file.path.path;
            }
            return WireRef(parts_.at(key, [&] {
                return std::make_shared<const models::ModelPart>(
                    part, files, settings_.resourcesFolder);
            }));
        });
    });
}

WireRef Stages::loadDiffusionModel(const models::DiffusionModelRequest& request,
                                   std::string_view graphFolder) {
    return withErrorsOf("load", [&] {
        return onFile([&] {
            models::SplitChoice choice{
                .denoiser = pathOf(request.file, graphFolder, kDiffusionModelItem), .parts = {}};
            const std::string lowNoise = models::lowNoiseIn(choice.denoiser.path);
            if (!trim(request.lowNoise).empty()) {
                choice.second = pathOf(request.lowNoise, graphFolder, models::kLowNoiseItem);
            } else if (!lowNoise.empty()) {
                choice.second = {.path = lowNoise, .name = files::lastPart(lowNoise)};
            }
            const auto add = [&](const WireRef& value, const char* item) {
                if (value) {
                    choice.parts[models::splitPart(item).component] =
                        partIn(value, item).paths().front();
                }
            };
            if (request.textEncoder) {
                choice.texts = partIn(request.textEncoder, "text_encoder").paths();
            }
            add(request.autoencoder, "autoencoder");
            add(request.imageEncoder, "image_encoder");
            return WireRef(models_.open(choice));
        });
    });
}

WireRef Stages::loadUpscaler(std::string_view path, std::string_view graphFolder) {
    return withErrorsOf("load", [&] {
        const models::CheckpointPath found = pathOf(path, graphFolder, kUpscalerItem);
        try {
            return WireRef(upscalers_.at(found.path + "\n" + found.name, [&] {
                return models::openUpscaler(found.path, found.name);
            }));
        } catch (const Error& error) {
            throw Error(error.kind(), error.message(), error.hint(), kUpscalerItem);
        }
    });
}

WireRef Stages::loadControlNet(std::string_view path, std::string_view graphFolder) {
    return withErrorsOf("load", [&] {
        try {
            const models::CheckpointPath found =
                models::findControlNet(path, graphFolder, settings_.modelFolders);
            return WireRef(
                controlNets_.at(found.path, [&] { return models::openControlNet(found); }));
        } catch (const Error& error) {
            throw Error(error.kind(), error.message(), error.hint(), kControlItem);
        }
    });
}

WireRef Stages::loadIpAdapter(const IpAdapterRequest& request, std::string_view graphFolder) {
    return withErrorsOf("load", [&] {
        const char* item = kIpAdapterItem;
        try {
            models::IpAdapterChoice choice{
                .file = models::findIpAdapter(request.adapter, graphFolder, settings_.modelFolders),
                .encoder = {}};
            if (!trim(request.imageEncoder).empty()) {
                item = kImageEncoderItem;
                choice.encoder = models::findImageEncoder(
                    request.imageEncoder, graphFolder, settings_.modelFolders);
                item = kIpAdapterItem;
            }
            const std::string encoder = choice.encoder ? choice.encoder->path : "";
            return WireRef(ipAdapters_.at(choice.file.path + "\n" + encoder, [&] {
                return models::openIpAdapter(choice, settings_.modelFolders);
            }));
        } catch (const Error& error) {
            const bool isOfEncoder = error.item() == kImageEncoderItem;
            throw Error(error.kind(),
                        error.message(),
                        error.hint(),
                        isOfEncoder ? kImageEncoderItem : item);
        }
    });
}

LoadedModel Stages::loadAdapter(const models::LoraRequest& request, std::string_view graphFolder) {
    return withErrorsOf("load", [&] {
        const models::Model& base = modelIn(request.model);
        const auto model = std::static_pointer_cast<const models::Model>(base.shared_from_this());
        if (trim(request.file).empty()) {
            return LoadedModel{.model = model, .warnings = {}};
        }
        try {
            const models::CheckpointPath file =
                models::findAdapter(request.file, graphFolder, settings_.modelFolders);
            const auto adapted = adapted_.open(model, file, request);
            return LoadedModel{.model = adapted, .warnings = adapted->warnings()};
        } catch (const Error& error) {
            const bool isOfNoiseModel = error.item() == kNoiseModelItem;
            throw Error(error.kind(),
                        error.message(),
                        error.hint(),
                        isOfNoiseModel ? kNoiseModelItem : kFileItem);
        }
    });
}

LoadedModel Stages::loadTagged(const WireRef& model,
                               const std::string& prompt,
                               std::string_view graphFolder) {
    LoadedModel all{.model = model, .warnings = {}};
    for (const models::LoraTag& tag : models::readTags(prompt).tags) {
        try {
            if (!tag.problem.empty()) {
                throw Error(ErrorKind::NotFound,
                            tag.problem,
                            message("write <lora:name:0.8>, or <lora:name:0.8:0.6> for the text "
                                    "encoders and the denoiser"));
            }
            LoadedModel loaded = loadAdapter({.model = all.model,
                                              .file = tag.name,
                                              .strength = tag.strength,
                                              .textStrength = tag.textStrength},
                                             graphFolder);
            all.model = std::move(loaded.model);
            for (Issue& warning : loaded.warnings) {
                warning.item = kPromptItem;
                all.warnings.push_back(std::move(warning));
            }
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::NotFound) {
                throw Error(error.kind(), error.message(), error.hint(), kPromptItem);
            }
            all.warnings.push_back(
                {.severity = Severity::Warning,
                 .code = "lora_left_out",
                 .item = kPromptItem,
                 .message = message("{} is left out: {}", quotedName(tag.written), error.message()),
                 .hint = error.hint()});
        }
    }
    return all;
}

std::shared_ptr<const models::EmbeddingLibrary> Stages::embeddings(const WireRef& model,
                                                                   std::string_view graphFolder) {
    return withErrorsOf("load", [&] {
        std::vector<std::string> paths = {std::string(graphFolder)};
        paths.insert(paths.end(), settings_.modelFolders.begin(), settings_.modelFolders.end());
        paths.push_back(folderOfCheckpoint(modelIn(model).info()));
        return std::make_shared<const models::EmbeddingLibrary>(models::embeddingFolders(paths),
                                                                openedEmbeddings_);
    });
}

models::Recognised Stages::recognise(std::string_view path) {
    return withErrorsOf("load", [&] {
        const models::CheckpointPath location = pathOf(path, "");
        return recognised_.at(location.path, [&] {
            return recogniseModel(location, settings_.resourcesFolder, families_);
        });
    });
}

models::Conversion Stages::convert(const models::ConvertRequest& request,
                                   const models::GoesOn& goesOn) {
    return withErrorsOf("convert", [&] {
        return convertWeights(
            pathOf(request.checkpoint, request.graphFolder), request.storage, request.out, goesOn);
    });
}

models::ConversionChoices Stages::conversionChoices(std::string_view checkpoint,
                                                    std::string_view graphFolder) {
    return withErrorsOf("convert",
                        [&] { return models::conversionChoices(pathOf(checkpoint, graphFolder)); });
}

std::string Stages::fingerprint(const WireRef& loaded) {
    return withErrorsOf("load", [&] { return models::fingerprintOf(loadedIn(loaded).files()); });
}

std::vector<std::shared_ptr<const memory::ComponentTree>> Stages::components(const WireRef& model) {
    return withErrorsOf("load", [&] {
        std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
        const models::ComponentSource& source = loadedIn(model);
        for (const models::ComponentDesc& component : source.components()) {
            if (auto tree = source.openedTree(component.role)) {
                trees.push_back(std::move(tree));
            }
        }
        return trees;
    });
}

std::string Stages::parametersText(const WireRef& image, size_t imageIndex, const StopToken& stop) {
    return withErrorsOf("image", [&] {
        return parametersTextOf(imagesIn(image).provenance().ofImage(imageIndex),
                                [&](const std::string& id) { return hashes_.of(id, stop); });
    });
}

std::vector<ChoiceDesc> Stages::componentChoices() {
    std::vector<ChoiceDesc> choices = {{"all", "All"},
                                       {std::string(models::kTextEncoders), "Text encoders"}};
    const auto add = [&](const models::ComponentDesc& component) {
        const bool isKnown =
            std::any_of(choices.begin(), choices.end(), [&](const ChoiceDesc& choice) {
                return choice.id == component.role;
            });
        if (!isKnown) {
            choices.push_back({component.role, component.label});
        }
    };
    for (const models::Family* family : families_) {
        std::for_each(family->components.begin(), family->components.end(), add);
    }
    add(models::upscalerComponent());
    choices.push_back({std::string(models::kControlNets), "ControlNets"});
    add(models::imageEncoderComponent());
    add(models::imageProjectionComponent());
    return choices;
}

std::vector<WireRef> Stages::run(const Stage& stage, const StageCall& call) {
    return withErrorsOf(stage.name, [&] {
        models::StageContext context = contextOf(stage.name, call);
        return runStage(stage, context, call);
    });
}

executor::NodeSpec Stages::spec(const std::shared_ptr<const Stage>& stage,
                                const std::vector<PortDesc>& ports) {
    return withErrorsOf(stage->name, [&] { return specOfStage(stage, ports, hashes_); });
}

models::CheckpointPath Stages::pathOf(std::string_view typed,
                                      std::string_view graphFolder,
                                      const char* item) const {
    return models::findCheckpoint(
        typed, graphFolder, settings_.resourcesFolder, settings_.modelFolders, item);
}

std::vector<models::ParameterFile> Stages::filesOf(const models::PartRequest& request,
                                                   std::string_view graphFolder) const {
    std::vector<models::ParameterFile> paths;
    const auto add = [&](const std::string& parameter, const std::string& file) {
        try {
            paths.push_back({parameter, pathOf(file, graphFolder, request.item.c_str())});
        } catch (const Error& error) {
            throw Error(error.kind(), error.message(), error.hint(), parameter);
        }
    };
    for (const auto& [parameter, file] : request.files) {
        if (!trim(file).empty()) {
            add(parameter, file);
        }
    }
    if (paths.empty()) {
        add(request.files.front().first, "");
    }
    return paths;
}

models::CheckpointChoice Stages::chosen(const models::LoadRequest& request,
                                        std::string_view graphFolder) const {
    models::CheckpointChoice choice{
        .checkpoint = pathOf(request.checkpoint, graphFolder), .parts = {}, .prediction = {}};
    for (const auto& [item, path] : {std::pair("unet", &request.unet),
                                     std::pair("vae", &request.vae),
                                     std::pair("text_encoder_4", &request.textEncoder4)}) {
        if (!trim(*path).empty()) {
            choice.parts[item] = pathOf(*path, graphFolder, item);
        }
    }
    if (request.prediction != "checkpoint") {
        choice.prediction = request.prediction;
    }
    return choice;
}

models::StageContext Stages::contextOf(std::string_view stage, const StageCall& call) {
    tensor::Recorder* recorder = settings_.recorder ? settings_.recorder() : nullptr;
    if (recorder) {
        recorder->beginStage(stage, call.node);
    }
    return {.weights = settings_.residency,
            .record = tensor::Record(recorder),
            .teacher = settings_.teacher ? settings_.teacher() : nullptr,
            .previewPace = settings_.previewPace,
            .hashes = &hashes_};
}

}  // namespace lowtide::nodes
