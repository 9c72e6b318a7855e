#include "plugin/base/json.hpp"

#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

namespace lowtide::fuzz::json_target {

namespace {

/// Every member is read as every type; a wrong one is an error.
void readMembers(const Json& json) {
    if (!json.is_object()) {
        return;
    }
    const JsonReader reader(json, "settings");
    for (const auto& [name, value] : json.items()) {
        const char* key = name.c_str();
        const auto reads = [](auto&& call) { (void)takes({ErrorKind::Corrupt}, call); };
        reads([&] { (void)reader.integer(key); });
        reads([&] { (void)reader.number(key); });
        reads([&] { (void)reader.boolean(key); });
        reads([&] { (void)reader.text(key); });
        reads([&] { (void)reader.integers(key); });
        reads([&] { (void)reader.numbers(key); });
        reads([&] { (void)reader.texts(key); });
    }
}

bool readText(std::string_view text, bool readPythonNumbers) {
    const JsonLimits limits{.readPythonNumbers = readPythonNumbers};
    Json json;
    if (!takes({ErrorKind::Corrupt}, [&] { json = parseJson(text, "settings", limits); })) {
        return false;
    }
    require(parseJson(json.dump(), "again") == json, "what was written is what was read");
    readMembers(json);
    return true;
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const bool isStrict = readText(text, false);
    if (text.find_first_of("NI") == text.npos) {
        return isStrict;
    }
    const bool isTaken = readText(text, true);
    require(isTaken || !isStrict, "reading Python's numbers takes all that JSON is");
    return isTaken;
}

[[maybe_unused]] const bool isEntered = enterTarget("json", runInput);

}  // namespace lowtide::fuzz::json_target
