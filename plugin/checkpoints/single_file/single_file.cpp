#include "plugin/checkpoints/single_file/single_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/single_file/built_in_tokenizer.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_settings.hpp"
#include "plugin/checkpoints/weight_map.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kPipelinePart = "model_index";
constexpr const char* kSchedulerPart = "scheduler";

/// "unet/config.json" -> "unet" and "config.json".
std::pair<std::string, std::string> cutAtFolder(const std::string& relative) {
    const size_t slash = std::min(relative.find('/'), relative.size());
    return {relative.substr(0, slash), relative.substr(std::min(slash + 1, relative.size()))};
}

Json indexOf(const FileParts& parts, const SidecarFile& sidecar) {
    Json index = withSidecar(parts.pipeline, sidecar, kPipelinePart);
    const auto add = [&](const std::string& component, const std::string& className) {
        index[component] = className.empty() ? Json::array({nullptr, nullptr})
                                             : Json::array({"single_file", className});
    };
    for (const auto& [component, network] : parts.networks) {
        add(component, network.className);
    }
    for (const auto& [component, tokenizer] : parts.tokenizers) {
        const bool hasEncoder = !parts.networks.at(tokenizer.encoder).className.empty();
        add(component, hasEncoder ? "CLIPTokenizer" : "");
    }
    for (const auto& [component, documents] : parts.documents) {
        add(component, documents.className);
    }
    return index;
}

}  // namespace

SingleFile::SingleFile(const ModelSource& source, FileParts parts, std::string resourcesFolder)
    : name_(source.path.name),
      resourcesFolder_(std::move(resourcesFolder)),
      parts_(std::move(parts)),
      sidecar_(source.sidecar),
      index_(indexOf(parts_, sidecar_)),
      files_(source.header->map.files) {
    files_.insert(files_.end(), parts_.files.begin(), parts_.files.end());
    refuseUnknownParts();
}

void SingleFile::refuseUnknownParts() const {
    std::vector<std::string> known = {kPipelinePart};
    for (const auto& [component, network] : parts_.networks) {
        known.push_back(component);
    }
    for (const auto& [component, tokenizer] : parts_.tokenizers) {
        known.push_back(component);
    }
    if (parts_.scheduler) {
        known.emplace_back(kSchedulerPart);
    }
    for (const auto& [part, settings] : sidecar_.parts.items()) {
        if (std::find(known.begin(), known.end(), part) == known.end()) {
            throw Error(ErrorKind::Unsupported,
                        message("{}: there is no part {}", sidecar_.name, quotedName(part)),
                        message("the parts are {}", join(known, ", ")));
        }
    }
}

const FileDocument* SingleFile::documentAt(const std::string& relative) const {
    const auto [part, file] = cutAtFolder(relative);
    const auto documents = parts_.documents.find(part);
    if (documents == parts_.documents.end()) {
        return nullptr;
    }
    const auto found = documents->second.files.find(file);
    return found == documents->second.files.end() ? nullptr : &found->second;
}

std::string SingleFile::pathOf(const std::string& relative) const {
    const FileDocument* document = documentAt(relative);
    return document ? document->path : name_ + "/" + relative;
}

bool SingleFile::has(const std::string& relative) const {
    const auto [part, file] = cutAtFolder(relative);
    if (documentAt(relative)) {
        return true;
    }
    if (parts_.tokenizers.contains(part)) {
        return file == "vocab.json" || file == "merges.txt" || file == "tokenizer_config.json";
    }
    return (file == "config.json" && parts_.networks.contains(part)) ||
           (relative == "scheduler/scheduler_config.json" && parts_.scheduler) ||
           relative == "model_index.json";
}

const ClipVocabulary& SingleFile::vocabularyOf(const std::string& tokenizer) {
    const auto known = vocabularies_.find(tokenizer);
    if (known != vocabularies_.end()) {
        return known->second;
    }
    const std::string path = builtInPath(resourcesFolder_, "clip", "merges.txt");
    const std::string merges = readBuiltIn(path);
    const FileNetwork& encoder = parts_.networks.at(parts_.tokenizers.at(tokenizer).encoder);
    const int64_t size = encoder.settings().at("vocab_size").get<int64_t>();
    merges_ = stampOf(path);
    return vocabularies_.emplace(tokenizer, clipVocabulary(merges, size, name_)).first->second;
}

std::string SingleFile::readText(const std::string& relative) {
    const auto [part, file] = cutAtFolder(relative);
    if (const FileDocument* document = documentAt(relative)) {
        return document->read();
    }
    const bool isMerges = file == "merges.txt" && parts_.tokenizers.contains(part);
    return isMerges ? vocabularyOf(part).merges : readJson(relative).dump();
}

