#pragma once
// Images in columns with lines of text, and images of where two of them differ.

#include "plugin/host_api/host.hpp"

#include <string>
#include <vector>

namespace lowtide::image {

/// Images that belong together, side by side, with lines of text below. Without images the
/// space is left empty.
struct SheetCell {
    std::vector<Image8> images;
    std::vector<std::string> lines;
};

struct ContactSheet {
    std::string title;
    size_t columns = 1;
    std::vector<SheetCell> cells;  ///< in rows from the upper left
    std::vector<Image8> footers;   ///< below the cells, as they are
};

/// One image of all cells, in columns of one width. Small images are enlarged by a whole
/// factor, the same for all; when the sheet would be beyond 2^26 pixels, images are shrunk by
/// averaging. Letters grow with the cells. Error{InvalidInput} when there is no cell.
[[nodiscard]] Image8 drawContactSheet(const ContactSheet& sheet);

/// CIEDE2000 that heat maps show brightest; larger differences look the same.
inline constexpr double kHottestDifference = 20;

/// How each pixel's colour differs from the reference's, from black over red to light yellow.
/// Error{InvalidInput} when the sizes differ.
[[nodiscard]] Image8 heatMap(const Image8& reference, const Image8& image);

/// The colours of heat maps with their CIEDE2000, for the foot of a sheet.
[[nodiscard]] Image8 heatLegend();

}  // namespace lowtide::image
