#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/files/input_file.hpp"
#include "ui/bridge/model_file.hpp"
#include "ui/models/model_folders.hpp"

#include <map>
#include <string>
#include <vector>

namespace lowtide::ui {

/// A model that lies in one of the folders.
struct FoundModel {
    ModelFile file;
    std::string folder;              ///< the model folder
    std::string relative;            ///< from that folder
    std::string value;               ///< how a graph names it; filled by ModelLibrary
    files::FileIdentity identity{};  ///< when it was found; size 0: a folder, or not readable
};

/// Headers that were read before, by path; one whose file is unchanged is not read again.
struct ReadHeader {
    files::FileIdentity identity;
    ModelFile model;
};

using ReadHeaders = std::map<std::string, ReadHeader>;

/// The border at which paths from the disk become text: what it returns is UTF-8, and what has
/// another name is a row with a problem.
/// Looks through the folders, at most eight levels deep, each real folder once; links are followed.
/// A file of which the module does not say what it is counts as what the folder's name says. Sorted
/// by kind and name. Stops early when asked to: the result is then to be thrown away.
[[nodiscard]] std::vector<FoundModel> scanModels(const std::vector<ModelFolder>& folders,
                                                 const Recognise& recognise,
                                                 ReadHeaders& known,
                                                 const StopToken& stop);

}  // namespace lowtide::ui
