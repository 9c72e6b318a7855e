#include "plugin/base/json_options.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <vector>

namespace lowtide {

void requireKnownKeys(const Json& object,
                      std::string_view what,
                      std::span<const std::string_view> known) {
    for (const auto& [key, value] : object.items()) {
        if (std::ranges::find(known, key) != known.end()) {
            continue;
        }
        const std::vector<std::string> names(known.begin(), known.end());
        const std::string near = nearestName(key, names);
        throw Error(ErrorKind::InvalidInput,
                    quotedName(key) + " is no key of the " + std::string(what),
                    near.empty() ? "write one of " + listSome(names, names.size())
                                 : "did you mean \"" + near + "\"?",
                    key);
    }
}

std::optional<int64_t> integerWithin(const JsonReader& reader,
                                     const char* key,
                                     int64_t least,
                                     int64_t most) {
    const std::optional<int64_t> value = reader.integer(key);
    if (value && (*value < least || *value > most)) {
        throw Error(ErrorKind::InvalidInput,
                    reader.what() + ": \"" + key + "\" is " + std::to_string(*value) +
                        ", it takes " + std::to_string(least) + " to " + std::to_string(most),
                    "choose a number between them",
                    key);
    }
    return value;
}

}  // namespace lowtide
