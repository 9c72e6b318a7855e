#include "nodes/denoise/denoise_fields.hpp"

#include "nodes/denoise/denoise_cache.hpp"
#include "nodes/denoise/denoise_schedule.hpp"
#include "nodes/engine/controls.hpp"
#include "nodes/engine/image_fields.hpp"
#include "nodes/engine/image_prompts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/paths.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/sampling/denoise_loop.hpp"
#include "plugin/sampling/named_schedule.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace lowtide::nodes {

namespace {

constexpr const char* kSeed = "Seed";

std::string capitalized(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    }
    return text;
}

/// What each image of a batch needs to be made again: its own seed, or its index in the batch.
std::vector<tensor::Provenance::Fields> fieldsOfImages(const DenoiseAsked& asked, int64_t batch) {
    std::vector<tensor::Provenance::Fields> images;
    for (int64_t i = 0; batch > 1 && i < batch; ++i) {
        if (asked.batchNoise == sampling::BatchNoise::OwnSeeds) {
            images.push_back({{kSeed, std::to_string(asked.seed + static_cast<uint64_t>(i))}});
        } else {
            images.push_back(
                {{"Batch size", std::to_string(batch)}, {"Batch pos", std::to_string(i)}});
        }
    }
    return images;
}

/// The denoiser that the hash next to it identifies.
const std::string& denoiserOf(const models::ModelInfo& model) {
    return model.denoiser.empty() ? model.checkpoint : model.denoiser;
}

/// An image that a base began and this model goes on with: its fields remain those of the base, as
/// A1111 has them.
void describeRefiner(tensor::Provenance& provenance, const DenoiseFacts& facts) {
    provenance.set("Refiner", denoiserOf(facts.model.info()));
    provenance.set(kRefinerHashField, treeIn(facts.model, models::kDenoiser)->networkId());
    provenance.set("Refiner switch at", formatNumber(facts.asked.startAt));
}

/// "crop_left" -> "Crop left", as the parameter is labelled.
std::string fieldOf(std::string parameter) {
    std::replace(parameter.begin(), parameter.end(), '_', ' ');
    return capitalized(std::move(parameter));
}

/// What is not as it is by default.
void setNumber(tensor::Provenance& provenance,
               const std::string& parameter,
               double byDefault,
               const tensor::Conditioning& conditioning,
               const std::string& number) {
    const tensor::NamedNumbers& held = conditioning.entries().front().numbers;
    const auto found = held.find(number);
    if (found != held.end() && found->second != byDefault) {
        provenance.set(fieldOf(parameter), formatNumber(found->second));
    }
}

/// Texts of other encoders than the first, and the numbers that a denoiser was given with them.
void setOthersOfPrompts(tensor::Provenance& provenance,
                        const models::ConditioningStatement& stated,
                        const tensor::Conditioning& positive,
                        const tensor::Conditioning* negative) {
    const auto setText = [&](const std::string& key, const std::string& text) {
        if (!text.empty()) {
            provenance.set(key, text);
        }
    };
    static constexpr const char* kOrdinals[] = {"Second", "Third", "Fourth"};
    for (size_t i = 0; i < std::size(kOrdinals); ++i) {
        const auto otherOf = [&](const tensor::Conditioning* conditioning) {
            return conditioning && i < conditioning->otherPrompts().size()
                       ? conditioning->otherPrompts()[i]
                       : std::string();
        };
        setText(std::string(kOrdinals[i]) + " prompt", otherOf(&positive));
        setText(std::string(kOrdinals[i]) + " negative prompt", otherOf(negative));
    }
    for (const models::ConditioningNumber& number : stated.numbers) {
        setNumber(provenance, number.name, number.byDefault, positive, number.name);
        if (negative && number.ofNegative) {
            setNumber(
                provenance, negativeNameOf(number), *number.ofNegative, *negative, number.name);
        }
    }
}

/// "ink" of "/loras/ink.safetensors", as A1111 calls it.
std::string stemOf(const std::string& path) {
    return std::filesystem::path(path).stem().string();
}

/// The file that a network is; nullptr: it is a folder.
const memory::WeightFile* singleFileOf(const models::ComponentSource& network) {
    const memory::WeightFile& first = network.files().front();
    return files::lastPart(first.path) == network.name() ? &first : nullptr;
}

/// "Model: control_canny [hash:...], ", as the ControlNet extension has it.
std::string modelOfUnit(const models::ComponentSource& network) {
    const memory::WeightFile* file = singleFileOf(network);
    return "Model: " +
           (file ? stemOf(file->path) + " [" + hashIdOf(*file, models::FileHash::Control) + "]"
                 : network.name()) +
           ", ";
}

void setUnits(tensor::Provenance& provenance, const DenoiseAsked& asked) {
    if (const Controls* controls = controlsIn(asked.control)) {
        for (size_t i = 0; i < controls->entries().size(); ++i) {
            const ControlEntry& entry = controls->entries()[i];
            provenance.set(kControlField + std::to_string(i),
                           modelOfUnit(*entry.net) + describedControl(entry));
        }
    }
    if (const ImagePrompts* prompts = imagePromptsIn(asked.imagePrompt)) {
        for (size_t i = 0; i < prompts->entries().size(); ++i) {
            const ImagePromptEntry& entry = prompts->entries()[i];
            provenance.set(kImagePromptField + std::to_string(i),
                           modelOfUnit(*entry.adapter) + describedImagePrompt(entry));
        }
    }
}

