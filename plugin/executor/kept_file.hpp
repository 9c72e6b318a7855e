#pragma once

#include "plugin/memory/value_codec.hpp"

#include <string>
#include <string_view>

namespace lowtide::executor {

/// Which value a file holds: an output of the node with this result key.
struct KeptName {
    std::string key;
    std::string port;

    auto operator<=>(const KeptName&) const = default;
};

/// "<64 hexadecimal digits>-<port>.safetensors".
[[nodiscard]] std::string fileNameOf(const KeptName& name);
/// Whether a file of this name is one of ours; other files of a folder are never touched.
[[nodiscard]] bool isKeptFileName(std::string_view fileName);

/// Writes a value as a safetensors file, atomically: its tensors, and as metadata what else it is,
/// its name, the format's version and a SHA-256 of it all. Errors as files::writeSafetensors.
void writeKeptFile(const std::string& path,
                   const KeptName& name,
                   std::string_view type,
                   const memory::EncodedValue& value);

/// Reads it back. Error{NotFound} without a file; Error{Corrupt} states what is wrong with one:
/// damaged, of another version, of another graph, of another type.
[[nodiscard]] memory::EncodedValue readKeptFile(const std::string& path,
                                                const KeptName& name,
                                                std::string_view type);

}  // namespace lowtide::executor