Json SingleFile::readJson(const std::string& relative) {
    const auto [part, file] = cutAtFolder(relative);
    if (!has(relative)) {
        throw Error(ErrorKind::NotFound,
                    message("checkpoint {} has no {}", name_, relative),
                    message("choose another checkpoint"),
                    "checkpoint");
    }
    if (const FileDocument* document = documentAt(relative)) {
        return parseJson(document->read(), document->path, {.readPythonNumbers = true});
    }
    if (file == "vocab.json") {
        return vocabularyOf(part).tokens;
    }
    if (file == "tokenizer_config.json") {
        return withSidecar(tokenizerSettings(part), sidecar_, part.c_str());
    }
    if (file == "config.json") {
        return networkSettings(part);
    }
    return file.empty() ? index_ : withSidecar(parts_.scheduler(), sidecar_, kSchedulerPart);
}

Json SingleFile::networkSettings(const std::string& component) const {
    const FileNetwork& network = parts_.networks.at(component);
    Json settings = withSidecar(network.settings(), sidecar_, component.c_str());
    if (network.check) {
        network.check(settings, name_, sidecar_);
    }
    return settings;
}

Json SingleFile::tokenizerSettings(const std::string& component) const {
    const auto special = [](const char* text) {
        return Json{{"content", text}, {"normalized", true}};
    };
    const FileTokenizer& tokenizer = parts_.tokenizers.at(component);
    const Json encoder = parts_.networks.at(tokenizer.encoder).settings();
    const Json end = special("<|endoftext|>");
    return {{"model_max_length", encoder.at("max_position_embeddings")},
            {"bos_token", special("<|startoftext|>")},
            {"eos_token", end},
            {"unk_token", end},
            {"pad_token", tokenizer.padding}};
}

WeightMap SingleFile::weights(const std::string& component, const std::string&) {
    return parts_.networks.at(component).weights();
}

std::function<WeightMap()> SingleFile::laterWeights(const std::string& component,
                                                    const std::string& stem) {
    return [map = weights(component, stem)] {
        requireUnchanged(map.files, Message(map.what));
        return map;
    };
}

std::vector<memory::WeightFile> SingleFile::files() const {
    std::vector<memory::WeightFile> all = files_;
    for (const auto& other : {sidecar_.stamp, merges_}) {
        if (other) {
            all.push_back(*other);
        }
    }
    return all;
}

namespace {

constexpr std::string_view kOtherNetworks[] = {
    kLdmAutoencoder, "cond_stage_model.", "conditioner."};

const Shape* inputShape(const WeightMap& file, std::string_view prefix) {
    const auto input = file.tensors.find(std::string(prefix) + "input_blocks.0.0.weight");
    return input == file.tensors.end() ? nullptr : &input->second.shape;
}

Json ldmUNetSettings(const WeightMap& file, std::string_view prefix) {
    const TensorView view(
        file, [prefix](std::string_view name) { return std::string(prefix) + std::string(name); });
    return unetSettings(view);
}

}  // namespace

SharedHeader sharedHeader(const ModelSource& source) {
    return std::make_shared<const WeightFileHeader>(*source.header);
}

bool hasLdmUNet(const WeightMap& file, std::string_view prefix) {
    return inputShape(file, prefix) != nullptr;
}

bool isLdmCheckpoint(const WeightMap& file) {
    return hasLdmUNet(file, kLdmUNet) &&
           std::any_of(std::begin(kOtherNetworks),
                       std::end(kOtherNetworks),
                       [&](std::string_view other) { return hasUnder(file, other); });
}

int64_t ldmInputChannels(const WeightMap& file, std::string_view prefix) {
    const Shape* shape = inputShape(file, prefix);
    return shape && shape->size() == 4 ? (*shape)[1] : 0;
}

FileNetwork ldmUNet(const SharedHeader& file, std::string_view prefix) {
    const auto settings = [file, start = std::string(prefix)] {
        return ldmUNetSettings(file->map, start);
    };
    return {.className = "UNet2DConditionModel",
            .settings = settings,
            .weights = [file,
                        start = std::string(prefix),
                        settings] { return unetMap(file->map, start, unetLayout(settings())); },
            .check = checkUNetConstants};
}

FileNetwork ldmAutoencoder(const SharedHeader& file, std::string_view prefix, Json constants) {
    const auto weights = [file, start = std::string(prefix)] {
        return autoencoderMap(file->map, start);
    };
    const bool isThere = hasUnder(file->map, std::string(prefix) + "decoder.");
    return {.className = isThere ? "AutoencoderKL" : "",
            .settings =
                [weights, isThere, constants = std::move(constants)] {
                    if (!isThere) {
                        return constants;
                    }
                    const WeightMap map = weights();
                    Json settings = autoencoderSettings(viewOf(map));
                    settings.update(constants);
                    return settings;
                },
            .weights = weights,
            .check = checkAutoencoderConstants};
}

FileNetwork ldmTextEncoder(std::function<WeightMap()> weights, bool isOpenClip) {
    return {.className = "CLIPTextModel",
            .settings =
                [weights, isOpenClip] {
                    const WeightMap map = weights();
                    return textEncoderSettings(viewOf(map), isOpenClip);
                },
            .weights = weights,
            .check = checkTextConstants};
}

}  // namespace lowtide::models
