#include "plugin/families/model_cache.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/checkpoints/adjusted_checkpoint.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/renamed_checkpoint.hpp"
#include "plugin/checkpoints/split_checkpoint.hpp"
#include "plugin/checkpoints/unchanged_weights.hpp"
#include "plugin/families/text_slots.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::models {

namespace {

/// Headers and tokenizers only, some megabytes each.
constexpr size_t kRecentModels = 4;

using PathsByComponent = std::map<std::string, CheckpointPath>;

/// One text for one choice. Settings beside a file that come or go make it another.
std::string keyOf(std::string key, const CheckpointPath& first, const PathsByComponent& parts) {
    const auto add = [&](const CheckpointPath& path) {
        std::error_code ignored;
        key += '\n' + path.path;
        for (const std::string& settings : {besidePath(path.path), configPath(path.path)}) {
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

std::shared_ptr<Checkpoint> openSecondExpert(const CheckpointPath& path,
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
                    [&] { return openAnew(choice); });
}

std::shared_ptr<const Model> ModelCache::open(const SplitChoice& choice) {
    PathsByComponent files = choice.parts;
    if (choice.second) {
        files.emplace(kLowNoiseItem, *choice.second);
    }
    for (size_t i = 0; i < choice.texts.size(); ++i) {
        files.emplace("text " + std::to_string(i), choice.texts[i]);
    }
    return openOnce(keyOf("split", choice.denoiser, files), [&] { return openAnew(choice); });
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

std::shared_ptr<const Model> ModelCache::openAnew(const CheckpointChoice& choice) const {
    std::unique_ptr<Checkpoint> checkpoint = openLayout(choice.checkpoint, resourcesFolder_);
    if (choice.parts.empty() && choice.prediction.empty()) {
        return openCheckpoint(*checkpoint, families_);
    }
    AdjustedCheckpoint adjusted(
        std::move(checkpoint), openParts(choice.parts, resourcesFolder_), choice.prediction);
    return openCheckpoint(adjusted, families_);
}

std::shared_ptr<const Model> ModelCache::openAnew(const SplitChoice& choice) const {
    CheckpointParts parts = openParts(choice.parts, resourcesFolder_);
    if (choice.second) {
        parts[kSecondTransformer] = openSecondExpert(*choice.second, resourcesFolder_);
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
