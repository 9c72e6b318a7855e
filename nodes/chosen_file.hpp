#pragma once

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"

#include <string>
#include <string_view>

namespace lowtide::nodes {

/// What a parameter of kind File wants.
struct FileParam {
    const char* id;    ///< that errors blame
    const char* what;  ///< "picture"
    const char* hint;  ///< where nothing is chosen
};

/// The file that a person chose: relative to the graph's folder, or with its full path.
/// Error{NotFound} where nothing is chosen, and what opening gives, on the parameter.
[[nodiscard]] files::InputFile chosenFile(const FileParam& param,
                                          const std::string& typed,
                                          std::string_view graphFolder);

/// What tells a file from another one, and from itself after a change, for result keys.
[[nodiscard]] std::string fingerprintOf(const files::InputFile& file);

/// Does `work`; its errors blame the parameter.
template <class Work>
auto blaming(const FileParam& param, Work&& work) {
    try {
        return work();
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), param.id);
    }
}

}  // namespace lowtide::nodes
