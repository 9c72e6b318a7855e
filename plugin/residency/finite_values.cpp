#include "plugin/residency/finite_values.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/element_conversion.hpp"

namespace lowtide::residency {

void requireFinite(const std::string& role,
                   const memory::Storage& storage,
                   const files::InputFile& file,
                   const std::byte* raw,
                   int64_t count) {
    if (!storage.mustBeFinite || areFinite(storage.fileType, raw, count)) {
        return;
    }
    throw Error(ErrorKind::Corrupt,
                role + ": the adapter " + quotedName(file.name()) + " holds a number in " +
                    quotedName(storage.key) + " that is not finite (NaN or infinity)",
                "get the adapter again, or choose another one");
}

}  // namespace lowtide::residency