/// "ink: hash:..., paper: hash:...". A file that comes twice is named once, as in A1111.
void setAdapters(tensor::Provenance& provenance, const models::ModelInfo& model) {
    std::vector<std::string> named;
    for (const memory::WeightFile& file : model.adapters) {
        std::string name = stemOf(file.path);
        std::erase_if(name, [](char c) { return c == ':' || c == ','; });
        std::string text = name + ": " + hashIdOf(file, models::FileHash::Adapter);
        if (std::find(named.begin(), named.end(), text) == named.end()) {
            named.push_back(std::move(text));
        }
    }
    if (!named.empty()) {
        provenance.set(kLoraHashesField, join(named, ", "));
    }
}

void setLowNoiseModel(tensor::Provenance& provenance, const DenoiseFacts& facts) {
    const auto second = lowNoiseModelFor(facts.model, facts.asked);
    if (!second) {
        return;
    }
    const models::ModelInfo& info = facts.model.info();
    provenance.set("Second expert", info.secondDenoiser);
    provenance.set(kSecondHashField, treeIn(facts.model, models::kSecondDenoiser)->networkId());
    provenance.set("Second expert CFG scale", formatNumber(second->guidanceScale));
    provenance.set("Second expert below timestep", formatNumber(second->boundary));
}

void setScheduleRange(tensor::Provenance& provenance, const DenoiseAsked& asked) {
    if (asked.startAt > 0) {
        provenance.set("Denoising start", formatNumber(asked.startAt));
    }
    if (asked.endAt < 1) {
        provenance.set("Denoising end", formatNumber(asked.endAt));
    }
}

}  // namespace

std::vector<NamedFile> namedFiles(const DenoiseAsked& asked) {
    std::vector<NamedFile> named;
    for (const memory::WeightFile& file : modelIn(asked.model).info().adapters) {
        named.push_back({file, models::FileHash::Adapter});
    }
    const auto addUnit = [&](const models::ComponentSource& network) {
        if (const memory::WeightFile* file = singleFileOf(network)) {
            named.push_back({*file, models::FileHash::Control});
        }
    };
    if (const Controls* controls = controlsIn(asked.control)) {
        for (const auto& net : controls->nets()) {
            addUnit(*net);
        }
    }
    if (const ImagePrompts* prompts = imagePromptsIn(asked.imagePrompt)) {
        for (const auto& adapter : prompts->adapters()) {
            addUnit(*adapter);
        }
    }
    return named;
}

void describeDenoise(tensor::Provenance& provenance, const DenoiseFacts& facts) {
    if (facts.asked.startAt > 0 && isOfDenoiser(provenance)) {
        describeRefiner(provenance, facts);
        return;
    }
    const auto& positive = conditioningIn(facts.asked.positive, "positive");
    const tensor::Conditioning* negative =
        facts.asked.negative ? &conditioningIn(facts.asked.negative, "negative") : nullptr;
    provenance.prompt = positive.prompt();
    provenance.negative = negative ? negative->prompt() : std::string();
    const tensor::Provenance::Fields earlier = isOfDenoiser(provenance)
                                                   ? tensor::Provenance::Fields()
                                                   : std::exchange(provenance.fields, {});
    provenance.set(kStepsField, std::to_string(facts.asked.steps));
    provenance.set("Sampler", facts.samplerLabel);
    if (facts.asked.schedule != "automatic") {
        provenance.set("Schedule type", sampling::scheduleNamed(facts.asked.schedule).label);
    } else if (facts.asked.sigmas != "sampler") {
        provenance.set("Schedule type", capitalized(facts.asked.sigmas));
    }
    if (facts.asked.spacing != "sampler") {
        provenance.set("Spacing", facts.asked.spacing);
    }
    if (facts.asked.noise == sampling::NoiseWay::ComfyUi) {
        provenance.set("Noise", "ComfyUI");
    }
    if (facts.asked.eta > 0) {
        provenance.set("Eta", formatNumber(facts.asked.eta));
    }
    if (const auto shift = flowShiftFor(facts.model, facts.asked)) {
        provenance.set("Flow shift", formatNumber(shift->value));
    }
    provenance.set("CFG scale", formatNumber(facts.asked.cfg));
    if (facts.asked.guidanceRescale > 0) {
        provenance.set("Guidance rescale", formatNumber(facts.asked.guidanceRescale));
    }
    provenance.set(kSeed, std::to_string(facts.asked.seed));
    provenance.ofImages = fieldsOfImages(facts.asked, facts.samples.size(0));
    const models::ImageSize size = facts.model.info().latent.sizeOf(facts.samples.sizes().vec());
    provenance.set("Size", std::to_string(size.width) + "x" + std::to_string(size.height));
    if (facts.asked.strength < 1 || facts.asked.mask) {
        provenance.set("Denoising strength", formatNumber(facts.asked.strength));
    }
    setScheduleRange(provenance, facts.asked);
    if (const auto cache = stepCacheIn(facts.asked)) {
        provenance.set("Step cache", cache->label());
    }
    setUnits(provenance, facts.asked);
    provenance.set(kModelHashField, treeIn(facts.model, models::kDenoiser)->networkId());
    provenance.set("Model", denoiserOf(facts.model.info()));
    setLowNoiseModel(provenance, facts);
    if (positive.clipSkip() > 0) {
        // A1111 counts from the last layer: its 1 leaves nothing out.
        const int omitted = positive.clipSkip() + facts.model.info().ownClipSkip;
        provenance.set("Clip skip", std::to_string(omitted + 1));
    }
    setAdapters(provenance, facts.model.info());
    std::vector<std::string> embeddings = positive.embeddings();
    if (negative) {
        tensor::addEmbeddings(embeddings, negative->embeddings());
    }
    if (!embeddings.empty()) {
        provenance.set("TI hashes", join(embeddings, ", "));
    }
    setOthersOfPrompts(provenance, facts.model.info().conditioning, positive, negative);
    for (const auto& [key, value] : earlier) {
        provenance.set(key, value);
    }
}

}  // namespace lowtide::nodes
