#include "plugin/memory/policy.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/memory/planner.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace lowtide::memory {

namespace {

Message policyForms() {
    std::vector<std::string> names;
    for (const PlannerType& type : planners()) {
        names.push_back(type.name);
        if (type.name == "block") {
            names.emplace_back("block:2");
        }
    }
    return message(
        "write {}, then +stream, ,budget=SIZE, ,after=evict|drop|keep, ,pin=SIZE, @device",
        join(names, ", "));
}

[[noreturn]] void refusePolicy(std::string_view text, const Message& why) {
    throw Error(ErrorKind::InvalidInput,
                message("memory policy {}: {}", quotedName(text), why),
                policyForms(),
                "memory");
}

Bytes sizeFrom(std::string_view policy, std::string_view text) {
    const std::optional<Bytes> bytes = parseBytes(text);
    if (!bytes) {
        refusePolicy(policy, message("{} is no size", quotedName(text)));
    }
    return *bytes;
}

Bytes budgetFrom(std::string_view policy, std::string_view text) {
    const Bytes bytes = sizeFrom(policy, text);
    if (bytes == 0) {
        refusePolicy(policy, message("a budget is at least 1 byte"));
    }
    return bytes;
}

After afterFrom(std::string_view policy, std::string_view text) {
    if (text == "evict") {
        return After::Evict;
    }
    if (text == "drop") {
        return After::Drop;
    }
    if (text == "keep") {
        return After::Keep;
    }
    refusePolicy(policy, message("after is evict, drop or keep, not {}", quotedName(text)));
}

std::string_view afterName(After after) {
    return after == After::Evict ? "evict" : after == After::Drop ? "drop" : "keep";
}

void readName(Policy& policy, std::string_view text, std::string_view name) {
    const size_t colon = name.find(':');
    policy.name = std::string(name.substr(0, colon));
    if (!findPlanner(policy.name)) {
        refusePolicy(text, message("there is no policy {}", quotedName(policy.name)));
    }
    if (colon == std::string_view::npos) {
        return;
    }
    const std::string_view count = name.substr(colon + 1);
    const auto [rest, failure] =
        std::from_chars(count.data(), count.data() + count.size(), policy.blocksPerGroup);
    if (policy.name != "block" || failure != std::errc() || rest != count.data() + count.size() ||
        policy.blocksPerGroup < 1) {
        refusePolicy(text, message("only block takes a number, of at least 1"));
    }
}

void readPolicyOption(Policy& policy, std::string_view text, const std::string& option) {
    const size_t equals = option.find('=');
    const std::string key = option.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : option.substr(equals + 1);
    if (key == "budget") {
        policy.budget = budgetFrom(text, value);
    } else if (key == "after") {
        policy.after = afterFrom(text, value);
    } else if (key == "pin") {
        policy.pinCap = sizeFrom(text, value);
    } else {
        refusePolicy(text, message("{} is not understood", quotedName(option)));
    }
}

void checkStream(const Policy& policy, std::string_view text) {
    if (policy.stream && (policy.name == "none" || policy.name == "sequential")) {
        refusePolicy(text,
                     message("{} cannot stream: there is nothing to copy ahead of", policy.name));
    }
}

Policy policyFromObject(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    const std::array<std::string_view, 8> known = {"policy",
                                                   "stream",
                                                   "blocks_per_group",
                                                   "budget",
                                                   "after",
                                                   "pin_cap",
                                                   "device",
                                                   "components"};
    for (const auto& [key, value] : json.items()) {
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            refusePolicy(what, message("{} is not understood", quotedName(key)));
        }
    }
    Policy policy = parsePolicy(reader.text("policy").value_or("auto"));
    policy.stream = reader.boolean("stream").value_or(policy.stream);
    const int64_t blocks = reader.integer("blocks_per_group").value_or(policy.blocksPerGroup);
    if (blocks < 1 || !std::in_range<int>(blocks)) {
        refusePolicy(what, message("blocks_per_group must be at least 1, and fit 32 bits"));
    }
    policy.blocksPerGroup = static_cast<int>(blocks);
    if (const auto text = reader.text("after")) {
        policy.after = afterFrom(what, *text);
    }
    const auto textAt = [&](const char* key) {
        const Json& value = *reader.member(key);
        return value.is_string() ? value.get<std::string>() : value.dump();
    };
    if (reader.has("budget")) {
        policy.budget = budgetFrom(what, textAt("budget"));
    }
    if (reader.has("pin_cap")) {
        policy.pinCap = sizeFrom(what, textAt("pin_cap"));
    }
    if (const auto text = reader.text("device"); text && *text != "auto") {
        policy.device = parseDeviceSpec(*text);
    }
    if (const Json* components = reader.member("components")) {
        const JsonReader roles(*components, what + ".components");
        for (const auto& [role, entry] : components->items()) {
            policy.components[role] = policyFromJson(entry, what + ".components." + role);
            if (!policy.components[role].components.empty()) {
                refusePolicy(
                    what,
                    message("the policy of component \"{}\" cannot have components of its own",
                            role));
            }
        }
    }
    checkStream(policy, what);
    return policy;
}

}  // namespace

