#include "plugin/residency/sound_parts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/memory/component_tree.hpp"

namespace lowtide::residency {

void requireSound(const std::string& role,
                  const memory::Storage& storage,
                  const files::InputFile& file,
                  const encodings::StoredPart& stored) {
    const encodings::Encoding& encoding = encodings::encodingOf(*stored.tensor);
    if (const auto fault = encoding.fault(stored)) {
        throw Error(ErrorKind::Corrupt,
                    role + "." + storage.key + ", " + std::string(encoding.label) + " in " +
                        quotedName(file.name()) + ": " + *fault,
                    "get the file again, or choose another one");
    }
}

}  // namespace lowtide::residency
