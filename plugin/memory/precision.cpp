#include "plugin/memory/precision.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>

namespace lowtide::memory {

namespace {

constexpr Phrase kPrecisionForms = phrase(
    "write quality, balanced or speed, then ,storage=file|f32|f16|bf16|f8, ,compute=f32|f16|bf16, "
    ",keep_f32=NAME+NAME, or ,SWITCH=on|off");

struct SwitchRow {
    std::string_view name;
    Phrase cost;
};

constexpr std::array<SwitchRow, kNumericSwitchCount> kSwitches = {{
    {"matmul_half_accumulation",
     phrase("f16 products lose precision in their sums; about a fifth faster")},
    {"convolution_half_accumulation", phrase("softer images; about 5 % faster")},
    {"split_k_reduction", phrase("partial sums of half products are rounded once more")},
    {"tf32_matmul", phrase("f32 products with 10 bits of mantissa; several times faster")},
    {"tf32_convolution", phrase("f32 convolutions with 10 bits of mantissa; several times faster")},
    {"cudnn_benchmark",
     phrase("the first run of a shape is slow, bits may differ from run to run")},
    {"cudnn_deterministic", phrase("some convolutions are slower")},
    {"attention_flash", phrase("less memory and faster; f16 and bf16 on a GPU")},
    {"attention_flash_3", phrase("the same for the newest GPUs")},
    {"attention_memory_efficient", phrase("less memory; slower than flash")},
    {"attention_cudnn", phrase("fastest on new GPUs")},
    {"attention_math", phrase("most memory; takes what the others cannot")},
    {"attention_math_half_reduction", phrase("the plain attention loses precision in its sums")},
}};

constexpr std::array<std::pair<std::string_view, DType>, 5> kTypes = {{{"f32", DType::F32},
                                                                       {"f16", DType::F16},
                                                                       {"bf16", DType::BF16},
                                                                       {"f8", DType::F8E4M3},
                                                                       {"f8_e5m2", DType::F8E5M2}}};

[[noreturn]] void refusePrecision(std::string_view text, const Message& why) {
    throw Error(ErrorKind::InvalidInput,
                message("precision {}: {}", quotedName(text), why),
                kPrecisionForms,
                "precision");
}

std::optional<DType> typeNamed(std::string_view name) {
    const auto found = std::find_if(
        kTypes.begin(), kTypes.end(), [&](const auto& entry) { return entry.first == name; });
    return found == kTypes.end() ? std::nullopt : std::optional<DType>(found->second);
}

void readStorage(PrecisionTypes& types, std::string_view text, const std::string& name) {
    types.storesAsInFile = name == "file";
    types.storage = types.storesAsInFile ? std::nullopt : typeNamed(name);
    if (!types.storesAsInFile && (!types.storage || *types.storage == DType::F8E5M2)) {
        refusePrecision(text,
                        message("storage is file, f32, f16, bf16 or f8, not {}", quotedName(name)));
    }
}

void readCompute(PrecisionTypes& types, std::string_view text, const std::string& name) {
    types.compute = typeNamed(name);
    if (!types.compute || sizeOf(*types.compute) == 1) {
        refusePrecision(text, message("compute is f32, f16 or bf16, not {}", quotedName(name)));
    }
}

NumericSwitch switchNamed(std::string_view text, std::string_view name) {
    const auto found = std::find_if(
        kSwitches.begin(), kSwitches.end(), [&](const SwitchRow& row) { return row.name == name; });
    if (found == kSwitches.end()) {
        refusePrecision(text, message("{} is not understood", quotedName(name)));
    }
    return static_cast<NumericSwitch>(found - kSwitches.begin());
}

void readPreset(PrecisionChoice& choice, std::string_view text, const std::string& name) {
    choice.preset = name;
    if (std::find(kPrecisionPresets.begin(), kPrecisionPresets.end(), name) ==
        kPrecisionPresets.end()) {
        refusePrecision(text, message("there is no preset {}", quotedName(name)));
    }
}

void readPrecisionOption(PrecisionChoice& choice,
                         std::string_view text,
                         const std::string& option) {
    const size_t equals = option.find('=');
    const std::string key = option.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : option.substr(equals + 1);
    if (key == "storage") {
        readStorage(choice.types, text, value);
    } else if (key == "compute") {
        readCompute(choice.types, text, value);
    } else if (key == "keep_f32") {
        choice.keptF32 = split(value, '+');
    } else {
        const NumericSwitch named = switchNamed(text, key);
        if (value != "on" && value != "off") {
            refusePrecision(text, message("{} is on or off", key));
        }
        choice.switches[named] = value == "on";
    }
}

void checkKeys(const Json& json,
               const std::string& what,
               std::initializer_list<std::string_view> known) {
    for (const auto& [key, value] : json.items()) {
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            refusePrecision(what, message("{} is not understood", quotedName(key)));
        }
    }
}

PrecisionTypes typesFrom(const JsonReader& reader) {
    PrecisionTypes types;
    if (const auto storage = reader.text("storage")) {
        readStorage(types, reader.what(), *storage);
    }
    if (const auto compute = reader.text("compute")) {
        readCompute(types, reader.what(), *compute);
    }
    return types;
}

void readSwitches(PrecisionChoice& choice, const Json& json, const std::string& what) {
    const JsonReader switches(json, what);
    for (const auto& [name, value] : json.items()) {
        const NumericSwitch named = switchNamed(what, name);
        if (const auto isOn = switches.boolean(name.c_str())) {
            choice.switches[named] = *isOn;
        }
    }
}

void put(Json& json, const PrecisionTypes& types) {
    if (types.storesAsInFile) {
        json["storage"] = "file";
    } else if (types.storage) {
        json["storage"] = shortNameOf(*types.storage);
    }
    if (types.compute) {
        json["compute"] = shortNameOf(*types.compute);
    }
}

std::string_view textOf(SwitchState state) {
    switch (state) {
        case SwitchState::On:
            return "on";
        case SwitchState::Off:
            return "off";
        case SwitchState::NotApplicable:
            break;
    }
    return "not applicable here";
}

}  // namespace