Policy Policy::forComponent(const std::string& role) const {
    const auto own = components.find(role);
    Policy policy = own == components.end() ? *this : own->second;
    policy.components.clear();
    if (!policy.device) {
        policy.device = device;
    }
    return policy;
}

Policy parsePolicy(std::string_view text) {
    Policy policy;
    std::string rest = trim(text);
    if (const size_t at = rest.find('@'); at != std::string::npos) {
        const std::string device = rest.substr(at + 1);
        if (device != "auto") {
            policy.device = parseDeviceSpec(device);
        }
        rest.resize(at);
    }
    std::vector<std::string> parts = split(rest, ',');
    constexpr std::string_view kStream = "+stream";
    if (parts[0].ends_with(kStream)) {
        policy.stream = true;
        parts[0].resize(parts[0].size() - kStream.size());
    }
    readName(policy, text, parts[0]);
    for (size_t i = 1; i < parts.size(); ++i) {
        readPolicyOption(policy, text, parts[i]);
    }
    checkStream(policy, text);
    return policy;
}

std::string toText(const Policy& policy) {
    std::string text = policy.name;
    if (policy.blocksPerGroup != 1) {
        text += ":" + std::to_string(policy.blocksPerGroup);
    }
    text += policy.stream ? "+stream" : "";
    if (policy.budget) {
        text += ",budget=" + std::to_string(*policy.budget);
    }
    if (policy.after != After::Evict) {
        text += ",after=" + std::string(afterName(policy.after));
    }
    if (policy.pinCap) {
        text += ",pin=" + std::to_string(*policy.pinCap);
    }
    return policy.device ? text + "@" + toText(*policy.device) : text;
}

Policy policyFromJson(const Json& json, const std::string& what) {
    return json.is_string() ? parsePolicy(json.get<std::string>()) : policyFromObject(json, what);
}

Json toJson(const Policy& policy) {
    Json json = {{"policy", policy.name}};
    if (policy.stream) {
        json["stream"] = true;
    }
    if (policy.blocksPerGroup != 1) {
        json["blocks_per_group"] = policy.blocksPerGroup;
    }
    if (policy.budget) {
        json["budget"] = *policy.budget;
    }
    if (policy.after != After::Evict) {
        json["after"] = afterName(policy.after);
    }
    if (policy.pinCap) {
        json["pin_cap"] = *policy.pinCap;
    }
    if (policy.device) {
        json["device"] = toText(*policy.device);
    }
    for (const auto& [role, entry] : policy.components) {
        json["components"][role] = toJson(entry);
    }
    return json;
}

}  // namespace lowtide::memory
