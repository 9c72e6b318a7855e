#include "plugin/text/added_tokens.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"

#include <cstdlib>
#include <utility>

namespace lowtide::models {

namespace {

constexpr size_t kMostDigits = 8;

}  // namespace

Json addedInDecoder(const Json& decoder, const std::string& what) {
    Json added = Json::array();
    for (const auto& [id, token] : decoder.items()) {
        const bool isNumber = !id.empty() && id.size() <= kMostDigits &&
                              id.find_first_not_of("0123456789") == id.npos;
        if (!isNumber || !token.is_object()) {
            throw Error(ErrorKind::Corrupt,
                        what + ": added_tokens_decoder has " + quotedName(id) +
                            ", which is no id of a token",
                        "get the tokenizer's files again");
        }
        Json entry = token;
        entry["id"] = std::strtoul(id.c_str(), nullptr, 10);
        added.push_back(std::move(entry));
    }
    return added;
}

}  // namespace lowtide::models
