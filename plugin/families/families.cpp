#include "plugin/checkpoints/family.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::models {

#define LOWTIDE_ENTRY(name) const Family& name();
#include "family_list.inc"
#undef LOWTIDE_ENTRY

Families families() {
    static const std::vector<const Family*> kFamilies = {
#define LOWTIDE_ENTRY(name) &name(),
#include "family_list.inc"
#undef LOWTIDE_ENTRY
    };
    return kFamilies;
}

}  // namespace lowtide::models
