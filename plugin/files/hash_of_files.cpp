#include "plugin/files/hash_of_files.hpp"

#include "plugin/base/hash.hpp"
#include "plugin/files/input_file.hpp"

namespace lowtide::files {

std::string sha256OfFiles(std::span<const std::string> paths) {
    std::string digests;
    for (const std::string& path : paths) {
        digests += sha256OfFile(path);
    }
    return paths.size() == 1 ? digests : sha256Hex(digests);
}

}  // namespace lowtide::files
