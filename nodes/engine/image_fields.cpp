#include "nodes/engine/image_fields.hpp"

#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/model_hashes.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::nodes {

namespace {

/// Values with separators are JSON strings, so that the line can be read back.
std::string quoted(const std::string& value) {
    const bool isPlain = value.find_first_of(",:\n\"") == value.npos;
    return isPlain ? value : Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Of each "name: id" what has a hash.
std::string shownAdapters(const std::string& named,
                          const std::function<std::string(const std::string&)>& hashOf) {
    std::vector<std::string> shown;
    for (const std::string& each : split(named, ',')) {
        const std::string text = trim(each);
        const size_t at = text.rfind(models::kHashId);
        if (const std::string hash = at == text.npos ? "" : hashOf(text.substr(at));
            !hash.empty()) {
            shown.push_back(text.substr(0, at) + hash);
        }
    }
    return join(shown, ", ");
}

/// The unit with its hash, or without the brackets.
std::string shownUnit(const std::string& unit,
                      const std::function<std::string(const std::string&)>& hashOf) {
    const size_t open = unit.rfind(" [" + std::string(models::kHashId));
    const size_t close = open == unit.npos ? open : unit.find(']', open);
    if (close == unit.npos) {
        return unit;
    }
    const std::string hash = hashOf(unit.substr(open + 2, close - open - 2));
    return unit.substr(0, open) + (hash.empty() ? "" : " [" + hash + "]") + unit.substr(close + 1);
}

std::string shownValue(const std::string& key,
                       const std::string& value,
                       const std::function<std::string(const std::string&)>& hashOf) {
    if (key == kModelHashField || key == kRefinerHashField || key == kSecondHashField) {
        return hashOf(value);
    }
    if (key == kLoraHashesField) {
        return shownAdapters(value, hashOf);
    }
    return key.starts_with(kControlField) || key.starts_with(kImagePromptField)
               ? shownUnit(value, hashOf)
               : value;
}

}  // namespace

bool isOfDenoiser(const tensor::Provenance& provenance) {
    return std::any_of(provenance.fields.begin(), provenance.fields.end(), [](const auto& field) {
        return field.first == kStepsField;
    });
}

std::string parametersTextOf(const tensor::Provenance& provenance,
                             const std::function<std::string(const std::string&)>& hashOf) {
    if (!isOfDenoiser(provenance)) {
        return {};
    }
    std::string text = provenance.prompt + "\n";
    if (!provenance.negative.empty()) {
        text += "Negative prompt: " + provenance.negative + "\n";
    }
    for (const auto& [key, value] : provenance.fields) {
        const std::string shown = shownValue(key, value, hashOf);
        if (!shown.empty()) {
            text += key + ": " + quoted(shown) + ", ";
        }
    }
    return text + "Version: Lowtide " LOWTIDE_VERSION;
}

}  // namespace lowtide::nodes
