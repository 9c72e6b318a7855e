#include "tests/unit/models/toy_family/toy_layout.hpp"

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/safetensors.hpp"
#include "tests/unit/models/toy_family/toy_family.hpp"

namespace lowtide::testing {

namespace {

constexpr const char* kToyScheduler = "scheduler";

struct ToyPart {
    std::string component;
    const char* className;
    const char* stem;  ///< of its weights in the diffusers layout
};

std::vector<ToyPart> toyParts() {
    std::vector<ToyPart> parts = {{"unet", "UNet2DConditionModel", "diffusion_pytorch_model"},
                                  {"vae", "AutoencoderKL", "diffusion_pytorch_model"},
                                  {kToyImageEncoder, "CLIPTextModel", "model"}};
    for (const std::string& role : kToyEncoders) {
        parts.push_back({role, "CLIPTextModel", "model"});
    }
    return parts;
}

std::string toyName(const std::string& component, std::string_view name) {
    return "toy." + component + "." + std::string(name);
}

Json toySettings(const models::WeightFileHeader& file, const std::string& part) {
    return parseJson(file.metadata.at(part), file.map.what + ": " + part);
}

models::WeightMap toyWeights(const models::WeightMap& file, const std::string& component) {
    models::WeightMap map{
        .what = file.what,
        .files = file.files,
        .tensors = {},
        .nameInFile = [component](std::string_view name) { return toyName(component, name); }};
    for (const auto& [name, location] : file.tensors) {
        if (name.starts_with(toyName(component, ""))) {
            map.tensors.emplace(name, location);
        }
    }
    return map;
}

double detectToyFile(const models::ModelSource& source) {
    const bool isToy =
        source.header && source.header->map.tensors.contains(toyName("unet", "conv_in.weight"));
    return isToy ? 1 : 0;
}

std::unique_ptr<models::Checkpoint> openToyFile(models::ModelSource source,
                                                const std::string& resourcesFolder) {
    const auto file = std::make_shared<const models::WeightFileHeader>(*source.header);
    models::FileParts parts{.pipeline = {{"_class_name", kToyPipeline}},
                            .networks = {},
                            .tokenizers = {},
                            .scheduler = [file] { return toySettings(*file, kToyScheduler); },
                            .files = {}};
    for (const auto& [component, className, stem] : toyParts()) {
        parts.networks[component] = {
            .className = className,
            .settings = [file, part = component] { return toySettings(*file, part); },
            .weights = [file, part = component] { return toyWeights(file->map, part); }};
    }
    parts.tokenizers["tokenizer"] = {.encoder = kToyEncoders.front(), .padding = "<|endoftext|>"};
    return std::make_unique<models::SingleFile>(source, std::move(parts), resourcesFolder);
}

}  // namespace

const models::Layout& toyLayout() {
    static const models::Layout layout{
        .name = "toy_file", .detect = detectToyFile, .open = openToyFile};
    return layout;
}

void writeToyFile(const ToyCheckpoint& checkpoint, const std::string& path) {
    models::CheckpointFolder folder(checkpoint.path(), "toy");
    std::map<std::string, std::string> metadata = {
        {kToyScheduler, folder.readJson("scheduler/scheduler_config.json").dump()}};
    std::map<std::string, std::string> contents;
    std::map<std::string, files::TensorBytes> tensors;
    for (const auto& [component, className, stem] : toyParts()) {
        metadata[component] = folder.readJson(component + "/config.json").dump();
        const models::WeightMap map = folder.weights(component, stem);
        for (const auto& [name, location] : map.tensors) {
            std::string& content = contents[toyName(component, name)];
            content.resize(
                static_cast<size_t>(elementCount(location.shape).value() * sizeOf(location.type)));
            files::InputFile(map.files[location.file].path)
                .read(std::as_writable_bytes(std::span(content)), location.offset);
            tensors[toyName(component, name)] = {
                location.type, location.shape, std::as_bytes(std::span(content))};
        }
    }
    files::writeSafetensors(path, tensors, metadata);
}

}  // namespace lowtide::testing
