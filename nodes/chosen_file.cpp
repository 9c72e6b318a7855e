#include "nodes/chosen_file.hpp"

#include "plugin/base/hash.hpp"
#include "plugin/base/text.hpp"

#include <filesystem>

namespace lowtide::nodes {

files::InputFile chosenFile(const FileParam& param,
                            const std::string& typed,
                            std::string_view graphFolder) {
    const std::string path = trim(typed);
    if (path.empty()) {
        throw Error(ErrorKind::NotFound,
                    std::string("no ") + param.what + " is chosen",
                    param.hint,
                    param.id);
    }
    return blaming(param, [&] {
        // An absolute path takes the place of the folder.
        return files::InputFile((std::filesystem::path(graphFolder) / path).string());
    });
}

std::string fingerprintOf(const files::InputFile& file) {
    const files::FileIdentity& identity = file.identity();
    Hasher hasher;
    hasher.add(file.path()).add(identity.size).add(identity.modifiedNanoseconds);
    hasher.add(static_cast<int64_t>(identity.inode));
    return hasher.hexDigest();
}

}  // namespace lowtide::nodes
