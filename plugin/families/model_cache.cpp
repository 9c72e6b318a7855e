#include "plugin/families/model_cache.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/parted_checkpoint.hpp"
#include "plugin/checkpoints/weight_map.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace lowtide::models {

/// The component of a file with a text encoder, whichever one it becomes.
inline constexpr const char* kTextPart = "text_encoder";
inline constexpr const char* kTokenizerPart = "tokenizer";

/// `encoder`, which has a text encoder and its tokenizer, as those of a slot: for both.
[[nodiscard]] CheckpointParts textInSlot(std::shared_ptr<Checkpoint> encoder,
                                         const std::string& component,
                                         const std::string& tokenizer);

/// Each of `encoders` in the slot that takes its class; a whole checkpoint in all that it has.
/// Error{Unsupported} on "text_encoder" for one that no free slot takes.
[[nodiscard]] CheckpointParts textsInSlots(std::vector<std::shared_ptr<Checkpoint>> encoders,
                                           const Family& family);

namespace {

/// OpenCLIP's ViT-bigG, which is alone where its slot is not the only one of its class.
constexpr int64_t kWidestClip = 1280;

int64_t textWidthOf(Checkpoint& encoder) {
    const char* file = "text_encoder/config.json";
    const Json settings = encoder.readJson(file);
    const JsonReader reader(settings, encoder.name() + "/" + file);
    return reader.integer("hidden_size").value_or(reader.integer("d_model").value_or(0));
}

std::vector<const TextSlot*> slotsFor(const Family& family, const std::string& className) {
    std::vector<const TextSlot*> slots;
    for (const TextSlot& slot : family.texts) {
        if (std::find(slot.classes.begin(), slot.classes.end(), className) != slot.classes.end()) {
            slots.push_back(&slot);
        }
    }
    return slots;
}

[[noreturn]] void refuseText(const Checkpoint& encoder,
                             const std::string& className,
                             const Family& family,
                             bool isTaken) {
    std::vector<std::string> classes;
    for (const TextSlot& slot : family.texts) {
        classes.push_back(slot.classes.front());
    }
    throw Error(
        ErrorKind::Unsupported,
        isTaken
            ? message("{} is a {}, one more than {} reads", encoder.name(), className, family.name)
            : message("{} is a {}, and {} reads {}",
                      encoder.name(),
                      className,
                      family.name,
                      join(classes, ", ")),
        message("connect the text encoders of the diffusion model"),
        kTextPart);
}

}  // namespace

CheckpointParts textInSlot(std::shared_ptr<Checkpoint> encoder,
                           const std::string& component,
                           const std::string& tokenizer) {
    const auto shown = std::make_shared<RenamedCheckpoint>(
        std::move(encoder),
        std::map<std::string, std::string, std::less<>>{{component, kTextPart},
                                                        {tokenizer, kTokenizerPart}});
    return {{component, shown}, {tokenizer, shown}};
}

CheckpointParts textsInSlots(std::vector<std::shared_ptr<Checkpoint>> encoders,
                             const Family& family) {
    CheckpointParts parts;
    std::erase_if(encoders, [&](const std::shared_ptr<Checkpoint>& whole) {
        for (const TextSlot& slot : family.texts) {
            if (!whole->pipelineClass().empty() && !whole->componentClass(slot.component).empty()) {
                parts.emplace(slot.component, whole);
                parts.emplace(slot.tokenizer, whole);
            }
        }
        return !whole->pipelineClass().empty();
    });
    std::stable_sort(encoders.begin(), encoders.end(), [](const auto& a, const auto& b) {
        return textWidthOf(*a) < textWidthOf(*b);
    });
    std::map<std::string, std::vector<std::shared_ptr<Checkpoint>>> byClass;
    for (const auto& encoder : encoders) {
        byClass[encoder->componentClass(kTextPart)].push_back(encoder);
    }
    for (const auto& [className, own] : byClass) {
        const std::vector<const TextSlot*> slots = slotsFor(family, className);
        if (own.size() > slots.size()) {
            refuseText(*own.back(), className, family, !slots.empty());
        }
        const bool isWidest = own.size() < slots.size() && textWidthOf(*own.front()) >= kWidestClip;
        const size_t first = isWidest ? slots.size() - own.size() : 0;
        for (size_t i = 0; i < own.size(); ++i) {
            const TextSlot& slot = *slots[first + i];
            if (parts.contains(slot.component)) {
                refuseText(*own[i], className, family, true);
            }
            parts.merge(textInSlot(own[i], slot.component, slot.tokenizer));
        }
    }
    return parts;
}

