#include "plugin/checkpoints/adapters/change_kind.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

namespace changes {
const ChangeKind& low_rank();
const ChangeKind& hadamard();
const ChangeKind& kronecker();
const ChangeKind& scale();
const ChangeKind& difference();
}  // namespace changes

std::span<const ChangeKind* const> changeKinds() {
    static const std::vector<const ChangeKind*> kKinds = {&changes::low_rank(),
                                                          &changes::hadamard(),
                                                          &changes::kronecker(),
                                                          &changes::scale(),
                                                          &changes::difference()};
    return kKinds;
}

const ChangeKind& changeKind(std::string_view name) {
    std::vector<std::string> built;
    for (const ChangeKind* const kind : changeKinds()) {
        if (kind->name == name) {
            return *kind;
        }
        built.push_back(kind->name);
    }
    throw Error(ErrorKind::Unsupported,
                "weight changes of kind " + quotedName(name) + " are not built (" +
                    join(built, ", ") + " are)",
                "get the adapter again, or choose another one");
}

}  // namespace lowtide::models
