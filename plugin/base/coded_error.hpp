#pragma once

#include "plugin/base/error.hpp"

#include <string>
#include <utility>

namespace lowtide {

/// An Error whose issue has a code of its own, and facts that a host may act on.
class CodedError final : public Error {
public:
    /// `facts`: a JSON object.
    CodedError(Error error, std::string code, std::string facts)
        : Error(std::move(error)), code_(std::move(code)), facts_(std::move(facts)) {}

    [[nodiscard]] const std::string& code() const noexcept { return code_; }

    [[nodiscard]] const std::string& facts() const noexcept { return facts_; }

private:
    std::string code_;
    std::string facts_;
};

/// Code of a picture whose sides a model does not take; its facts are `width`, `height`, the
/// `multiple` that both must be of, and `insert`: the type of a node that brings it there.
inline constexpr const char* kPictureSizeCode = "picture_size";

}  // namespace lowtide