namespace {

/// Headers and tokenizers only, some megabytes each.
constexpr size_t kRecentModels = 4;

using PathsByComponent = std::map<std::string, CheckpointPath>;

/// One text for one choice. Settings next to a file that come or go make it another.
std::string keyOf(std::string key, const CheckpointPath& first, const PathsByComponent& parts) {
    const auto add = [&](const CheckpointPath& path) {
        std::error_code ignored;
        key += '\n' + path.path;
        for (const std::string& settings : {sidecarPath(path.path), configPath(path.path)}) {
            key += std::filesystem::exists(settings, ignored) ? "\n+" : "\n-";
        }
    };
    add(first);
    for (const auto& [component, path] : parts) {
        key += '\n' + component;
        add(path);
    }
    return key;
}

/// Of a checkpoint's components; a text encoder brings its tokenizer.
CheckpointParts openParts(const PathsByComponent& paths, const std::string& resourcesFolder) {
    CheckpointParts parts;
    for (const auto& [component, path] : paths) {
        try {
            if (component.starts_with(kTextPart)) {
                const std::string number = component.substr(std::string_view(kTextPart).size());
                parts.merge(textInSlot(openPart(path, kTextPart, resourcesFolder),
                                       component,
                                       kTokenizerPart + number));
            } else {
                parts[component] = openPart(path, component, resourcesFolder);
            }
        } catch (const Error& error) {
            throw Error(error.kind(), error.message(), error.hint(), component);
        }
    }
    return parts;
}

std::vector<std::shared_ptr<Checkpoint>> openTexts(const std::vector<CheckpointPath>& paths,
                                                   const std::string& resourcesFolder) {
    std::vector<std::shared_ptr<Checkpoint>> texts;
    for (const CheckpointPath& path : paths) {
        try {
            texts.push_back(openPart(path, kTextPart, resourcesFolder));
        } catch (const Error& error) {
            throw Error(error.kind(), error.message(), error.hint(), kTextPart);
        }
    }
    return texts;
}

std::shared_ptr<Checkpoint> openLowNoiseModel(const CheckpointPath& path,
                                              const std::string& resourcesFolder) {
    try {
        return std::make_shared<RenamedCheckpoint>(
            openDenoiser(path, resourcesFolder),
            std::map<std::string, std::string, std::less<>>{{kSecondTransformer, "transformer"}});
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), kLowNoiseItem);
    }
}

}  // namespace

std::shared_ptr<const Model> ModelCache::open(const CheckpointChoice& choice) {
    return openOnce(keyOf(choice.prediction, choice.checkpoint, choice.parts),
                    [&] { return openUncached(choice); });
}

std::shared_ptr<const Model> ModelCache::open(const SplitChoice& choice) {
    PathsByComponent files = choice.parts;
    if (choice.second) {
        files.emplace(kLowNoiseItem, *choice.second);
    }
    for (size_t i = 0; i < choice.texts.size(); ++i) {
        files.emplace("text " + std::to_string(i), choice.texts[i]);
    }
    return openOnce(keyOf("split", choice.denoiser, files), [&] { return openUncached(choice); });
}

std::shared_ptr<const Model> ModelCache::openOnce(const std::string& key,
                                                  const OpenModel& openModel) {
    const std::lock_guard lock(mutex_);
    const auto entry = known_.find(key);
    if (entry != known_.end()) {
        const std::shared_ptr<const Model> model = entry->second.lock();
        if (model && areUnchanged(model->info().files)) {
            remember(key, model);
            return model;
        }
    }
    const std::shared_ptr<const Model> model = openModel();
    remember(key, model);
    return model;
}

std::shared_ptr<const Model> ModelCache::openUncached(const CheckpointChoice& choice) const {
    std::unique_ptr<Checkpoint> checkpoint = openLayout(choice.checkpoint, resourcesFolder_);
    if (choice.parts.empty() && choice.prediction.empty()) {
        return openCheckpoint(*checkpoint, families_);
    }
    AdjustedCheckpoint adjusted(
        std::move(checkpoint), openParts(choice.parts, resourcesFolder_), choice.prediction);
    return openCheckpoint(adjusted, families_);
}

std::shared_ptr<const Model> ModelCache::openUncached(const SplitChoice& choice) const {
    CheckpointParts parts = openParts(choice.parts, resourcesFolder_);
    if (choice.second) {
        parts[kSecondTransformer] = openLowNoiseModel(*choice.second, resourcesFolder_);
    }
    std::unique_ptr<Checkpoint> denoiser = openDenoiser(choice.denoiser, resourcesFolder_);
    if (const Family* family = familyOf(*denoiser, families_)) {
        parts.merge(textsInSlots(openTexts(choice.texts, resourcesFolder_), *family));
    }
    SplitCheckpoint split(std::move(denoiser), std::move(parts));
    return openCheckpoint(split, families_);
}

void ModelCache::remember(const std::string& key, const std::shared_ptr<const Model>& model) {
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    known_.insert_or_assign(key, model);
    std::erase(recent_, model);
    recent_.push_front(model);
    recent_.resize(std::min(recent_.size(), kRecentModels));
}

}  // namespace lowtide::models
