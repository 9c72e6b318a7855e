#include "plugin/checkpoints/adapters/peft_config.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/adapter_key.hpp"

#include <cmath>
#include <set>

namespace lowtide::models {

namespace {

using Patterns = std::vector<std::pair<std::string, double>>;

/// peft's patterns are regular expressions; those that tools write are names.
std::string plainName(std::string_view pattern, const std::string& what) {
    constexpr std::string_view kOperators = "*+?()[]{}|\\^$";
    std::string name;
    const std::string_view whole = pattern;
    if (pattern.starts_with('^')) {
        pattern.remove_prefix(1);
    }
    if (pattern.ends_with('$')) {
        pattern.remove_suffix(1);
    }
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '\\' && i + 1 < pattern.size() && pattern[i + 1] == '.') {
            continue;  // an escaped dot
        }
        if (kOperators.find(pattern[i]) != kOperators.npos) {
            throw Error(ErrorKind::Unsupported,
                        what + ": the pattern " + quotedName(whole) +
                            " is a regular expression; only names of modules are read",
                        "write the modules' names, or save the adapter with alphas of its own");
        }
        name += pattern[i];
    }
    return name;
}

Patterns patternsIn(const JsonReader& reader, const char* key) {
    Patterns patterns;
    const Json* const member = reader.member(key);
    if (!member || member->is_null()) {
        return patterns;
    }
    const std::string what = reader.what() + ", " + key;
    const JsonReader values(*member, what);
    for (const auto& [pattern, value] : member->items()) {
        patterns.emplace_back(plainName(pattern, what), values.number(pattern.c_str()).value_or(0));
    }
    return patterns;
}

std::optional<double> positive(std::optional<double> value, const JsonReader& reader) {
    if (value && (!std::isfinite(*value) || *value <= 0)) {
        throw Error(ErrorKind::Corrupt,
                    reader.what() + ": the rank is " + formatNumber(*value),
                    "get the file again");
    }
    return value;
}

std::optional<double> matching(const Patterns& patterns, std::string_view module) {
    for (const auto& [name, value] : patterns) {
        const bool isEnd = module.ends_with(name);
        if (isEnd &&
            (module.size() == name.size() || module[module.size() - name.size() - 1] == '.')) {
            return value;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<double> PeftConfig::alphaOf(std::string_view module) const {
    const std::optional<double> own = matching(alphaPattern, module);
    return own ? own : alpha;
}

std::optional<double> PeftConfig::rankOf(std::string_view module) const {
    const std::optional<double> own = matching(rankPattern, module);
    return own ? own : rank;
}

PeftConfig readPeftConfig(const Json& config, const std::string& what) {
    const JsonReader reader(config, what);
    const std::optional<double> ofLora = reader.number("lora_alpha");
    PeftConfig read{.alpha = ofLora ? ofLora : reader.number("alpha"),
                    .rank = positive(reader.number("r"), reader),
                    .alphaPattern = patternsIn(reader, "alpha_pattern"),
                    .rankPattern = patternsIn(reader, "rank_pattern"),
                    .dividesByRoot = reader.boolean("use_rslora").value_or(false)};
    for (const auto& [name, rank] : read.rankPattern) {
        (void)positive(rank, reader);
    }
    return read;
}

PeftMetadata readPeftMetadata(std::string_view text, const std::string& what) {
    const Json all = parseJson(text, what);
    const JsonReader reader(all, what);
    PeftMetadata metadata;
    Json ofAll = Json::object();
    std::map<std::string_view, Json> objects;  // by component
    std::set<std::string> unknown;
    for (const auto& [key, value] : all.items()) {
        const size_t dot = key.find('.');
        const std::string_view component = adapterComponentOf(key);
        if (dot == key.npos) {
            ofAll[key] = value;
        } else if (component.empty()) {
            unknown.insert(key.substr(0, dot));
        } else {
            objects.try_emplace(component, Json::object()).first->second[key.substr(dot + 1)] =
                value;
        }
    }
    if (!ofAll.empty()) {
        metadata.ofAll = readPeftConfig(ofAll, what);
    }
    for (const auto& [component, own] : objects) {
        metadata.configs.emplace(component, readPeftConfig(own, what));
    }
    metadata.unknown.assign(unknown.begin(), unknown.end());
    return metadata;
}

}  // namespace lowtide::models
