#include "tests/fuzz/guarantees.hpp"

#include "plugin/base/text.hpp"

#include <algorithm>

namespace lowtide::fuzz {

namespace {

/// Names from outside are cut in messages; a whole input must not come back in one.
constexpr size_t kLongestMessage = 2000;

bool isAscii(std::string_view text) {
    return std::none_of(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace

std::string sourceFolder() {
    return LOWTIDE_SOURCE_DIR;
}

void require(bool holds, std::string_view guarantee) {
    if (!holds) {
        throw Broken{std::string(guarantee)};
    }
}

void requireReadable(const Error& error, std::initializer_list<ErrorKind> kinds) {
    if (std::find(kinds.begin(), kinds.end(), error.kind()) == kinds.end()) {
        throw Broken{"another kind of error: " + error.message().str()};
    }
    require(!error.message().empty(), "an error says what failed");
    for (const std::string_view text : {std::string_view(error.message().str()),
                                        std::string_view(error.hint().str()),
                                        std::string_view(error.item())}) {
        if (text.size() > kLongestMessage || (!isAscii(text) && !isValidUtf8(text))) {
            throw Broken{"an error is UTF-8 and fits a screen: " + std::string(text)};
        }
    }
}

}  // namespace lowtide::fuzz
