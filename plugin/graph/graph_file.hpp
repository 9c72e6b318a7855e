#pragma once

#include <string>

namespace lowtide::files {
class InputFile;
}

namespace lowtide::graph {

/// The text of a graph file, or the graph that a picture or a video of this program carries; what
/// the file holds decides. Errors: those of InputFile, of which at most 32 MiB are read, of
/// image::readPictureTexts and video::readVideoHeader; Error{NotFound}: a picture without a graph;
/// Error{Corrupt}: a file with the name of a picture or a video that holds neither one nor JSON.
[[nodiscard]] std::string readGraphText(const files::InputFile& file);

}  // namespace lowtide::graph
