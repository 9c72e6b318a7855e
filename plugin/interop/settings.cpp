#include "plugin/interop/settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/interop/json_members.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <type_traits>
#include <utility>

namespace lowtide::interop {

namespace {

constexpr std::string_view kNegative = "Negative prompt:";
constexpr const char* kOwnAutoencoder = "Default (model)";  ///< in Fooocus
constexpr const char* kSurelyThere = "Steps";  ///< else it is a prompt that has colons in it

template <class Value>
std::optional<Value> numberFrom(std::string_view text) {
    Value value = 0;
    const std::string plain = trim(text);
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    const bool isNumber = error == std::errc() && end == plain.data() + plain.size();
    return isNumber && std::isfinite(static_cast<double>(value)) ? std::optional(value)
                                                                 : std::nullopt;
}

template <class Value>
std::optional<Value> numberIn(const Json& object, const char* key) {
    const Json& member = memberIn(object, key);
    if (member.is_string()) {
        return numberFrom<Value>(member.get<std::string>());
    }
    const bool isSmall = member.is_number_float() && std::abs(member.get<double>()) < 1e18;
    const bool isNegative = member.is_number() && member.get<double>() < 0;
    const bool fits = isSmall || member.is_number_integer();
    return fits && !(isNegative && std::is_unsigned_v<Value>) ? std::optional(member.get<Value>())
                                                              : std::nullopt;
}

/// "WIDTHxHEIGHT", or "(width, height)" with `separator` ','.
void takeSize(std::string text, char separator, ImageSettings& settings) {
    std::erase_if(text, [](char byte) { return byte == '(' || byte == ')'; });
    const size_t middle = text.find(separator);
    if (middle != std::string::npos) {
        settings.widthPixels = numberFrom<int64_t>(text.substr(0, middle));
        settings.heightPixels = numberFrom<int64_t>(text.substr(middle + 1));
    }
}

/// The end of the quoted text that begins at the front; its size where it has none.
size_t endOfQuoted(std::string_view text) {
    for (size_t at = 1; at < text.size(); ++at) {
        if (text[at] == '\\') {
            ++at;
        } else if (text[at] == '"') {
            return at + 1;
        }
    }
    return text.size();
}

std::string unquoted(std::string_view text) {
    try {
        const Json json = parseJson(text, "text");
        return json.is_string() ? json.get<std::string>() : std::string(text);
    } catch (const Error&) {
        return std::string(text);
    }
}

bool isFieldName(std::string_view name) {
    constexpr size_t kLongestName = 60;
    constexpr std::string_view kOther = " _-/.";
    return !name.empty() && name.size() <= kLongestName &&
           std::ranges::all_of(name, [&](char byte) {
               const bool isLetter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
               return isLetter || (byte >= '0' && byte <= '9') || kOther.find(byte) != kOther.npos;
           });
}

/// Whether a field goes into the settings.
bool takeField(const std::string& name, const std::string& value, ImageSettings& settings) {
    if (name == "Steps") {
        settings.steps = numberFrom<int64_t>(value);
    } else if (name == "Sampler") {
        settings.sampler = value;
    } else if (name == "Schedule type") {
        settings.schedule = value;
    } else if (name == "CFG scale") {
        settings.cfg = numberFrom<double>(value);
    } else if (name == "Seed") {
        settings.seed = numberFrom<uint64_t>(value);
    } else if (name == "Size") {
        takeSize(value, 'x', settings);
    } else if (name == "Model") {
        settings.model = value;
    } else if (name == "Model hash") {
        settings.modelHash = toLower(value);
    } else if (name == "VAE") {
        settings.autoencoder = value == kOwnAutoencoder ? "" : value;
    } else if (name.starts_with("Module ")) {
        settings.modules.push_back(value);
    } else if (name == "Distilled CFG Scale") {
        settings.guidance = numberFrom<double>(value);
    } else if (name == "Clip skip") {
        settings.clipSkip = numberFrom<int64_t>(value);
    } else if (name == "Denoising strength") {
        settings.strength = numberFrom<double>(value);
    } else {
        return false;
    }
    return true;
}

std::string_view lastLineOf(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
        text.remove_suffix(1);
    }
    const size_t begin = text.rfind('\n');
    return begin == std::string_view::npos ? text : text.substr(begin + 1);
}

/// Members of `json` that are among `names` count as taken, the others as not.
void noteMembers(const Json& json, const std::set<std::string>& names, ImageSettings& settings) {
    for (const auto& [name, value] : json.items()) {
        (names.contains(name) ? settings.taken : settings.others).push_back(name);
    }
}

void takeLora(const std::string& name, std::optional<double> strength, ImageSettings& settings) {
    if (!name.empty()) {
        settings.loras.push_back({.name = name, .strength = strength.value_or(1)});
    }
}

/// By its name, in the forms of several versions.
std::string invokeModelName(const Json& model) {
    for (const char* key : {"name", "model_name"}) {
        if (std::string name = textIn(model, key); !name.empty()) {
            return name;
        }
    }
    return {};
}

ImageSettings readInvokeAi(const Json& json) {
    ImageSettings settings;
    settings.program = ForeignProgram::InvokeAi;
    settings.prompt = textIn(json, "positive_prompt");
    settings.negative = textIn(json, "negative_prompt");
    settings.steps = numberIn<int64_t>(json, "steps");
    settings.seed = numberIn<uint64_t>(json, "seed");
    settings.cfg = numberIn<double>(json, "cfg_scale");
    settings.strength = numberIn<double>(json, "strength");
    settings.widthPixels = numberIn<int64_t>(json, "width");
    settings.heightPixels = numberIn<int64_t>(json, "height");
    settings.sampler = textIn(json, "scheduler");
    settings.model = invokeModelName(memberIn(json, "model"));
    settings.modelHash = textIn(memberIn(json, "model"), "hash");
    settings.autoencoder = invokeModelName(memberIn(json, "vae"));
    for (const Json& lora : listIn(json, "loras")) {
        const Json& model = memberIn(lora, "model");
        takeLora(invokeModelName(model.is_null() ? memberIn(lora, "lora") : model),
                 numberIn<double>(lora, "weight"),
                 settings);
    }
    noteMembers(json,
                {"positive_prompt",
                 "negative_prompt",
                 "steps",
                 "seed",
                 "cfg_scale",
                 "strength",
                 "width",
                 "height",
                 "scheduler",
                 "model",
                 "vae",
                 "loras"},
                settings);
    return settings;
}

/// "name : 0.5".
void takeCombinedLora(const std::string& text, ImageSettings& settings) {
    const size_t colon = text.rfind(" : ");
    if (colon != std::string::npos) {
        takeLora(text.substr(0, colon), numberFrom<double>(text.substr(colon + 3)), settings);
    }
}

ImageSettings readFooocus(const Json& json) {
    ImageSettings settings;
    settings.program = ForeignProgram::Fooocus;
    settings.prompt = textIn(json, "prompt");
    settings.negative = textIn(json, "negative_prompt");
    settings.steps = numberIn<int64_t>(json, "steps");
    settings.seed = numberIn<uint64_t>(json, "seed");
    settings.cfg = numberIn<double>(json, "guidance_scale");
    settings.clipSkip = numberIn<int64_t>(json, "clip_skip");
    takeSize(textIn(json, "resolution"), ',', settings);
    settings.sampler = textIn(json, "sampler");
    settings.schedule = textIn(json, "scheduler");
    settings.model = textIn(json, "base_model");
    settings.modelHash = textIn(json, "base_model_hash");
    settings.autoencoder = textIn(json, "vae") == kOwnAutoencoder ? "" : textIn(json, "vae");
    std::set<std::string> names = {"prompt",
                                   "negative_prompt",
                                   "steps",
                                   "seed",
                                   "guidance_scale",
                                   "clip_skip",
                                   "resolution",
                                   "sampler",
                                   "scheduler",
                                   "base_model",
                                   "base_model_hash",
                                   "vae",
                                   "loras"};
    for (const Json& lora : listIn(json, "loras")) {
        if (lora.is_array() && lora.size() >= 2 && lora[0].is_string() && lora[1].is_number()) {
            takeLora(lora[0].get<std::string>(), lora[1].get<double>(), settings);
        }
    }
    for (const auto& [name, value] : json.items()) {
        if (name.starts_with("lora_combined_") && value.is_string()) {
            names.insert(name);
            takeCombinedLora(value.get<std::string>(), settings);
        }
    }
    noteMembers(json, names, settings);
    return settings;
}

ImageSettings readSwarmUi(const Json& json) {
    const Json& values = memberIn(json, "sui_image_params");
    ImageSettings settings;
    settings.program = ForeignProgram::SwarmUi;
    settings.prompt = textIn(values, "prompt");
    settings.negative = textIn(values, "negativeprompt");
    settings.steps = numberIn<int64_t>(values, "steps");
    settings.seed = numberIn<uint64_t>(values, "seed");
    settings.cfg = numberIn<double>(values, "cfgscale");
    settings.strength = numberIn<double>(values, "initimagecreativity");
    settings.widthPixels = numberIn<int64_t>(values, "width");
    settings.heightPixels = numberIn<int64_t>(values, "height");
    settings.sampler = textIn(values, "sampler");
    settings.schedule = textIn(values, "scheduler");
    settings.model = textIn(values, "model");
    settings.autoencoder = textIn(values, "vae");
    const Json& loras = listIn(values, "loras");
    const Json& weights = listIn(values, "loraweights");
    for (size_t i = 0; i < loras.size(); ++i) {
        if (loras[i].is_string()) {
            const Json weight = {{"weight", i < weights.size() ? weights[i] : Json()}};
            takeLora(loras[i].get<std::string>(), numberIn<double>(weight, "weight"), settings);
        }
    }
    for (const Json& model : listIn(json, "sui_models")) {
        if (textIn(model, "param") == "model") {
            const std::string hash = textIn(model, "hash");
            settings.modelHash = hash.starts_with("0x") ? hash.substr(2) : hash;
        }
    }
    noteMembers(values,
                {"prompt",
                 "negativeprompt",
                 "steps",
                 "seed",
                 "cfgscale",
                 "initimagecreativity",
                 "width",
                 "height",
                 "sampler",
                 "scheduler",
                 "model",
                 "vae",
                 "loras",
                 "loraweights"},
                settings);
    return settings;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> a1111Fields(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> fields;
    std::string_view rest = lastLineOf(text);
    while (!rest.empty()) {
        const size_t colon = rest.find(':');
        if (colon == std::string_view::npos) {
            break;
        }
        const std::string_view before = rest.substr(0, colon);
        const std::string name = trim(before.substr(before.rfind(',') + 1));
        rest.remove_prefix(colon + 1);
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        const bool isQuoted = rest.starts_with('"');
        const size_t end = isQuoted ? endOfQuoted(rest) : std::min(rest.find(','), rest.size());
        const std::string_view value = rest.substr(0, end);
        if (isFieldName(name)) {
            fields.emplace_back(name, isQuoted ? unquoted(value) : trim(value));
        }
        const size_t comma = rest.find(',', end);
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    const bool isThere =
        std::ranges::any_of(fields, [](const auto& field) { return field.first == kSurelyThere; });
    return isThere ? fields : decltype(fields)();
}

std::optional<ImageSettings> readA1111(std::string_view text) {
    const auto fields = a1111Fields(text);
    if (fields.empty() || !isValidUtf8(text)) {
        return std::nullopt;
    }
    ImageSettings settings;
    for (const auto& [name, value] : fields) {
        (takeField(name, value, settings) ? settings.taken : settings.others).push_back(name);
    }
    const bool isUpscaled = std::ranges::any_of(
        settings.others, [](const std::string& name) { return name.starts_with("Hires "); });
    if (isUpscaled) {
        settings.strength.reset();  // of the second pass
    }
    const std::string_view last = lastLineOf(text);
    const auto above = static_cast<size_t>(last.data() - text.data());
    const std::string_view prompts = text.substr(0, above);
    size_t negative = prompts.starts_with(kNegative) ? 0 : prompts.find("\nNegative prompt:");
    if (negative == std::string_view::npos) {
        settings.prompt = trim(prompts);
    } else {
        settings.prompt = trim(prompts.substr(0, negative));
        negative += prompts[negative] == '\n' ? 1 : 0;
        settings.negative = trim(prompts.substr(negative + kNegative.size()));
    }
    return settings;
}

std::optional<ImageSettings> readSettings(const Json& json) {
    if (memberIn(json, "sui_image_params").is_object()) {
        return readSwarmUi(json);
    }
    if (memberIn(json, "positive_prompt").is_string() && json.contains("seed")) {
        return readInvokeAi(json);
    }
    if (memberIn(json, "prompt").is_string() && memberIn(json, "base_model").is_string()) {
        return readFooocus(json);
    }
    return std::nullopt;
}

SamplerNames::SamplerNames(const Json& rows) {
    for (const Json& row : rows) {
        const std::string name = textIn(row, "name");
        if (name.empty()) {
            throw Error(ErrorKind::Corrupt,
                        message("the table of samplers has a row without \"name\""),
                        message("install the program again"));
        }
        Known known{.sampler = textIn(row, "sampler"), .schedule = textIn(row, "schedule")};
        if (known.sampler.empty()) {
            schedules_[name] = known.schedule;
        } else {
            samplers_[name] = std::move(known);
        }
    }
}

SamplerNames::Known SamplerNames::find(const std::string& sampler,
                                       const std::string& schedule) const {
    const auto scheduleNamed = [&](const std::string& name) {
        const auto known = schedules_.find(name);
        return known == schedules_.end() ? std::string() : known->second;
    };
    auto known = samplers_.find(sampler);
    std::string named = schedule;
    const size_t space = sampler.rfind(' ');
    if (known == samplers_.end() && space != std::string::npos) {  // "DPM++ 2M Karras"
        known = samplers_.find(sampler.substr(0, space));
        named = sampler.substr(space + 1);
    }
    Known found = known == samplers_.end() ? Known() : known->second;
    if (!named.empty()) {
        found.schedule = scheduleNamed(named);
    }
    return found;
}

SamplerNames readSamplerNames(const std::string& resourcesFolder) {
    const files::InputFile file(resourcesFolder + "/interop/samplers.json");
    return SamplerNames(parseJson(file.readAll(kMiB), file.name()));
}

std::string_view nameOf(ForeignProgram program) {
    switch (program) {
        case ForeignProgram::A1111:
            return "AUTOMATIC1111";
        case ForeignProgram::InvokeAi:
            return "InvokeAI";
        case ForeignProgram::Fooocus:
            return "Fooocus";
        case ForeignProgram::SwarmUi:
            return "SwarmUI";
    }
    return {};
}

}  // namespace lowtide::interop
