#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::service {

/// A field of a form that a browser sends (multipart/form-data).
struct FormField {
    std::string fileName;  ///< empty: it is no file
    std::string value;
};

/// The fields of a form by name, the first one of a name. Nothing: the content type is another one,
/// or the body is damaged: it has no end, a part without a name, or more than 64 parts.
[[nodiscard]] std::optional<std::map<std::string, FormField>> readForm(std::string_view contentType,
                                                                       std::string_view body);

}  // namespace lowtide::service