std::string_view nameOf(NumericSwitch numericSwitch) noexcept {
    return kSwitches[static_cast<size_t>(numericSwitch)].name;
}

Phrase costOf(NumericSwitch numericSwitch) noexcept {
    return kSwitches[static_cast<size_t>(numericSwitch)].cost;
}

std::string shortNameOf(DType type) {
    const auto found = std::find_if(
        kTypes.begin(), kTypes.end(), [&](const auto& entry) { return entry.second == type; });
    return found == kTypes.end() ? toLower(nameOf(type)) : std::string(found->first);
}

int PrecisionChoice::capabilityOf(const std::string& role) const {
    const auto own = capabilities.find(role);
    const auto others = capabilities.find("");
    return own != capabilities.end()      ? own->second
           : others != capabilities.end() ? others->second
                                          : 0;
}

PrecisionTypes PrecisionChoice::typesOf(const std::string& role) const {
    const auto own = components.find(role);
    PrecisionTypes asked = types;
    if (own == components.end()) {
        return asked;
    }
    if (own->second.storage || own->second.storesAsInFile) {
        asked.storage = own->second.storage;
        asked.storesAsInFile = own->second.storesAsInFile;
    }
    asked.compute = own->second.compute ? own->second.compute : asked.compute;
    return asked;
}

PrecisionChoice parsePrecision(std::string_view text) {
    PrecisionChoice choice;
    const std::vector<std::string> parts = split(trim(text), ',');
    readPreset(choice, text, parts.front());
    for (size_t i = 1; i < parts.size(); ++i) {
        readPrecisionOption(choice, text, parts[i]);
    }
    return choice;
}

std::string toText(const PrecisionChoice& choice) {
    Json types = Json::object();
    put(types, choice.types);
    std::string text = choice.preset;
    for (const auto& [key, value] : types.items()) {
        text += "," + key + "=" + value.get<std::string>();
    }
    if (!choice.keptF32.empty()) {
        text += ",keep_f32=" + join(choice.keptF32, "+");
    }
    for (const auto& [numericSwitch, isOn] : choice.switches) {
        text += "," + std::string(nameOf(numericSwitch)) + (isOn ? "=on" : "=off");
    }
    return text;
}

PrecisionChoice precisionFromJson(const Json& json, const std::string& what) {
    if (json.is_null()) {
        return {};
    }
    if (json.is_string()) {
        return parsePrecision(json.get<std::string>());
    }
    const JsonReader reader(json, what);
    checkKeys(json, what, {"preset", "storage", "compute", "keep_f32", "switches", "components"});
    PrecisionChoice choice;
    readPreset(choice, what, reader.text("preset").value_or(choice.preset));
    choice.types = typesFrom(reader);
    choice.keptF32 = reader.texts("keep_f32").value_or(std::vector<std::string>{});
    if (const Json* switches = reader.member("switches")) {
        readSwitches(choice, *switches, what + ".switches");
    }
    if (const Json* components = reader.member("components")) {
        const JsonReader isObject(*components, what + ".components");
        for (const auto& [role, entry] : components->items()) {
            const std::string where = what + ".components." + role;
            const JsonReader own(entry, where);
            checkKeys(entry, where, {"storage", "compute"});
            choice.components[role] = typesFrom(own);
        }
    }
    return choice;
}

Json toJson(const PrecisionChoice& choice) {
    if (choice == PrecisionChoice{.capabilities = choice.capabilities}) {
        return nullptr;
    }
    Json json = {{"preset", choice.preset}};
    put(json, choice.types);
    if (!choice.keptF32.empty()) {
        json["keep_f32"] = choice.keptF32;
    }
    for (const auto& [numericSwitch, isOn] : choice.switches) {
        json["switches"][std::string(nameOf(numericSwitch))] = isOn;
    }
    for (const auto& [role, types] : choice.components) {
        json["components"][role] = Json::object();
        put(json["components"][role], types);
    }
    return json;
}

Json toJson(const ComponentPrecision& precision) {
    const bool isScaled = !precision.storesAsInFile && precision.storage == DType::F8E4M3;
    Json switches = Json::object();
    for (size_t i = 0; i < kNumericSwitchCount; ++i) {
        switches[std::string(kSwitches[i].name)] = textOf(precision.switches[i]);
    }
    Json json = {
        {"preset", precision.preset},
        {"component", precision.role},
        {"storage", precision.storageName()},
        {"quantised", precision.keepsQuantised || precision.storesAsInFile ? "file" : "decoded"},
        {"scales", isScaled ? "one for each output channel" : "none"},
        {"compute", shortNameOf(precision.compute)},
        {"keep_f32", precision.keptF32},
        {"keep_from_f8", isScaled ? precision.keptFromF8 : std::vector<std::string>()},
        {"finite_check", precision.checksFinite},
        {"switches", std::move(switches)}};
    putMessages(json, "lossy", precision.losses());
    putMessages(json, "notes", precision.notes);
    return json;
}

}  // namespace lowtide::memory
