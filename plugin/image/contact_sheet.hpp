#pragma once

#include "plugin/host_api/host.hpp"

#include <string>
#include <vector>

namespace lowtide::image {

/// Pictures that belong together, side by side, with lines of text below. Without pictures the
/// place stays empty.
struct SheetCell {
    std::vector<Image8> pictures;
    std::vector<std::string> lines;
};

struct ContactSheet {
    std::string title;
    size_t columns = 1;
    std::vector<SheetCell> cells;  ///< in rows from the upper left
    std::vector<Image8> footers;   ///< below the cells, as they are
};

/// One picture of all cells, in columns of one width. Small pictures are enlarged by a whole
/// factor, the same for all; when the sheet would be beyond 2^26 pixels, pictures are shrunk by
/// averaging. Letters grow with the cells. Error{InvalidInput} when there is no cell.
[[nodiscard]] Image8 drawContactSheet(const ContactSheet& sheet);

}  // namespace lowtide::image
