#pragma once

#include "ui/bridge/picture_load.hpp"

#include <QString>

#include <vector>

namespace lowtide::ui {

/// One line of what is known of a picture.
struct PictureFact {
    QString name;
    QString value;  ///< may be long
};

/// Size, a video's length, file, and what its text chunks say, with what Lowtide writes in plain
/// words first. Long texts are cut after 20,000 characters, which is said.
[[nodiscard]] std::vector<PictureFact> factsOf(const LoadedPicture& picture);

}  // namespace lowtide::ui
