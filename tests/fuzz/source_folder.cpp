#include "tests/fuzz/source_folder.hpp"

namespace lowtide::fuzz {

std::string sourceFolder() {
    return LOWTIDE_SOURCE_DIR;
}

}  // namespace lowtide::fuzz
